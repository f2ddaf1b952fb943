//! The parts that all charts have: size and look, title and description, axes.

use std::fmt::Display;

use super::data::ChartKind;
use super::dates::Wording;
use super::figure::{Figure, in_words};
use super::scales::{Plot, ValueScale};
use super::size::PictureSize;
use super::svg::{Path, Px, Svg};
use super::times::TimeScale;
use crate::domain::{Interval, TimeRange};
use crate::query::Units;

/// The style sheet of a standalone picture.
const STYLE: &str = include_str!("chart.css");

/// The subject of a picture, and its size and look.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The name of the subject; any text.
    pub name: &'a str,
    /// How its words, numbers and times are written.
    pub wording: Wording<'a>,
    /// The range from its left to its right edge.
    pub range: TimeRange,
    /// How large it is.
    pub size: PictureSize,
    /// Where it will be shown.
    pub look: Look,
    /// The addresses that the bars lead to, one for each; none if the bars are no links.
    pub links: &'a [String],
}

/// Where a picture will be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// In a page, which styles its classes. Scripts find its values in its `data-` attributes.
    Inline,
    /// By itself, with a style sheet in it.
    Standalone(Theme),
}

/// The colours of a standalone picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Light or dark, as the viewer's system prefers.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The kind of a picture's values.
#[derive(Clone, Copy)]
enum Subject {
    Readings(ChartKind),
    Prices,
}

impl Subject {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Readings(kind) => kind.as_str(),
            Self::Prices => "prices",
        }
    }
}

/// A picture with its axes, before the values are drawn.
pub(super) struct ChartFrame {
    pub(super) svg: Svg,
    pub(super) plot: Plot,
    pub(super) times: TimeScale,
    /// The id of its hatching.
    hatch: String,
}

/// The height of the labels of time and the space under them.
const BELOW_PX: f64 = 26.0;
const ABOVE_PX: f64 = 10.0;
const RIGHT_PX: f64 = 12.0;

impl Picture<'_> {
    /// The height of the plot, in pixels.
    pub(super) fn plot_height(&self) -> f64 {
        f64::from(self.size.height()) - ABOVE_PX - BELOW_PX
    }

    /// Begins a picture of values: title, description and axes, whose labels name bars of an
    /// interval, if there are bars. `points` are its data for scripts.
    pub(super) fn frame(
        &self,
        kind: ChartKind,
        bars: Option<Interval>,
        figures: &[Figure],
        values: &ValueScale,
        points: impl FnOnce() -> String,
    ) -> ChartFrame {
        // Only pages have scripts; a standalone picture needs no data for them.
        let points = (self.look == Look::Inline).then(points);
        let subject = Subject::Readings(kind);
        self.begin((subject, bars), figures, Some(values), points.as_deref())
    }

    /// Begins a picture of prices; `points` are its data for scripts.
    pub(super) fn price_frame(
        &self,
        figures: &[Figure],
        values: &ValueScale,
        points: &str,
    ) -> ChartFrame {
        let subject = (Subject::Prices, None);
        self.begin(subject, figures, Some(values), Some(points))
    }

    /// The picture of a range without readings.
    pub(super) fn without_readings(&self, kind: ChartKind) -> String {
        let subject = Subject::Readings(kind);
        let ChartFrame { mut svg, plot, .. } = self.begin((subject, None), &[], None, None);
        let middle = (plot.left + plot.width / 2.0, plot.top + plot.height / 2.0);
        svg.label(
            "chart-none",
            middle,
            "middle",
            &self.wording.language.say("chart-none"),
        );
        svg.finish()
    }

    /// The scale of values from `least` to `greatest` in this picture.
    pub(super) fn scale(
        &self,
        least: f64,
        greatest: f64,
        units: impl Into<Option<Units>>,
    ) -> ValueScale {
        ValueScale::new(least, greatest, self.plot_height(), units.into())
    }

    fn begin(
        &self,
        (subject, bars): (Subject, Option<Interval>),
        figures: &[Figure],
        values: Option<&ValueScale>,
        points: Option<&str>,
    ) -> ChartFrame {
        let value_ticks = values
            .map(|it| it.ticks(self.wording.language))
            .unwrap_or_default();
        let longest = value_ticks.iter().map(|(_, label)| label.chars().count());
        let longest = u32::try_from(longest.max().unwrap_or(0)).unwrap_or(0);
        // A digit is about six pixels wide. Long labels must leave room for the plot.
        let left = (f64::from(longest) * 6.8 + 12.0).min(f64::from(self.size.width()) / 2.0);
        let plot = Plot {
            left,
            top: ABOVE_PX,
            width: f64::from(self.size.width()) - left - RIGHT_PX,
            height: self.plot_height(),
        };
        let mut frame = ChartFrame {
            svg: Svg::new(),
            plot,
            times: TimeScale {
                range: self.range,
                plot,
            },
            // A page shows one picture of each kind and width.
            hatch: format!("hatch-{}-{}", subject.as_str(), self.size.width()),
        };
        self.open(&mut frame.svg, plot, points.zip(values));
        let [start, end] =
            [self.range.start(), self.range.end()].map(|time| self.wording.moment(time));
        let parts = [
            ("name", self.name.into()),
            ("start", start.into()),
            ("end", end.into()),
        ];
        let title = match subject {
            Subject::Readings(ChartKind::Power) => {
                self.wording.language.fill("chart-title-power", parts)
            }
            Subject::Readings(ChartKind::Energy) => {
                self.wording.language.fill("chart-title-energy", parts)
            }
            Subject::Prices => self.wording.language.fill("chart-title-prices", parts),
        };
        frame.svg.text("title", &[], &title);
        frame
            .svg
            .text("desc", &[], &in_words(figures, self.wording.language));
        if let Look::Standalone(_) = self.look {
            frame.svg.style(STYLE);
        }
        frame.pattern();
        frame.value_axis(values, &value_ticks);
        self.time_axis(&mut frame, bars);
        frame
    }

    fn open(&self, svg: &mut Svg, plot: Plot, points: Option<(&str, &ValueScale)>) {
        let (width, height) = (self.size.width(), self.size.height());
        let view_box = format!("0 0 {width} {height}");
        let class = match self.look {
            Look::Inline => "chart",
            Look::Standalone(Theme::Auto) => "chart chart-auto",
            Look::Standalone(Theme::Light) => "chart chart-light",
            Look::Standalone(Theme::Dark) => "chart chart-dark",
        };
        let plot = format!("{} {} {} {}", plot.left, plot.top, plot.width, plot.height);
        let zone = self.wording.zone.name();
        // Links in an image could not be reached.
        let role = if self.links.is_empty() {
            "img"
        } else {
            "group"
        };
        let ends = points.map(|(_, scale)| scale.ends());
        // With an exponent: `Display` would write 1e300 with 300 zeros.
        let values = ends.map(|(low, high)| format!("{low:e} {high:e}"));
        let mut attributes: Vec<(&str, &dyn Display)> = vec![
            // Needed by a file of its own: HTML parsers imply it, XML parsers do not.
            ("xmlns", &"http://www.w3.org/2000/svg"),
            ("class", &class),
            ("viewBox", &view_box),
            ("width", &width),
            ("height", &height),
            ("role", &role),
        ];
        if let (Some((points, _)), Some(values)) = (&points, &values) {
            attributes.push(("data-plot", &plot));
            attributes.push(("data-values", values));
            attributes.push(("data-zone", &zone));
            attributes.push(("data-points", points));
        }
        svg.open("svg", &attributes);
    }

    fn time_axis(&self, frame: &mut ChartFrame, bars: Option<Interval>) {
        let bottom = frame.plot.top + frame.plot.height;
        let ticks = match bars {
            Some(interval) => frame.times.bar_ticks(self.wording, interval),
            None => frame.times.ticks(self.wording),
        };
        let mut marks = Path::EMPTY;
        for tick in ticks {
            if tick.is_moment {
                let px = tick.x.floor() + 0.5;
                marks.line([(px, bottom), (px, bottom + 4.0)]);
            }
            // Half of the label at seven pixels a character, as SVG cannot measure text without a
            // browser.
            let half = f64::from(u32::try_from(tick.label.chars().count()).unwrap_or(0)) * 3.5;
            // The first and the last label must not be cut.
            let most = f64::from(self.size.width()) - half - 1.0;
            let class = if tick.is_major {
                "chart-tick chart-major"
            } else {
                "chart-tick"
            };
            // `clamp` panics if its ends are reversed, as with a label wider than the picture.
            let place = (tick.x.clamp(half.min(most), most), bottom + 18.0);
            frame.svg.label(class, place, "middle", &tick.label);
        }
        frame.path("chart-grid", &marks);
    }
}

impl ChartFrame {
    /// Marks a time behind what is drawn later.
    pub(super) fn pick(&mut self, picked: TimeRange) {
        let plot = self.plot;
        let [left, right] = [picked.start(), picked.end()].map(|time| self.times.x(time));
        self.svg.empty(
            "rect",
            &[
                ("class", &"chart-picked"),
                ("x", &Px(left)),
                ("y", &Px(plot.top)),
                ("width", &Px(right - left)),
                ("height", &Px(plot.height)),
            ],
        );
    }

    /// A path of some class, unless it is empty.
    pub(super) fn path(&mut self, class: &str, path: &Path) {
        if !path.is_empty() {
            let attributes: [(&str, &dyn Display); 2] = [("class", &class), ("d", &path.as_str())];
            self.svg.empty("path", &attributes);
        }
    }

    fn value_axis(&mut self, values: Option<&ValueScale>, ticks: &[(f64, String)]) {
        let plot = self.plot;
        let (right, bottom) = (plot.left + plot.width, plot.top + plot.height);
        let (mut grid, mut zero) = (Path::EMPTY, Path::EMPTY);
        for (value, label) in ticks {
            // In the middle of a pixel, so that a thin line does not cover two.
            let y = values.map_or(bottom, |scale| scale.y(*value, plot)).floor() + 0.5;
            let line = if *value == 0.0 { &mut zero } else { &mut grid };
            line.line([(plot.left, y), (right, y)]);
            let place = (plot.left - 6.0, y + 3.5);
            self.svg.label("chart-tick", place, "end", label);
        }
        if values.is_none() {
            zero.line([(plot.left, bottom), (right, bottom)]);
        }
        self.path("chart-grid", &grid);
        self.path("chart-zero", &zero);
    }

    /// A rectangle hatched by [`Self::pattern`], at a place and of a size in pixels, with a title
    /// for browsers to show.
    pub(super) fn hatched(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        title: &str,
    ) {
        let fill = format!("url(#{})", self.hatch);
        self.svg.open(
            "rect",
            &[
                ("class", &class),
                ("fill", &fill),
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("width", &Px(width)),
                ("height", &Px(height)),
            ],
        );
        self.svg.text("title", &[], title);
        self.svg.close();
    }

    /// Slanted lines for unknown or estimated energy.
    fn pattern(&mut self) {
        let id = self.hatch.clone();
        self.svg.open("defs", &[]);
        let attributes: [(&str, &dyn Display); 5] = [
            ("id", &id),
            ("width", &5),
            ("height", &5),
            ("patternUnits", &"userSpaceOnUse"),
            ("patternTransform", &"rotate(45)"),
        ];
        self.svg.open("pattern", &attributes);
        let line: [(&str, &dyn Display); 2] = [("class", &"chart-hatch"), ("d", &"M1,0 1,5")];
        self.svg.empty("path", &line);
        self.svg.close();
        self.svg.close();
    }
}
