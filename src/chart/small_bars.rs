//! Small bars without axes: several pictures below each other share a scale.

use super::svg::{Px, Svg};

/// Bars, one for each month or other part of a range.
#[derive(Clone, Copy, Debug)]
pub struct SmallBars<'a> {
    /// Each value and its description, in order of time; `None` where it is unknown.
    pub bars: &'a [(Option<f64>, String)],
    /// The lowest and the highest value of all pictures.
    pub ends: (f64, f64),
    /// A description for people who cannot see the picture.
    pub words: &'a str,
}

const WIDTH: f64 = 12.0;
const HEIGHT: f64 = 56.0;
/// A value of zero is a value, too.
const LEAST_HEIGHT: f64 = 1.0;

impl SmallBars<'_> {
    /// The picture as SVG, as wide as its place.
    #[must_use]
    pub fn draw(&self) -> String {
        let (least, most) = (self.ends.0.min(0.0), self.ends.1.max(0.0));
        let span = if most > least { most - least } else { 1.0 };
        let y = |value: f64| (most - value) / span * HEIGHT;
        let width = self.bars.iter().fold(0.0, |sum, _| sum + WIDTH);
        let view = format!("0 0 {} {HEIGHT}", Px(width.max(WIDTH)));
        let mut svg = Svg::new();
        svg.open(
            "svg",
            &[
                ("viewBox", &view),
                ("width", &"100%"),
                ("height", &HEIGHT),
                ("preserveAspectRatio", &"none"),
                ("role", &"img"),
                ("aria-label", &self.words),
            ],
        );
        // The colour of all bars of use.
        svg.open("g", &[("class", &"use-bar")]);
        let mut left = 0.0;
        for (value, words) in self.bars {
            if let Some(value) = value {
                let (zero, end) = (y(0.0), y(*value));
                svg.open(
                    "rect",
                    &[
                        ("x", &Px(left + 1.0)),
                        ("y", &Px(zero.min(end).min(HEIGHT - LEAST_HEIGHT))),
                        ("width", &Px(WIDTH - 2.0)),
                        ("height", &Px((zero - end).abs().max(LEAST_HEIGHT))),
                    ],
                );
                svg.text("title", &[], words);
                svg.close();
            }
            left += WIDTH;
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_on_zero_and_unknown_ones_are_left_out() {
        let bar = |value: Option<f64>| (value, "<1>".to_owned());
        let bars = [bar(Some(10.0)), bar(None), bar(Some(-4.0)), bar(Some(0.0))];
        let svg = SmallBars {
            bars: &bars,
            ends: (-4.0, 10.0),
            words: "\"months\"",
        }
        .draw();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let rects = document.descendants().filter(|it| it.has_tag_name("rect"));
        let numbers = rects.map(|rect| {
            let number = |name| rect.attribute(name).unwrap().parse::<f64>().unwrap();
            (number("x"), number("y"), number("height"))
        });
        let numbers: Vec<_> = numbers.collect();
        assert_eq!(
            numbers,
            [(1.0, 0.0, 40.0), (25.0, 40.0, 16.0), (37.0, 40.0, 1.0)]
        );
        let root = document.root_element();
        assert_eq!(root.attribute("viewBox"), Some("0 0 48 56"));
        assert_eq!(root.attribute("aria-label"), Some("\"months\""));
        // Without bars it is a picture, too.
        let empty = SmallBars {
            bars: &[],
            ends: (0.0, 0.0),
            words: "",
        };
        assert!(roxmltree::Document::parse(&empty.draw()).is_ok());
    }
}
