//! The flows of a house as stacked bars: the sources of its consumption above zero, the energy that
//! left it below zero. A thin line behind shows the range before.

use super::bars;
use super::data::ChartKind;
use super::day_marks::DayMarks;
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::scales::ValueScale;
use super::svg::{Path, Px};
use crate::domain::{Interval, TimeRange};
use crate::query::Units;

/// A picture of the flows of a house.
#[derive(Clone, Copy, Debug)]
pub struct FlowChart<'a> {
    /// How it is drawn.
    pub picture: Picture<'a>,
    /// The length of a bar.
    pub interval: Interval,
    /// The bars, in time order.
    pub bars: &'a [FlowBar],
    /// A description for people who cannot see the picture.
    pub figures: &'a [Figure],
    /// The marks of a picture of today.
    pub day: Option<DayMarks<'a>>,
}

/// A bar. Energies are in watt-hours; those that are not positive are not drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowBar {
    /// From its first millisecond to its last.
    pub time: TimeRange,
    /// Its values in words.
    pub words: String,
    /// The sources of the consumption, from the bottom up.
    pub above: [(FlowKind, f64); 3],
    /// The energy that left the house or was stored, from zero down.
    pub below: [(FlowKind, f64); 2],
    /// The consumption in the same bar of the range before, if it is known.
    pub before: Option<f64>,
}

/// The kind of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// From the panels.
    Solar,
    /// From a battery.
    Battery,
    /// From the grid.
    Grid,
    /// Into the grid.
    Exported,
    /// Into a battery.
    Charged,
}

impl FlowKind {
    /// The class of its shapes.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Solar => "flow-solar",
            Self::Battery => "flow-battery",
            Self::Grid => "flow-grid",
            Self::Exported => "flow-exported",
            Self::Charged => "flow-charged",
        }
    }
}

impl FlowBar {
    fn sum(parts: &[(FlowKind, f64)]) -> f64 {
        parts.iter().map(|(_, energy)| energy.max(0.0)).sum()
    }
}

impl FlowChart<'_> {
    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let most = |bar: &FlowBar| FlowBar::sum(&bar.above).max(bar.before.unwrap_or(0.0));
        let greatest = self.bars.iter().map(most).fold(0.0, f64::max);
        let deepest = self.bars.iter().map(|bar| FlowBar::sum(&bar.below));
        let scale = self
            .picture
            .scale(-deepest.fold(0.0, f64::max), greatest, Units::Watthours);
        let height = |bar: &FlowBar| match (FlowBar::sum(&bar.above), bar.before) {
            // The range before supplies the scale where nothing is known yet.
            (0.0, Some(before)) => before,
            (used, _) => used,
        };
        let points = || bars::json_of(self.bars.iter().map(|bar| (bar.time, height(bar))));
        let by = Some(self.interval);
        let mut frame = self
            .picture
            .frame(ChartKind::Energy, by, self.figures, &scale, points);
        if let Some(day) = self.day {
            day.draw_behind(&mut frame);
        }
        bars::draw_linked(&mut frame, &self.picture, self.bars, |frame, bar| {
            draw_bar(frame, &scale, bar);
        });
        draw_before(&mut frame, &scale, self.bars);
        if let Some(day) = self.day {
            day.draw_before(&mut frame);
        }
        frame.svg.finish()
    }
}

fn draw_bar(frame: &mut ChartFrame, scale: &ValueScale, bar: &FlowBar) {
    let plot = frame.plot;
    let (x, width) = bars::place(frame, bar.time);
    frame.svg.open("g", &[("class", &"flow-bar")]);
    frame.svg.text("title", &[], &bar.words);
    for (parts, sign) in [(&bar.above[..], 1.0), (&bar.below[..], -1.0)] {
        let mut from = 0.0;
        for (kind, energy) in parts.iter().filter(|(_, energy)| *energy > 0.0) {
            let to = from + energy;
            let (one, other) = (scale.y(sign * from, plot), scale.y(sign * to, plot));
            let (y, height) = (one.min(other), (one - other).abs());
            frame.svg.empty(
                "rect",
                &[
                    ("class", &kind.class()),
                    ("x", &Px(x)),
                    ("y", &Px(y)),
                    ("width", &Px(width)),
                    ("height", &Px(height)),
                ],
            );
            from = to;
        }
    }
    frame.svg.close();
}

/// A step for each bar with known energy; adjacent steps are joined.
fn draw_before(frame: &mut ChartFrame, scale: &ValueScale, bars: &[FlowBar]) {
    let plot = frame.plot;
    let mut path = Path::EMPTY;
    for run in bars.split(|bar| bar.before.is_none()) {
        let steps = run.iter().flat_map(|bar| {
            let y = scale.y(bar.before.unwrap_or(0.0), plot);
            [bar.time.start(), bar.time.end()].map(|time| (frame.times.x(time), y))
        });
        let steps: Vec<(f64, f64)> = steps.collect();
        if !steps.is_empty() {
            path.line(steps);
        }
    }
    frame.path("flow-before", &path);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Look;
    use crate::chart::tests::{at, checked, numbers, of_class, picture, range};
    use crate::domain::Zone;

    #[test]
    fn bars_are_stacked_from_zero() {
        let range = range("2026-01-05T00:00:00", "2026-01-05T03:00:00");
        let hour = |hour: i64| {
            let start = at("2026-01-05T00:00:00").saturating_add_millis(hour * 3_600_000);
            TimeRange::new(start, start.saturating_add_millis(3_599_999)).unwrap()
        };
        let bar = |nth, [solar, grid, exported]: [f64; 3], before| FlowBar {
            time: hour(nth),
            words: format!("<{nth}>"),
            above: [
                (FlowKind::Solar, solar),
                (FlowKind::Battery, -1.0),
                (FlowKind::Grid, grid),
            ],
            below: [(FlowKind::Exported, exported), (FlowKind::Charged, 0.0)],
            before,
        };
        let bars = [
            bar(0, [300.0, 200.0, 100.0], Some(400.0)),
            bar(1, [0.0, 100.0, 0.0], None),
            bar(2, [0.0, 100.0, 0.0], Some(300.0)),
        ];
        let zone = Zone::UTC;
        let chart = FlowChart {
            picture: picture(&zone, "House", range, Look::Inline),
            interval: Interval::Hour,
            bars: &bars,
            figures: &[],
            day: None,
        };
        let svg = chart.draw();
        let document = checked(&svg, (720, 280));
        let number = |node: &roxmltree::Node<'_, '_>, name| -> f64 {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let [solar] = of_class(&document, "flow-solar")[..] else {
            panic!("{svg}")
        };
        let [grid, _, last] = of_class(&document, "flow-grid")[..] else {
            panic!("{svg}")
        };
        let [exported] = of_class(&document, "flow-exported")[..] else {
            panic!("{svg}")
        };
        // Only positive values are drawn.
        assert!(of_class(&document, "flow-battery").is_empty() && !svg.contains("flow-charged"));
        let near = |a: f64, b: f64| (a - b).abs() < 0.3;
        let (y, height) = (|it| number(&it, "y"), |it| number(&it, "height"));
        // The grid's part is on top of the panels' part, the export below zero.
        assert!(near(y(grid) + height(grid), y(solar)), "{svg}");
        assert!(near(y(solar) + height(solar), y(exported)), "{svg}");
        assert!(near(height(solar), 3.0 * height(exported)), "{svg}");
        assert!(near(height(grid), 2.0 * height(last)), "{svg}");
        assert!(number(&last, "x") > number(&grid, "x"));
        // Two steps, with a gap between them where nothing is known.
        let before = of_class(&document, "flow-before")[0]
            .attribute("d")
            .unwrap()
            .to_owned();
        assert_eq!(before.matches('M').count(), 2, "{before}");
        let before = numbers(&before);
        assert!(
            y(grid) < before[1] && before[1] < y(solar),
            "400 of 500: {before:?}"
        );
        assert!(svg.contains("<title>&lt;0&gt;</title>"), "{svg}");
    }
}
