//! What all charts have: size and look, title and description, axes.

use std::fmt::Display;

use super::data::ChartKind;
use super::dates::moment;
use super::figure::{Figure, in_words};
use super::scales::{Plot, TimeScale, ValueScale};
use super::svg::{Path, Svg};
use crate::domain::{TimeRange, Zone};
use crate::query::Units;

/// The style sheet of a picture that stands by itself.
const STYLE: &str = include_str!("chart.css");

/// What a picture is of, and how it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The name of what is shown; any text.
    pub name: &'a str,
    /// The zone in which times are written.
    pub zone: &'a Zone,
    /// The range from its left to its right edge.
    pub range: TimeRange,
    /// How large it is.
    pub size: PictureSize,
    /// Where it will be shown.
    pub look: Look,
}

/// Width and height, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    width: u16,
    height: u16,
}

/// Where a picture will be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// In a page, which styles its classes. Scripts find what is drawn in its `data-` attributes.
    Inline,
    /// By itself, with a style sheet in it.
    Standalone(Theme),
}

/// The colours of a picture that stands by itself.
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

impl PictureSize {
    /// The allowed widths, in pixels.
    pub const WIDTHS: std::ops::RangeInclusive<u16> = 200..=2_400;
    /// The allowed heights, in pixels.
    pub const HEIGHTS: std::ops::RangeInclusive<u16> = 100..=1_600;

    /// A size; `None` if it is too small for axes or larger than a screen: see [`Self::WIDTHS`] and [`Self::HEIGHTS`].
    #[must_use]
    pub fn new(width: u16, height: u16) -> Option<Self> {
        let fits = Self::WIDTHS.contains(&width) && Self::HEIGHTS.contains(&height);
        fits.then_some(Self { width, height })
    }

    /// Its height, in pixels.
    #[must_use]
    pub const fn height(self) -> u16 {
        self.height
    }

    /// Its width, in pixels.
    #[must_use]
    pub const fn width(self) -> u16 {
        self.width
    }
}

impl Default for PictureSize {
    fn default() -> Self {
        Self {
            width: 720,
            height: 280,
        }
    }
}

/// A picture with its axes, before the values are drawn.
pub(super) struct ChartFrame {
    pub(super) svg: Svg,
    pub(super) plot: Plot,
    pub(super) times: TimeScale,
}

/// The height of the labels of time and the space under them.
const BELOW_PX: f64 = 24.0;
const ABOVE_PX: f64 = 10.0;
const RIGHT_PX: f64 = 12.0;

impl Picture<'_> {
    /// The height of the plot, in pixels.
    pub(super) fn plot_height(&self) -> f64 {
        f64::from(self.size.height) - ABOVE_PX - BELOW_PX
    }

    /// Begins a picture of values: title, description and axes. `points` are its data for scripts.
    pub(super) fn frame(
        &self,
        kind: ChartKind,
        figures: &[Figure],
        values: &ValueScale,
        points: impl FnOnce() -> String,
    ) -> ChartFrame {
        // Only pages have scripts; a picture by itself would carry the data of thousands of points for nobody.
        let points = (self.look == Look::Inline).then(points);
        self.begin(kind, figures, Some(values), points.as_deref())
    }

    /// The picture of a range without readings.
    pub(super) fn without_readings(&self, kind: ChartKind) -> String {
        let ChartFrame { mut svg, plot, .. } = self.begin(kind, &[], None, None);
        let middle = (plot.left + plot.width / 2.0, plot.top + plot.height / 2.0);
        svg.label("chart-none", middle, "middle", "No readings in this range");
        svg.finish()
    }

    /// The scale of values from `least` to `greatest` in this picture.
    pub(super) fn scale(&self, least: f64, greatest: f64, units: Units) -> ValueScale {
        ValueScale::new(least, greatest, self.plot_height(), units)
    }

    fn begin(
        &self,
        kind: ChartKind,
        figures: &[Figure],
        values: Option<&ValueScale>,
        points: Option<&str>,
    ) -> ChartFrame {
        let value_ticks = values.map(ValueScale::ticks).unwrap_or_default();
        let longest = value_ticks.iter().map(|(_, label)| label.chars().count());
        let longest = u32::try_from(longest.max().unwrap_or(0)).unwrap_or(0);
        // A digit is about six pixels wide. Long labels must leave room for the plot.
        let left = (f64::from(longest) * 6.8 + 12.0).min(f64::from(self.size.width) / 2.0);
        let plot = Plot {
            left,
            top: ABOVE_PX,
            width: f64::from(self.size.width) - left - RIGHT_PX,
            height: self.plot_height(),
        };
        let mut frame = ChartFrame {
            svg: Svg::new(),
            plot,
            times: TimeScale {
                range: self.range,
                plot,
            },
        };
        self.open(&mut frame.svg, plot, points.zip(values));
        let [start, end] =
            [self.range.start(), self.range.end()].map(|time| moment(time, self.zone));
        let title = format!("{} of {}, {start} to {end}", kind.title(), self.name);
        frame.svg.text("title", &[], &title);
        frame.svg.text("desc", &[], &in_words(figures));
        if let Look::Standalone(_) = self.look {
            frame.svg.style(STYLE);
        }
        self.axes(&mut frame, values, &value_ticks);
        frame
    }

    fn open(&self, svg: &mut Svg, plot: Plot, points: Option<(&str, &ValueScale)>) {
        let PictureSize { width, height } = self.size;
        let view_box = format!("0 0 {width} {height}");
        let class = match self.look {
            Look::Inline => "chart",
            Look::Standalone(Theme::Auto) => "chart chart-auto",
            Look::Standalone(Theme::Light) => "chart chart-light",
            Look::Standalone(Theme::Dark) => "chart chart-dark",
        };
        let plot = format!("{} {} {} {}", plot.left, plot.top, plot.width, plot.height);
        let zone = self.zone.name();
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
            ("role", &"img"),
        ];
        if let (Some((points, _)), Some(values)) = (&points, &values) {
            attributes.push(("data-plot", &plot));
            attributes.push(("data-values", values));
            attributes.push(("data-zone", &zone));
            attributes.push(("data-points", points));
        }
        svg.open("svg", &attributes);
    }

    fn axes(
        &self,
        frame: &mut ChartFrame,
        values: Option<&ValueScale>,
        value_ticks: &[(f64, String)],
    ) {
        let ChartFrame { svg, plot, times } = frame;
        let (right, bottom) = (plot.left + plot.width, plot.top + plot.height);
        let (mut grid, mut zero) = (Path::EMPTY, Path::EMPTY);
        for (value, label) in value_ticks {
            // In the middle of a pixel, so that a thin line does not cover two.
            let y = values
                .map_or(bottom, |scale| scale.y(*value, *plot))
                .floor()
                + 0.5;
            let line = if *value == 0.0 { &mut zero } else { &mut grid };
            line.line([(plot.left, y), (right, y)]);
            let place = (plot.left - 6.0, y + 3.5);
            svg.label("chart-tick", place, "end", label);
        }
        if values.is_none() {
            zero.line([(plot.left, bottom), (right, bottom)]);
        }
        for tick in times.ticks(self.zone) {
            let x = times.x(tick.time);
            let px = x.floor() + 0.5;
            grid.line([(px, bottom), (px, bottom + 4.0)]);
            // Half of the label at seven pixels a character, as SVG cannot measure text without a browser.
            let half = f64::from(u32::try_from(tick.label.chars().count()).unwrap_or(0)) * 3.5;
            // The first and the last label must not be cut.
            let most = f64::from(self.size.width) - half - 1.0;
            let class = if tick.is_major {
                "chart-tick chart-major"
            } else {
                "chart-tick"
            };
            // `clamp` panics if its ends are reversed, as with a label wider than the picture.
            let place = (x.clamp(half.min(most), most), bottom + 16.0);
            svg.label(class, place, "middle", &tick.label);
        }
        frame.path("chart-grid", &grid);
        frame.path("chart-zero", &zero);
    }
}

impl ChartFrame {
    /// A path of some class, unless it is empty.
    pub(super) fn path(&mut self, class: &str, path: &Path) {
        if !path.is_empty() {
            let attributes: [(&str, &dyn Display); 2] = [("class", &class), ("d", &path.as_str())];
            self.svg.empty("path", &attributes);
        }
    }
}
