//! Energy as bars, one a bucket: up for what was taken or made, down for what was fed back.

use super::drawn::{Figure, in_words};
use super::frame::{Frame, Look, Picture};
use super::power::tenths;
use super::quantity::quantity;
use super::scales::{ValueScale, bucket_name, moment};
use super::svg::Path;
use crate::domain::interval::{Calendar, Interval};
use crate::domain::time::{MS_PER_DAY, TimeRange};
use crate::query::energy::Reset;
use crate::query::{Point, Units};

/// Energy of a range by an interval of the calendar.
#[derive(Clone, Copy, Debug)]
pub struct EnergyChart<'a> {
    /// What it is of, and how it is drawn.
    pub picture: Picture<'a>,
    /// How long a bucket is.
    pub interval: Interval,
    /// Watt-hours of each bucket that has some, at its start, ascending.
    pub bars: &'a [Point],
    /// The resets of a counter, which are marked.
    pub resets: &'a [Reset],
}

impl EnergyChart<'_> {
    /// The interval in which a range has a readable number of bars on a picture of this width, in pixels.
    #[must_use]
    pub fn interval_for(range: TimeRange, width: u16) -> Interval {
        /// A bar and the space beside it.
        const ROOM_PX: i64 = 6;
        let most = (i64::from(width) / ROOM_PX).max(1);
        let days = (range.end().millis() - range.start().millis()) / MS_PER_DAY;
        if days <= 3 && days * 24 <= most {
            Interval::Hour
        } else if days <= most.min(100) {
            Interval::Day
        } else if days / 28 <= most {
            Interval::Month
        } else {
            Interval::Year
        }
    }

    /// Sum, greatest and least bar, resets; none where there are no readings.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
        let bars = self.bars.iter();
        let ends = bars
            .clone()
            .max_by(by_value)
            .zip(bars.clone().min_by(by_value));
        let Some((most, least)) = ends else {
            return Vec::new();
        };
        let named = |label, bar: &Point| {
            let name = bucket_name(bar.time, self.interval, self.picture.zone);
            Figure::new(label, quantity(bar.value, Units::Watthours), Some(name))
        };
        let sum = bars.fold(0.0, |sum: f64, bar| {
            (sum + bar.value).clamp(f64::MIN, f64::MAX)
        });
        let mut figures = vec![
            Figure::new("Sum", quantity(sum, Units::Watthours), None),
            named("Most", most),
            named("Least", least),
        ];
        if !self.resets.is_empty() {
            let count = self.resets.len().to_string();
            figures.push(Figure::new("Resets of the counter", count, None));
        }
        figures
    }

    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let picture = &self.picture;
        let title = format!("Energy of {}, {}", picture.name, picture.range_text());
        if self.bars.is_empty() {
            return picture
                .frame(&title, &in_words(&self.figures()), None, None)
                .without_readings();
        }
        let values = self.bars.iter().map(|bar| bar.value);
        let (least, most) = values.fold((0.0, 0.0), |(least, most): (f64, f64), value| {
            (least.min(value), most.max(value))
        });
        let scale = ValueScale::new(least, most, picture.plot_height(), Units::Watthours);
        let buckets: Vec<(TimeRange, Point)> = self.buckets();
        let points = match picture.look {
            Look::Inline => Some(points_json(&buckets)),
            Look::Standalone(_) => None,
        };
        let mut frame = picture.frame(
            &title,
            &in_words(&self.figures()),
            Some(&scale),
            points.as_deref(),
        );
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

    fn bar(&self, frame: &mut Frame, scale: &ValueScale, bucket: TimeRange, bar: Point) {
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
        // A bar of nearly nothing is to be seen, too.
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

    fn mark_resets(&self, frame: &mut Frame) {
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

/// What is drawn, for scripts: `{"t0":ms,"dt":[ms,..],"len":[ms,..],"v":[Wh,..]}`. The first bar begins at `t0` plus the first
/// of `dt`, each other one so much later than the one before; `len` says how long each is.
fn points_json(buckets: &[(TimeRange, Point)]) -> String {
    let starts = buckets.iter().map(|(bucket, _)| bucket.start().millis());
    let first = starts.clone().next().unwrap_or(0);
    let before = std::iter::once(first).chain(starts.clone());
    let deltas: Vec<i64> = starts
        .zip(before)
        .map(|(start, before)| start - before)
        .collect();
    let lengths = buckets
        .iter()
        .map(|(bucket, _)| bucket.end().millis() - bucket.start().millis() + 1);
    let values = buckets.iter().map(|(_, bar)| tenths(bar.value));
    serde_json::json!({
        "t0": first,
        "dt": deltas,
        "len": lengths.collect::<Vec<i64>>(),
        "v": values.collect::<Vec<f64>>(),
    })
    .to_string()
}
