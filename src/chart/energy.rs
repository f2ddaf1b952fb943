//! Energy as bars, one for each bucket: up for what was taken or produced, down for what was fed back.

use std::fmt::Display;

use super::data::{ChartKind, total};
use super::dates::{bucket_name, moment};
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::points::{points_json, tenths};
use super::quantity::quantity;
use super::scales::ValueScale;
use super::svg::{Path, Px};
use crate::domain::{Calendar, Interval, TimeRange, Timestamp, Zone};
use crate::query::{Point, Reset, Resets, Units};

pub(super) fn figures(
    picture: &Picture<'_>,
    interval: Interval,
    bars: &[Point],
    resets: &Resets,
) -> Vec<Figure> {
    let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
    let (highest, lowest) = (bars.iter().max_by(by_value), bars.iter().min_by(by_value));
    let (Some(total), Some(highest), Some(lowest)) = (total(bars), highest, lowest) else {
        return Vec::new();
    };
    let named = |label, bar: &Point| {
        let name = bucket_name(bar.time, interval, picture.zone);
        Figure::new(label, quantity(bar.value, Units::Watthours), Some(name))
    };
    let mut figures = vec![
        Figure::new("Total", quantity(total, Units::Watthours), None),
        named("Highest", highest),
        named("Lowest", lowest),
    ];
    if resets.count > 0 {
        let count = resets.count.to_string();
        figures.push(Figure::new("Counter resets", count, None));
    }
    figures
}

pub(super) fn draw(
    picture: &Picture<'_>,
    figures: &[Figure],
    interval: Interval,
    bars: &[Point],
    resets: &Resets,
) -> String {
    let values = || bars.iter().map(|bar| bar.value);
    let (least, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let scale = picture.scale(least, most, Units::Watthours);
    let mut calendar = Calendar::new(picture.zone.clone(), interval);
    let buckets = bars.iter().map(|bar| (calendar.bucket(bar.time), *bar));
    let buckets: Vec<(TimeRange, Point)> = buckets.collect();
    let points = || json_of(&buckets);
    let mut frame = picture.frame(ChartKind::Energy, figures, &scale, points);
    for (bucket, bar) in &buckets {
        let name = bucket_name(bar.time, interval, picture.zone);
        draw_bar(&mut frame, &scale, &name, *bucket, bar.value);
    }
    for reset in &resets.first {
        // What was read need not be what is shown.
        if picture.range.contains(reset.time) {
            mark_reset(&mut frame, picture.zone, reset);
        }
    }
    frame.svg.finish()
}

fn draw_bar(
    frame: &mut ChartFrame,
    scale: &ValueScale,
    name: &str,
    bucket: TimeRange,
    watthours: f64,
) {
    let plot = frame.plot;
    let (left, right) = (frame.times.x(bucket.start()), frame.times.x(bucket.end()));
    // In proportion, so that narrow bars do not vanish between their gaps.
    let space = ((right - left) * 0.15).clamp(0.0, 2.0);
    let (zero, end) = (scale.y(0.0, plot), scale.y(watthours, plot));
    let is_given = watthours < 0.0;
    let class = if is_given {
        "chart-bar-give"
    } else {
        "chart-bar"
    };
    let width = (right - left - 2.0 * space).max(0.5);
    // A bar of almost nothing must be visible, too.
    let least_height = if watthours == 0.0 { 0.0 } else { 0.5 };
    let height = (zero - end).abs().max(least_height);
    // The least width and height could push a bar over the edge of the plot.
    let x = (left + space).min(plot.left + plot.width - width);
    let y = zero.min(end).min(plot.top + plot.height - height);
    frame.svg.open(
        "rect",
        &[
            ("class", &class),
            ("x", &Px(x)),
            ("y", &Px(y)),
            ("width", &Px(width)),
            ("height", &Px(height)),
        ],
    );
    let energy = quantity(watthours, Units::Watthours);
    // Browsers show the title of a shape under the pointer.
    frame.svg.text("title", &[], &format!("{name}: {energy}"));
    frame.svg.close();
}

fn mark_reset(frame: &mut ChartFrame, zone: &Zone, reset: &Reset) {
    let plot = frame.plot;
    // In the middle of a pixel, so that the thin line does not cover two.
    let x = frame.times.x(reset.time).floor() + 0.5;
    // At the right edge, the middle of the pixel could lie outside.
    let x = x.min(plot.left + plot.width);
    let mut line = Path::EMPTY;
    line.line([(x, plot.top), (x, plot.top + plot.height)]);
    let attributes: [(&str, &dyn Display); 2] = [("class", &"chart-reset"), ("d", &line.as_str())];
    frame.svg.open("path", &attributes);
    let [before, after] =
        [reset.before, reset.after].map(|number| quantity(number, Units::Watthours));
    let time = moment(reset.time, zone);
    let text = format!("{time}: the counter was reset, from {before} to {after}");
    frame.svg.text("title", &[], &text);
    frame.svg.close();
}

/// What is drawn, for scripts: watt-hours as `v`, and how long each bar is as `len`; see [`points_json`].
fn json_of(buckets: &[(TimeRange, Point)]) -> String {
    let starts = buckets.iter().map(|(bucket, _)| bucket.start());
    let t0 = starts.clone().next().unwrap_or(Timestamp::MIN);
    // With the last millisecond, which belongs to the bucket.
    let lengths = buckets.iter().map(|(bucket, _)| bucket.length_ms() + 1);
    let lengths: Vec<i64> = lengths.collect();
    let values = tenths(buckets.iter().map(|(_, bar)| bar.value));
    points_json(t0, starts, [("len", lengths.into()), ("v", values)])
}
