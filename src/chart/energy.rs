//! Energy as bars, one for each bucket: up for what was taken or produced, down for what was fed back.

use super::dates::{bucket_name, moment};
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::points::{points_json, tenths};
use super::quantity::quantity;
use super::scales::ValueScale;
use super::svg::Path;
use crate::domain::number::finite;
use crate::domain::{Calendar, Interval, TimeRange, Timestamp};
use crate::query::{Point, Reset, Units};

/// Energy of a range by an interval of the calendar.
#[derive(Clone, Copy)]
pub(super) struct EnergyChart<'a> {
    pub(super) picture: Picture<'a>,
    /// The length of a bar.
    pub(super) interval: Interval,
    /// The watt-hours of each bucket that has some, at its start, ascending.
    pub(super) bars: &'a [Point],
    /// When counters were reset, which is marked.
    pub(super) resets: &'a [Reset],
}

impl EnergyChart<'_> {
    pub(super) fn figures(&self) -> Vec<Figure> {
        let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
        let (highest, lowest) = (
            self.bars.iter().max_by(by_value),
            self.bars.iter().min_by(by_value),
        );
        let Some((highest, lowest)) = highest.zip(lowest) else {
            return Vec::new();
        };
        let named = |label, bar: &Point| {
            let name = bucket_name(bar.time, self.interval, self.picture.zone);
            Figure::new(label, quantity(bar.value, Units::Watthours), Some(name))
        };
        let bars = self.bars.iter();
        let total = bars.fold(0.0, |sum, bar| finite(sum + bar.value));
        let mut figures = vec![
            Figure::new("Total", quantity(total, Units::Watthours), None),
            named("Highest", highest),
            named("Lowest", lowest),
        ];
        if !self.resets.is_empty() {
            let count = self.resets.len().to_string();
            figures.push(Figure::new("Counter resets", count, None));
        }
        figures
    }

    pub(super) fn draw(&self) -> String {
        let picture = &self.picture;
        let title = format!("Energy of {}, {}", picture.name, picture.range_text());
        if self.bars.is_empty() {
            return picture.without_readings(&title);
        }
        let values = self.bars.iter().map(|bar| bar.value);
        let (least, most) = values.fold((0.0, 0.0), |(least, most): (f64, f64), value| {
            (least.min(value), most.max(value))
        });
        let scale = picture.scale(least, most, Units::Watthours);
        let buckets = self.buckets();
        let points = || json_of(&buckets);
        let mut frame = picture.frame(&title, &self.figures(), &scale, points);
        for (bucket, bar) in &buckets {
            self.bar(&mut frame, &scale, *bucket, *bar);
        }
        self.mark_resets(&mut frame);
        frame.svg.finish()
    }

    fn buckets(&self) -> Vec<(TimeRange, Point)> {
        let mut calendar = Calendar::new(self.picture.zone.clone(), self.interval);
        let bars = self.bars.iter();
        bars.map(|bar| (calendar.bucket(bar.time), *bar)).collect()
    }

    fn bar(&self, frame: &mut ChartFrame, scale: &ValueScale, bucket: TimeRange, bar: Point) {
        let plot = frame.plot;
        let (left, right) = (frame.times.x(bucket.start()), frame.times.x(bucket.end()));
        let space = ((right - left) * 0.15).clamp(0.0, 2.0);
        let (zero, end) = (scale.y(0.0, plot), scale.y(bar.value, plot));
        let class = if bar.value < 0.0 {
            "chart-bar-give"
        } else {
            "chart-bar"
        };
        let width = (right - left - 2.0 * space).max(0.5);
        // A bar of almost nothing must be visible, too.
        let height = (zero - end)
            .abs()
            .max(if bar.value == 0.0 { 0.0 } else { 0.5 });
        let attributes = [
            ("class", class.into()),
            (
                "x",
                (left + space).min(plot.left + plot.width - width).into(),
            ),
            (
                "y",
                zero.min(end).min(plot.top + plot.height - height).into(),
            ),
            ("width", width.into()),
            ("height", height.into()),
        ];
        frame.svg.open("rect", &attributes);
        let name = bucket_name(bar.time, self.interval, self.picture.zone);
        let energy = quantity(bar.value, Units::Watthours);
        frame.svg.text("title", &[], &format!("{name}: {energy}"));
        frame.svg.close();
    }

    fn mark_resets(&self, frame: &mut ChartFrame) {
        let within = self
            .resets
            .iter()
            .filter(|reset| self.picture.range.contains(reset.time));
        for reset in within {
            let x = frame.times.x(reset.time).floor() + 0.5;
            let x = x.min(frame.plot.left + frame.plot.width);
            let mut line = Path::EMPTY;
            line.line([(x, frame.plot.top), (x, frame.plot.top + frame.plot.height)]);
            let attributes = [("class", "chart-reset".into()), ("d", line.as_str().into())];
            frame.svg.open("path", &attributes);
            let [before, after] =
                [reset.before, reset.after].map(|number| quantity(number, Units::Watthours));
            let time = moment(reset.time, self.picture.zone);
            frame.svg.text(
                "title",
                &[],
                &format!("{time}: the counter was reset, from {before} to {after}"),
            );
            frame.svg.close();
        }
    }
}

/// What is drawn, for scripts: watt-hours as `v`, and how long each bar is as `len`; see [`points_json`].
fn json_of(buckets: &[(TimeRange, Point)]) -> String {
    let starts = buckets.iter().map(|(bucket, _)| bucket.start());
    let t0 = starts.clone().next().unwrap_or(Timestamp::MIN);
    let lengths = buckets.iter().map(|(bucket, _)| bucket.length_ms() + 1);
    let lengths: Vec<i64> = lengths.collect();
    let values = tenths(buckets.iter().map(|(_, bar)| bar.value));
    points_json(t0, starts, [("len", lengths.into()), ("v", values)])
}
