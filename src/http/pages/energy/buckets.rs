//! The buckets of a range, and the flows in them.

use super::flow_words::FlowWords;
use crate::chart::Wording;
use crate::domain::{TimeRange, Timestamp};
use crate::house::EnergyCourse;
use crate::http::pages::charts::View;
use crate::http::pages::frame::range::ShownRange;

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
    /// The wording of its bars.
    pub(super) fn words(&self) -> FlowWords<'_> {
        FlowWords {
            wording: self.wording,
            interval: self.shown.interval,
        }
    }

    /// The name of a bucket.
    pub(super) fn name(&self, time: TimeRange) -> String {
        self.words().name(time)
    }
}
