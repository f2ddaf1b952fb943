//! The parts that all energy bars share: places, links, and the data that scripts read.

use super::frame::{ChartFrame, Picture};
use super::points::{points_json, tenths};
use crate::domain::{TimeRange, Timestamp};

/// The left edge and the width of the bar of a bucket.
pub(super) fn place(frame: &ChartFrame, bucket: TimeRange) -> (f64, f64) {
    let plot = frame.plot;
    let (left, right) = (frame.times.x(bucket.start()), frame.times.x(bucket.end()));
    // In proportion, so that narrow bars do not vanish between their gaps.
    let space = ((right - left) * 0.15).clamp(0.0, 2.0);
    let width = (right - left - 2.0 * space).max(0.5);
    // The least width could push a bar over the edge of the plot.
    ((left + space).min(plot.left + plot.width - width), width)
}

/// Draws each bar, inside its link if it has one.
pub(super) fn draw_linked<B>(
    frame: &mut ChartFrame,
    picture: &Picture<'_>,
    bars: &[B],
    draw: impl Fn(&mut ChartFrame, &B),
) {
    for (nth, bar) in bars.iter().enumerate() {
        let link = picture.links.get(nth);
        if let Some(address) = link {
            frame.svg.open("a", &[("href", address)]);
        }
        draw(frame, bar);
        if link.is_some() {
            frame.svg.close();
        }
    }
}

/// The bars as data for scripts: the height of each as `v` in watt-hours, its length as `len`; see
/// [`points_json`].
pub(super) fn json_of(bars: impl Iterator<Item = (TimeRange, f64)> + Clone) -> String {
    let starts = bars.clone().map(|(bucket, _)| bucket.start());
    let t0 = starts.clone().next().unwrap_or(Timestamp::MIN);
    // With the last millisecond, which belongs to the bucket.
    let lengths = bars.clone().map(|(bucket, _)| bucket.length_ms() + 1);
    let lengths: Vec<i64> = lengths.collect();
    let values = tenths(bars.map(|(_, watthours)| watthours));
    points_json(t0, starts, [("len", lengths.into()), ("v", values)])
}
