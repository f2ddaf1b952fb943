//! The flows in buckets of time, as stacked bars and as their legend.

use crate::chart::{FlowBar, FlowKind, Wording};
use crate::domain::{Interval, TimeRange};
use crate::house::{EnergyBucket, EnergyColumn, EnergyRow};
use crate::http::pages::frame::figures;
use crate::texts::Language;

/// The flows that a bar is stacked from.
const ABOVE: [FlowKind; 3] = [FlowKind::Solar, FlowKind::Battery, FlowKind::Grid];
const BELOW: [FlowKind; 2] = [FlowKind::Exported, FlowKind::Charged];

/// The wording of buckets of an interval.
#[derive(Clone, Copy)]
pub(crate) struct FlowWords<'a> {
    pub(crate) wording: Wording<'a>,
    pub(crate) interval: Interval,
}

impl FlowWords<'_> {
    /// The name of a bucket.
    pub(super) fn name(self, time: TimeRange) -> String {
        self.wording.bucket_name(time.start(), self.interval)
    }

    /// A bucket as a bar, perhaps with the consumption of the one before.
    pub(crate) fn bar(self, bucket: &EnergyBucket, before: Option<f64>) -> FlowBar {
        let language = self.wording.language;
        let part = |kind| (kind, bucket.row.as_ref().and_then(|row| flow(kind, row)));
        let (above, below) = (ABOVE.map(part), BELOW.map(part));
        let energy = |energy| figures::energy(energy, language);
        let row = bucket.row.as_ref();
        let used = row.and_then(|row| row.value(EnergyColumn::Used));
        let used = used.map(|used| format!("{} {}", language.say("energy-used"), energy(used)));
        let parts = above.iter().chain(&below).filter_map(|(kind, flow)| {
            let flow = flow.filter(|flow| *flow != 0.0)?;
            Some(format!("{} {}", flow_name(*kind, language), energy(flow)))
        });
        let compared = before.map(|before| {
            let value = [("value", energy(before).into())];
            language.fill("energy-before", value)
        });
        let words: Vec<String> = used.into_iter().chain(parts).chain(compared).collect();
        let drawn = |(kind, energy): (FlowKind, Option<f64>)| (kind, energy.unwrap_or(0.0));
        FlowBar {
            time: bucket.time,
            words: format!("{}: {}", self.name(bucket.time), words.join(", ")),
            above: above.map(drawn),
            below: below.map(drawn),
            before,
        }
    }

    /// The legend: class, name and sum of each nonzero flow.
    pub(crate) fn legend(self, buckets: &[EnergyBucket]) -> Vec<(&'static str, String, String)> {
        let language = self.wording.language;
        let flows = ABOVE.into_iter().chain(BELOW).filter_map(|kind| {
            let sum = sum_of_flow(kind, buckets).filter(|sum| *sum != 0.0)?;
            let energy = figures::energy(sum, language);
            Some((kind.class(), flow_name(kind, language), energy))
        });
        flows.collect()
    }
}

/// The sum of a flow over all buckets. The flow of the whole range would differ: a battery's charge
/// at noon and discharge at night would cancel out.
pub(super) fn sum_of_flow(kind: FlowKind, buckets: &[EnergyBucket]) -> Option<f64> {
    let rows = buckets.iter().filter_map(|it| it.row.as_ref());
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
