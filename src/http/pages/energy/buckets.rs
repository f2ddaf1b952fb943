//! The buckets of a range, and the flows in them.

use crate::chart::{FlowKind, Wording};
use crate::domain::{TimeRange, Timestamp};
use crate::house::{EnergyColumn, EnergyCourse, EnergyRow};
use crate::http::pages::charts::View;
use crate::http::pages::frame::range::ShownRange;
use crate::texts::Language;

/// The buckets of a range, and their wording.
pub(super) struct ShownBuckets<'a> {
    pub(super) course: &'a EnergyCourse,
    pub(super) shown: &'a ShownRange,
    /// The chart of the house, in some range.
    pub(super) chart: &'a View,
    pub(super) wording: Wording<'a>,
    pub(super) now: Timestamp,
}

impl ShownBuckets<'_> {
    /// The name of a bucket.
    pub(super) fn name(&self, time: TimeRange) -> String {
        self.wording.bucket_name(time.start(), self.shown.interval)
    }
}

/// The sum of a flow over all buckets. The flow of the whole range would differ: a battery's charge
/// at noon and discharge at night would cancel out.
pub(super) fn sum_of_flow(kind: FlowKind, course: &EnergyCourse) -> Option<f64> {
    let rows = course.buckets.iter().filter_map(|it| it.row.as_ref());
    let flows = rows.filter_map(|row| flow(kind, row));
    flows.reduce(|sum, energy| sum + energy)
}

/// The name of a flow.
pub(super) fn flow_name(kind: FlowKind, language: &Language) -> String {
    match kind {
        FlowKind::Solar => language.say("energy-from-solar"),
        FlowKind::Battery => language.say("energy-from-battery"),
        FlowKind::Grid => language.say("energy-from-grid"),
        FlowKind::Exported => language.say("energy-exported"),
        FlowKind::Charged => language.say("energy-charged"),
    }
}

/// A flow in watt-hours; `None` if it is not known.
pub(super) fn flow(kind: FlowKind, row: &EnergyRow) -> Option<f64> {
    match kind {
        FlowKind::Solar => row.supply().map(|supply| supply.solar),
        FlowKind::Battery => row.supply().map(|supply| supply.battery),
        FlowKind::Grid => row.supply().map(|supply| supply.grid),
        FlowKind::Exported => row.value(EnergyColumn::Exported),
        FlowKind::Charged => row.value(EnergyColumn::Charged),
    }
}
