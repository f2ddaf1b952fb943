//! Power as a line with what is under it, or as a band from least to greatest with the mean in it.

use super::drawn::{Figure, in_words};
use super::frame::{Frame, Picture};
use super::quantity::quantity;
use super::scales::{ValueScale, moment};
use super::svg::Path;
use crate::domain::time::Timestamp;
use crate::query::power::{Column, Course, Power};
use crate::query::{Point, Units};

/// Power over a range.
#[derive(Clone, Copy, Debug)]
pub struct PowerChart<'a> {
    /// What it is of, and how it is drawn.
    pub picture: Picture<'a>,
    /// The power in the range, if there is any.
    pub power: Option<&'a Power>,
    /// The energy of the range in watt-hours, where it is known: a number beside the picture.
    pub watthours: Option<f64>,
}

/// A column or a reading on the picture.
struct Mark {
    /// Where it is: the middle.
    x: f64,
    column: Column,
}

impl PowerChart<'_> {
    /// Mean, peak, least and energy; none where there are no readings.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let Some(power) = self.power else {
            return Vec::new();
        };
        let at = |label, point: Point| {
            let time = moment(point.time, self.picture.zone);
            Figure::new(label, quantity(point.value, Units::Watts), Some(time))
        };
        let mut figures = vec![
            Figure::new("Mean", quantity(power.mean, Units::Watts), None),
            at("Peak", power.peak),
            at("Least", power.least),
        ];
        let energy = self
            .watthours
            .map(|watthours| quantity(watthours, Units::Watthours));
        figures.extend(energy.map(|energy| Figure::new("Energy", energy, None)));
        figures
    }

    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let picture = &self.picture;
        let title = format!("Power of {}, {}", picture.name, picture.range_text());
        let Some(power) = self.power else {
            return picture
                .frame(&title, &in_words(&self.figures()), None, None)
                .without_readings();
        };
        let height = picture.plot_height();
        let scale = ValueScale::new(power.least.value, power.peak.value, height, Units::Watts);
        let columns = columns(&power.course);
        let points = match picture.look {
            super::Look::Inline => Some(points_json(&power.course)),
            super::Look::Standalone(_) => None,
        };
        let mut frame = picture.frame(
            &title,
            &in_words(&self.figures()),
            Some(&scale),
            points.as_deref(),
        );
        let limit_ms = gap_ms(&columns, &power.course);
        let marks: Vec<Mark> = columns
            .into_iter()
            .map(|column| {
                let middle_ms = (column.last.millis() - column.first.millis()) / 2;
                let x = frame.times.x(column.first.saturating_add_millis(middle_ms));
                Mark { x, column }
            })
            .collect();
        let is_after_gap =
            |a: &Mark, b: &Mark| b.column.first.millis() - a.column.last.millis() > limit_ms;
        let is_band = matches!(power.course, Course::Columns(_));
        let stretches: Vec<&[Mark]> = marks.chunk_by(|a, b| !is_after_gap(a, b)).collect();
        draw_stretches(&mut frame, &scale, &stretches, is_band);
        frame.svg.finish()
    }
}

fn draw_stretches(frame: &mut Frame, scale: &ValueScale, stretches: &[&[Mark]], is_band: bool) {
    let plot = frame.plot;
    let y = |watts: f64| scale.y(watts, plot);
    let [mut area, mut area_give, mut band, mut line, mut line_give] = [const { Path::EMPTY }; 5];
    for marks in stretches {
        let means: Vec<(f64, f64)> = marks
            .iter()
            .map(|mark| (mark.x, mark.column.mean))
            .collect();
        for (path, side) in [(&mut area, 1.0), (&mut area_give, -1.0)] {
            for part in one_side(&means, side) {
                let ends = part
                    .first()
                    .zip(part.last())
                    .map(|(a, b)| [(b.0, 0.0), (a.0, 0.0)]);
                let around = part.iter().copied().chain(ends.into_iter().flatten());
                path.shape(around.map(|(x, watts)| (x, y(watts))));
            }
        }
        if is_band {
            let up = marks.iter().map(|mark| (mark.x, y(mark.column.max)));
            let back = marks.iter().rev().map(|mark| (mark.x, y(mark.column.min)));
            band.shape(up.chain(back));
        }
        line.line(means.iter().map(|(x, watts)| (*x, y(*watts))));
        for part in one_side(&means, -1.0) {
            line_give.line(part.into_iter().map(|(x, watts)| (x, y(watts))));
        }
    }
    frame.path("chart-area", &area);
    frame.path("chart-area-give", &area_give);
    frame.path("chart-band", &band);
    frame.path("chart-line", &line);
    frame.path("chart-line-give", &line_give);
}

/// The parts of a line that are above zero, or below it, with the points where it comes and goes; none that only touches it.
fn one_side(line: &[(f64, f64)], side: f64) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut part: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, watts) in line {
        let is_in = watts * side > 0.0;
        if let Some((x0, watts0)) = before
            && is_in != (watts0 * side > 0.0)
        {
            // By halves: the difference may be more than a f64 can be. It may be nothing, too.
            let share = (watts0 / 2.0) / (watts0 / 2.0 - watts / 2.0);
            let share = if share.is_nan() { 0.0 } else { share };
            part.push((x0 + share.clamp(0.0, 1.0) * (x - x0), 0.0));
            if !is_in {
                parts.push(std::mem::take(&mut part));
            }
        }
        if is_in {
            part.push((x, watts));
        }
        before = Some((x, watts));
    }
    parts.push(part);
    parts.retain(|part| part.len() > 1);
    parts
}

fn columns(course: &Course) -> Vec<Column> {
    match course {
        Course::Columns(columns) => columns.clone(),
        Course::Readings(readings) => readings.iter().map(one).collect(),
    }
}

fn one(point: &Point) -> Column {
    Column {
        first: point.time,
        last: point.time,
        count: 1,
        mean: point.value,
        min: point.value,
        max: point.value,
    }
}

/// From how long on a time without readings is a gap: three times what is usual between two of them, five minutes at
/// least, and more than a column is wide.
fn gap_ms(columns: &[Column], course: &Course) -> i64 {
    const LEAST_MS: i64 = 5 * 60_000;
    let length = |column: &Column| column.last.millis() - column.first.millis();
    let mut spacings: Vec<i64> = match course {
        Course::Readings(readings) => {
            let pairs = readings.windows(2);
            pairs
                .filter_map(|pair| match pair {
                    [a, b] => Some(b.time.millis() - a.time.millis()),
                    _ => None,
                })
                .collect()
        }
        Course::Columns(columns) => {
            let several = columns.iter().filter(|column| column.count > 1);
            several
                .map(|column| length(column) / i64::from(column.count - 1))
                .collect()
        }
    };
    spacings.sort_unstable();
    let usual = spacings.get(spacings.len() / 2).copied().unwrap_or(0);
    let widest = columns.iter().map(length).max().unwrap_or(0);
    LEAST_MS.max(usual.saturating_mul(3)).max(widest)
}

/// What is drawn, for scripts: `{"t0":ms,"dt":[ms,..],"v":[W,..]}`, of columns `"min"` and `"max"` too. The first is at
/// `t0` plus the first of `dt`; each other one so much later than the one before.
fn points_json(course: &Course) -> String {
    let columns = columns(course);
    let first = columns
        .first()
        .map_or(Timestamp::MIN, |column| column.first);
    let mut before = first;
    let mut deltas = Vec::with_capacity(columns.len());
    for column in &columns {
        let middle_ms = (column.last.millis() - column.first.millis()) / 2;
        let time = column.first.saturating_add_millis(middle_ms);
        deltas.push(time.millis() - before.millis());
        before = time;
    }
    let values = |of: fn(&Column) -> f64| {
        columns
            .iter()
            .map(|column| tenths(of(column)))
            .collect::<Vec<f64>>()
    };
    let mut json = serde_json::json!({
        "t0": first.millis(),
        "dt": deltas,
        "v": values(|column| column.mean),
    });
    if let (Course::Columns(_), Some(object)) = (course, json.as_object_mut()) {
        object.insert("min".into(), values(|column| column.min).into());
        object.insert("max".into(), values(|column| column.max).into());
    }
    json.to_string()
}

/// A number to a tenth: more is not to be seen.
pub(super) fn tenths(number: f64) -> f64 {
    let tenths = (number * 10.0).round() / 10.0;
    if tenths.is_finite() { tenths } else { number }
}
