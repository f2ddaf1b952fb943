//! Hours by days: each hour of a range as a field that is the stronger, the greater its value. Values
//! below zero have another colour, and zero itself is neutral.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

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

/// The number of strengths on each side of zero.
const LEVELS: u8 = 8;
const LEFT_PX: f64 = 30.0;
const TOP_PX: f64 = 8.0;
const FIELDS_PX: f64 = 240.0;
const BELOW_PX: f64 = 24.0;
const SWATCH_PX: f64 = 12.0;

/// The colour of a field, by its sign and its distance from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HeatLevel(i8);

/// From the values to their colours.
struct HeatScale {
    /// The value of the palest colour above zero; below zero the palest one is zero itself.
    least: f64,
    most: f64,
    has_negative: bool,
}

impl HeatLevel {
    const fn class(self) -> &'static str {
        match self.0 {
            0 => "heat-zero",
            1.. => "heat-above",
            _ => "heat-below",
        }
    }

    fn strength(self) -> f64 {
        let steps = f64::from(self.0.unsigned_abs().max(1));
        if self.0 == 0 {
            1.0
        } else {
            steps / f64::from(LEVELS)
        }
    }
}

impl HeatScale {
    fn of(days: &[[Option<f64>; 24]]) -> Self {
        let known = || days.iter().flatten().flatten().copied();
        let least = known().fold(f64::INFINITY, f64::min);
        let most = known().fold(f64::NEG_INFINITY, f64::max);
        Self {
            least,
            most,
            has_negative: least < 0.0,
        }
    }

    /// Without values below zero from the palest to the strongest colour; with some, both sides have
    /// colours of their own, and zero has none.
    fn level(&self, value: f64) -> HeatLevel {
        let steps = f64::from(LEVELS);
        let level = match (self.has_negative, value == 0.0) {
            (false, _) => {
                // By halves: the difference may exceed the range of a f64.
                let span = (self.most / 2.0 - self.least / 2.0).max(f64::MIN_POSITIVE);
                let share = (value / 2.0 - self.least / 2.0) / span;
                1.0 + (share.clamp(0.0, 1.0) * (steps - 1.0)).round()
            }
            (true, true) => 0.0,
            (true, false) => {
                // One scale for both sides, so that equal distances look alike.
                let far = self.most.max(-self.least);
                let level = (value.abs() / far * steps).clamp(1.0, steps).round();
                level.copysign(value)
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "from -8 to 8")]
        let level = level as i8;
        HeatLevel(level)
    }

    /// Those between the least and the greatest value.
    fn levels(&self) -> Vec<HeatLevel> {
        if self.least > self.most {
            return Vec::new();
        }
        let (first, last) = (self.level(self.least), self.level(self.most));
        (first.0..=last.0).map(HeatLevel).collect()
    }
}

impl HeatMap<'_> {
    /// The fields, which all pictures of a page share: each is one wide and one high.
    #[must_use]
    pub fn fields(&self) -> String {
        let scale = HeatScale::of(self.days);
        let mut paths: BTreeMap<HeatLevel, String> = BTreeMap::new();
        for (day, nth) in self.days.iter().zip(0_u32..) {
            let levels = day.map(|value| value.map(|value| scale.level(value)));
            let mut hour = 0;
            // Equal ones below each other are one line.
            for run in levels.chunk_by(|a, b| a == b) {
                if let Some(level) = run.first().copied().flatten() {
                    let path = paths.entry(level).or_default();
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
        for (level, path) in &paths {
            let strength = level.strength();
            let attributes: [(&str, &dyn Display); 3] = [
                ("class", &level.class()),
                ("stroke-opacity", &strength),
                ("d", path),
            ];
            svg.empty("path", &attributes);
        }
        svg.finish()
    }

    /// The colours from the least to the greatest value, as a small picture.
    #[must_use]
    pub fn legend(&self) -> String {
        let scale = HeatScale::of(self.days);
        let all = scale.levels();
        let width = f64::from(u32::try_from(all.len()).unwrap_or(0)) * SWATCH_PX;
        let view_box = format!("0 0 {} {}", Px(width), Px(SWATCH_PX));
        let mut svg = Svg::new();
        svg.open(
            "svg",
            &[
                ("class", &"heat"),
                ("viewBox", &view_box),
                ("width", &Px(width)),
                ("height", &Px(SWATCH_PX)),
                ("aria-hidden", &"true"),
            ],
        );
        let mut x = SWATCH_PX / 2.0;
        for level in all {
            let d = format!("M{},0v{}", Px(x), Px(SWATCH_PX));
            let strength = level.strength();
            let attributes: [(&str, &dyn Display); 4] = [
                ("class", &level.class()),
                ("stroke-width", &Px(SWATCH_PX)),
                ("stroke-opacity", &strength),
                ("d", &d),
            ];
            svg.empty("path", &attributes);
            x += SWATCH_PX;
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
        // Eight colours, from the palest on.
        assert_eq!(map.legend().matches("heat-above").count(), 8);
        let mixed = [Some(-10.0), Some(0.0), Some(20.0), None];
        let mut day = [None; 24];
        day[..4].copy_from_slice(&mixed);
        let below = HeatMap {
            days: &[day],
            ..map
        };
        let fields = below.fields();
        let document = roxmltree::Document::parse(&fields).unwrap();
        let classes = document
            .descendants()
            .filter_map(|it| Some((it.attribute("class")?, it.attribute("stroke-opacity")?)));
        let classes: Vec<_> = classes.collect();
        assert_eq!(
            classes,
            [
                ("heat-below", "0.5"),
                ("heat-zero", "1"),
                ("heat-above", "1")
            ]
        );
        assert_eq!(below.legend().matches("<path").count(), 4 + 1 + 8);
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
