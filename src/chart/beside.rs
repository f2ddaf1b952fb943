//! Further sensors in a chart of one: a line for each, with a colour and dashes of its own.

use super::frame::ChartFrame;
use super::scales::ValueScale;
use super::svg::{Path, Svg};
use crate::domain::Timestamp;

/// The colours, each with at least 3:1 on light and on dark ground, and the dashes.
const STYLES: [(&str, &str); 4] = [
    ("#c0408f", ""),
    ("#0f8a8a", "7 3"),
    ("#7f7f18", "2 3"),
    ("#8a63d2", "9 3 2 3"),
];

/// The most lines: more would look alike.
pub(super) const MOST: usize = STYLES.len();

/// The values of a further sensor: its stretches without gaps.
pub(super) type Lines = Vec<Vec<(Timestamp, f64)>>;

/// The least and the greatest value of these and of all others.
pub(super) fn ends(others: &[Lines], own: (f64, f64)) -> (f64, f64) {
    let values = others.iter().flatten().flatten().map(|(_, value)| *value);
    values.fold(own, |(least, most), value| {
        (least.min(value), most.max(value))
    })
}

/// Draws the lines of all others.
pub(super) fn draw(frame: &mut ChartFrame, scale: &ValueScale, others: &[Lines]) {
    for (lines, style) in others.iter().zip(STYLES) {
        let mut path = Path::EMPTY;
        for line in lines {
            let place = |(time, value): &(Timestamp, f64)| {
                (frame.times.x(*time), scale.y(*value, frame.plot))
            };
            path.line(line.iter().map(place));
        }
        draw_line(&mut frame.svg, &path, style);
    }
}

/// The line of one of the others beside its name, as SVG.
#[must_use]
pub(super) fn sample(nth: usize) -> String {
    let mut svg = Svg::new();
    svg.open(
        "svg",
        &[("width", &28), ("height", &10), ("aria-hidden", &"true")],
    );
    let mut path = Path::EMPTY;
    path.line([(0.0, 5.0), (28.0, 5.0)]);
    let style = STYLES.get(nth).copied().unwrap_or_default();
    draw_line(&mut svg, &path, style);
    svg.finish()
}

fn draw_line(svg: &mut Svg, path: &Path, (colour, dashes): (&str, &str)) {
    if !path.is_empty() {
        svg.empty(
            "path",
            &[
                ("class", &"beside"),
                ("fill", &"none"),
                ("stroke", &colour),
                ("stroke-width", &2),
                ("stroke-dasharray", &dashes),
                ("d", &path.as_str()),
            ],
        );
    }
}
