//! Energy as bars, one for each bucket: up for energy taken or produced, down for energy fed back.
//! The estimated part of a bar is hatched.

use std::fmt::Display;

use super::bars;
use super::beside::{self, Lines};
use super::data::{ChartKind, total};
use super::dates::Wording;
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::quantity::{percent, quantity};
use super::scales::ValueScale;
use super::svg::{Path, Px};
use crate::domain::{Calendar, Interval, TimeRange};
use crate::house::{EnergyBar, Reset, Resets};
use crate::query::Units;

/// The largest shares that nobody would notice.
const NOTABLE: f64 = 0.01;

pub(super) fn figures(
    picture: &Picture<'_>,
    interval: Interval,
    bars: &[EnergyBar],
    resets: &Resets,
) -> Vec<Figure> {
    let Some(total) = total(bars) else {
        return Vec::new();
    };
    let language = picture.wording.language;
    let energy = |watthours| quantity(watthours, Units::Watthours, language);
    let named = |label, bar: &EnergyBar| {
        let name = picture.wording.bucket_name(bar.start, interval);
        Figure::new(label, energy(bar.watthours), Some(name))
    };
    let by_value = |a: &&EnergyBar, b: &&EnergyBar| a.watthours.total_cmp(&b.watthours);
    // A partly known day, such as today, is not a day of low consumption.
    let whole = || bars.iter().filter(|bar| bar.is_whole());
    let total = Figure::new(language.say("chart-total"), energy(total), None);
    let highest = bars.iter().max_by(by_value);
    let highest = highest.map(|it| named(language.say("chart-highest"), it));
    let lowest = whole().min_by(by_value);
    let word = if bars.iter().all(EnergyBar::is_whole) {
        language.say("chart-lowest")
    } else {
        language.say("chart-lowest-whole")
    };
    let lowest = lowest.map(|it| named(word, it));
    let mut figures = vec![total];
    figures.extend(highest.into_iter().chain(lowest));
    let estimated = bars.iter().filter(|bar| bar.is_estimated()).count();
    if estimated > 0 {
        let values = [("some", estimated.into()), ("all", bars.len().into())];
        let count = language.fill("chart-some-of", values);
        figures.push(Figure::new(language.say("chart-estimated"), count, None));
    }
    if resets.count > 0 {
        let count = resets.count.to_string();
        figures.push(Figure::new(language.say("chart-resets"), count, None));
    }
    figures
}

impl EnergyBar {
    /// Whether nearly all of its time is known.
    fn is_whole(&self) -> bool {
        self.known > 1.0 - NOTABLE
    }

    fn is_estimated(&self) -> bool {
        self.estimated >= NOTABLE
    }

    /// Its description: `8 Jul 2026: 4.00 kWh, 30 % estimated`.
    fn in_words(&self, interval: Interval, wording: Wording<'_>) -> String {
        let (name, language) = (wording.bucket_name(self.start, interval), wording.language);
        let energy = quantity(self.watthours, Units::Watthours, language);
        let mut words = vec![format!("{name}: {energy}")];
        if !self.is_whole() {
            let known = [("percent", percent(self.known, language).into())];
            words.push(language.fill("chart-bar-known", known));
        }
        if self.is_estimated() {
            let estimated = [("percent", percent(self.estimated, language).into())];
            words.push(language.fill("chart-bar-estimated", estimated));
        }
        words.join(", ")
    }
}

/// A step for each bar, as a line.
pub(super) fn lines_of(bars: &[EnergyBar], mut calendar: Calendar) -> Lines {
    let steps = bars.iter().flat_map(|bar| {
        let end = calendar.bucket(bar.start).end();
        [(bar.start, bar.watthours), (end, bar.watthours)]
    });
    vec![steps.collect()]
}

pub(super) fn draw(
    picture: &Picture<'_>,
    figures: &[Figure],
    (interval, bars, resets): (Interval, &[EnergyBar], &Resets),
    others: &[Lines],
) -> String {
    let values = || bars.iter().map(|bar| bar.watthours);
    let own = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let (least, most) = beside::ends(others, own);
    let scale = picture.scale(least, most, Units::Watthours);
    let mut calendar = Calendar::new(picture.wording.zone.clone(), interval);
    let buckets = bars.iter().map(|bar| (calendar.bucket(bar.start), *bar));
    let buckets: Vec<(TimeRange, EnergyBar)> = buckets.collect();
    let points = || bars::json_of(buckets.iter().map(|(bucket, bar)| (*bucket, bar.watthours)));
    let mut frame = picture.frame(ChartKind::Energy, Some(interval), figures, &scale, points);
    bars::draw_linked(&mut frame, picture, &buckets, |frame, (bucket, bar)| {
        let title = bar.in_words(interval, picture.wording);
        draw_bar(frame, &scale, *bucket, bar, &title);
    });
    for reset in &resets.first {
        // The range that was read can be wider than the one that is shown.
        if picture.range.contains(reset.time) {
            mark_reset(&mut frame, picture, reset);
        }
    }
    beside::draw(&mut frame, &scale, others);
    frame.svg.finish()
}

fn draw_bar(
    frame: &mut ChartFrame,
    scale: &ValueScale,
    bucket: TimeRange,
    bar: &EnergyBar,
    title: &str,
) {
    let plot = frame.plot;
    let (x, width) = bars::place(frame, bucket);
    let (zero, end) = (scale.y(0.0, plot), scale.y(bar.watthours, plot));
    let is_given = bar.watthours < 0.0;
    let class = if is_given {
        "chart-bar-give"
    } else {
        "chart-bar"
    };
    // A bar of almost nothing must be visible, too.
    let least_height = if bar.watthours == 0.0 { 0.0 } else { 0.5 };
    let height = (zero - end).abs().max(least_height);
    // The least height could push a bar over the edge of the plot.
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
    // Browsers show the title of a shape under the pointer.
    frame.svg.text("title", &[], title);
    frame.svg.close();
    if bar.is_estimated() {
        // At the bar's far end, the share that is estimated.
        let hatched = height * bar.estimated;
        let y = if is_given { y + height - hatched } else { y };
        frame.hatched("chart-estimated", (x, y), (width, hatched), title);
    }
}

fn mark_reset(frame: &mut ChartFrame, picture: &Picture<'_>, reset: &Reset) {
    let plot = frame.plot;
    // In the middle of a pixel, so that the thin line does not cover two.
    let x = frame.times.x(reset.time).floor() + 0.5;
    // At the right edge, the middle of the pixel could lie outside.
    let x = x.min(plot.left + plot.width);
    let mut line = Path::EMPTY;
    line.line([(x, plot.top), (x, plot.top + plot.height)]);
    let attributes: [(&str, &dyn Display); 2] = [("class", &"chart-reset"), ("d", &line.as_str())];
    frame.svg.open("path", &attributes);
    let energy = |watthours| quantity(watthours, Units::Watthours, picture.wording.language);
    let time = picture.wording.moment(reset.time);
    let values = [
        ("time", time.into()),
        ("before", energy(reset.before).into()),
        ("after", energy(reset.after).into()),
    ];
    let text = picture.wording.language.fill("chart-reset", values);
    frame.svg.text("title", &[], &text);
    frame.svg.close();
}
