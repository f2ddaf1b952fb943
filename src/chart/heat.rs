//! Hours by days: each hour of a range as a field that is the stronger, the greater its value.

use std::fmt::Write as _;

use super::dates::Wording;
use super::scales::Plot;
use super::svg::{Px, Svg};
use super::times::TimeScale;
use crate::domain::{Interval, TimeRange};

/// A picture of hours by days.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap<'a> {
    /// Its description for people who cannot see it.
    pub title: &'a str,
    /// How its times are written.
    pub wording: Wording<'a>,
    /// From the first midnight to the last one.
    pub range: TimeRange,
    /// The values of each day by the hour; `None` where nothing is known.
    pub days: &'a [[Option<f64>; 24]],
}

/// The number of strengths.
const LEVELS: u8 = 8;
const LEFT_PX: f64 = 30.0;
const TOP_PX: f64 = 8.0;
const FIELDS_PX: f64 = 240.0;
const BELOW_PX: f64 = 24.0;

impl HeatMap<'_> {
    /// The fields, which all pictures of a page share: each is one wide and one high.
    #[must_use]
    pub fn fields(&self) -> String {
        let known = || self.days.iter().flatten().flatten().copied();
        let least = known().fold(f64::INFINITY, f64::min);
        let most = known().fold(f64::NEG_INFINITY, f64::max);
        let level = |value: f64| -> u8 {
            // By halves: the difference may exceed the range of a f64.
            let share =
                (value / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0).max(f64::MIN_POSITIVE);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "less than the number of levels"
            )]
            let level = (share.clamp(0.0, 1.0) * f64::from(LEVELS - 1)).round() as u8;
            level
        };
        let mut paths = vec![String::new(); usize::from(LEVELS)];
        for (day, nth) in self.days.iter().zip(0_u32..) {
            let levels = day.map(|value| value.map(level));
            let mut hour = 0;
            // Equal ones below each other are one line.
            for run in levels.chunk_by(|a, b| a == b) {
                let path = run.first().copied().flatten();
                let path = path.and_then(|level| paths.get_mut(usize::from(level)));
                if let Some(path) = path {
                    // Writing to a String cannot fail.
                    let _ = write!(path, "M{nth}.5,{hour}v{}", run.len());
                }
                hour += run.len();
            }
        }
        let mut svg = Svg::new();
        svg.open("svg", &[("class", &"hidden"), ("aria-hidden", &"true")]);
        svg.open("defs", &[]);
        svg.open("g", &[("id", &"hours"), ("shape-rendering", &"crispEdges")]);
        for (path, nth) in paths.iter().zip(1_u8..) {
            if !path.is_empty() {
                let strength = f64::from(nth) / f64::from(LEVELS);
                svg.empty("path", &[("stroke-opacity", &strength), ("d", path)]);
            }
        }
        svg.finish()
    }

    /// The picture as SVG, for a place about as wide as this; [`Self::fields`] must be on its page.
    #[must_use]
    pub fn draw(&self, width: u16) -> String {
        let width = f64::from(width);
        let plot = Plot {
            left: LEFT_PX,
            top: TOP_PX,
            width: width - LEFT_PX - 6.0,
            height: FIELDS_PX,
        };
        let mut svg = Svg::new();
        let bottom = TOP_PX + FIELDS_PX;
        let view_box = format!("0 0 {} {}", Px(width), Px(bottom + BELOW_PX));
        svg.open(
            "svg",
            &[
                ("class", &"chart"),
                ("viewBox", &view_box),
                ("role", &"img"),
            ],
        );
        svg.text("title", &[], self.title);
        let days = u32::try_from(self.days.len().max(1)).map_or(1.0, f64::from);
        let (x, y) = (plot.width / days, plot.height / 24.0);
        let place = format!("translate({},{}) scale({x:.5},{y:.5})", plot.left, plot.top);
        svg.empty(
            "use",
            &[
                ("class", &"hours"),
                ("href", &"#hours"),
                ("transform", &place),
            ],
        );
        for hour in [0_u8, 6, 12, 18, 24] {
            let at = (plot.left - 5.0, plot.top + f64::from(hour) * y + 4.0);
            svg.label("chart-tick", at, "end", &hour.to_string());
        }
        let times = TimeScale {
            range: self.range,
            plot,
        };
        // Of many days only the months have room for a name.
        let by = if self.days.len() > 62 {
            Interval::Month
        } else {
            Interval::Day
        };
        for tick in times.bar_ticks(self.wording, by) {
            let half = f64::from(u32::try_from(tick.label.chars().count()).unwrap_or(0)) * 3.5;
            let most = width - half - 1.0;
            let at = (tick.x.clamp(half.min(most), most), bottom + 16.0);
            svg.label("chart-tick", at, "middle", &tick.label);
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::range;
    use crate::domain::Zone;
    use crate::texts::Language;

    #[test]
    fn equal_hours_are_one_line_and_unknown_ones_none() {
        let zone = Zone::UTC;
        let mut day = [Some(0.0); 24];
        day[12] = Some(700.0);
        day[13] = None;
        let map = HeatMap {
            title: "Power <by the hour>",
            wording: Wording::new(&zone, Language::english()),
            range: range("2026-01-05T00:00:00", "2026-01-07T00:00:00"),
            days: &[day, [Some(350.0); 24]],
        };
        let fields = map.fields();
        let document = roxmltree::Document::parse(&fields).unwrap();
        let paths = document.descendants().filter_map(|it| it.attribute("d"));
        let paths: Vec<&str> = paths.collect();
        assert_eq!(paths, ["M0.5,0v12M0.5,14v10", "M1.5,0v24", "M0.5,12v1"]);
        for width in [340, 1_040] {
            let svg = map.draw(width);
            assert!(svg.contains("Power &lt;by the hour&gt;"), "{svg}");
            assert!(svg.contains("href=\"#hours\""), "{svg}");
        }
        // Nothing known, and no days at all.
        for days in [&[[None; 24]][..], &[]] {
            assert!(!HeatMap { days, ..map }.fields().contains("<path"));
        }
    }
}
