//! Power as a line with the area under it, or as a band from least to greatest with the mean in it.

use std::fmt::Display;

use super::beside::{self, Lines};
use super::data::ChartKind;
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::points::{points_json, tenths};
use super::quantity::quantity;
use super::scales::ValueScale;
use super::svg::{Path, Px};
use crate::domain::{Between, Timestamp};
use crate::query::{Column, Course, Point, PowerProfile, Units};

pub(super) fn figures(
    picture: &Picture<'_>,
    power: &PowerProfile,
    watthours: Option<f64>,
) -> Vec<Figure> {
    let language = picture.wording.language;
    let at = |label, point: Point| {
        let time = picture.wording.moment(point.time);
        let watts = quantity(point.value, Units::Watts, language);
        Figure::new(label, watts, Some(time))
    };
    let mean = quantity(power.mean, Units::Watts, language);
    let mut figures = vec![
        Figure::new(language.say("chart-mean"), mean, None),
        at(language.say("chart-peak"), power.peak),
        at(language.say("chart-lowest"), power.least),
    ];
    let (columns, is_band) = columns_of(power);
    let gaps = stretches(&columns, gap_ms(power, &columns, is_band))
        .len()
        .saturating_sub(1);
    if gaps > 0 {
        figures.push(Figure::new(
            language.say("chart-gaps"),
            gaps.to_string(),
            None,
        ));
    }
    figures.extend(watthours.map(|watthours| {
        let energy = quantity(watthours, Units::Watthours, language);
        Figure::new(language.say("chart-energy"), energy, None)
    }));
    figures
}

pub(super) fn draw(
    picture: &Picture<'_>,
    figures: &[Figure],
    power: &PowerProfile,
    others: &[Lines],
) -> String {
    let (columns, is_band) = columns_of(power);
    let (least, most) = beside::ends(others, (power.least.value, power.peak.value));
    let scale = picture.scale(least, most, Units::Watts);
    let points = || json_of(&columns, is_band);
    let mut frame = picture.frame(ChartKind::Power, None, figures, &scale, points);
    // A line across hours without readings would invent them.
    let stretches = stretches(&columns, gap_ms(power, &columns, is_band));
    for (before, after) in stretches.iter().zip(stretches.iter().skip(1)) {
        draw_gap(&mut frame, picture, before, after);
    }
    let is_stepped = power.between == Between::Hold && !is_band;
    draw_stretches(&mut frame, &scale, &stretches, (is_band, is_stepped));
    beside::draw(&mut frame, &scale, others);
    frame.svg.finish()
}

/// The lines through the means of each stretch without gaps.
pub(super) fn lines_of(power: &PowerProfile) -> Lines {
    let (columns, is_band) = columns_of(power);
    let stretches = stretches(&columns, gap_ms(power, &columns, is_band));
    let line = |columns: &[Column]| columns.iter().map(|it| (it.middle(), it.mean)).collect();
    stretches.into_iter().map(line).collect()
}

/// The values to draw, and whether they form a band.
fn columns_of(power: &PowerProfile) -> (Vec<Column>, bool) {
    match &power.course {
        Course::Columns(columns) => (columns.clone(), true),
        // Drawn like columns of one reading each.
        Course::Readings(readings) => {
            let columns = readings.iter().map(|it| Column::of(it.time, it.value));
            (columns.collect(), false)
        }
    }
}

/// The stretches of time without gaps.
fn stretches(columns: &[Column], limit_ms: i64) -> Vec<&[Column]> {
    let stretches = columns.chunk_by(|a, b| b.first.millis() - a.last.millis() <= limit_ms);
    stretches.collect()
}

/// Hatches the time between two stretches.
fn draw_gap(frame: &mut ChartFrame, picture: &Picture<'_>, before: &[Column], after: &[Column]) {
    let (Some(last), Some(first)) = (before.last(), after.first()) else {
        return;
    };
    let (left, right) = (frame.times.x(last.last), frame.times.x(first.first));
    let size = (right - left, frame.plot.height);
    let [from, to] = [last.last, first.first].map(|time| picture.wording.moment(time));
    let values = [("start", from.into()), ("end", to.into())];
    let title = picture.wording.language.fill("chart-gap", values);
    frame.hatched("chart-gap", (left, frame.plot.top), size, &title);
}

/// Draws stretches of time without gaps.
fn draw_stretches(
    frame: &mut ChartFrame,
    scale: &ValueScale,
    stretches: &[&[Column]],
    (is_band, is_stepped): (bool, bool),
) {
    let plot = frame.plot;
    let y = |watts: f64| scale.y(watts, plot);
    let [mut area, mut area_give, mut line, mut line_give] = [const { Path::EMPTY }; 4];
    let [mut band, mut band_give] = [const { Path::EMPTY }; 2];
    for columns in stretches {
        let each = columns
            .iter()
            .map(|column| (frame.times.x(column.middle()), column));
        let mut means: Vec<(f64, f64)> = each.clone().map(|(x, column)| (x, column.mean)).collect();
        if is_stepped {
            means = steps(&means);
        }
        for (path, side) in [(&mut area, 1.0), (&mut area_give, -1.0)] {
            for part in one_side(&means, side) {
                // Back along zero, from its last point to its first one.
                let ends = part.last().into_iter().chain(part.first());
                let back = ends.map(|(x, _)| (*x, 0.0));
                let around = part.iter().copied().chain(back);
                path.shape(around.map(|(x, watts)| (x, y(watts))));
            }
        }
        if is_band {
            let each: Vec<(f64, &Column)> = each.collect();
            for (path, least, most) in [
                (&mut band, 0.0, f64::INFINITY),
                (&mut band_give, f64::NEG_INFINITY, 0.0),
            ] {
                // The part on one side of zero, as far as there is one.
                let ends =
                    |column: &Column| [column.min, column.max].map(|it| it.clamp(least, most));
                let is_there = |column: &Column| ends(column) != [0.0; 2];
                let runs = each.chunk_by(|(_, a), (_, b)| is_there(a) == is_there(b));
                for run in runs.filter(|run| run.iter().all(|(_, it)| is_there(it))) {
                    let up = run.iter().map(|(x, it)| (*x, y(ends(it)[1])));
                    let back = run.iter().rev().map(|(x, it)| (*x, y(ends(it)[0])));
                    path.shape(up.chain(back));
                }
            }
        }
        line.line(means.iter().map(|(x, watts)| (*x, y(*watts))));
        // Drawn over the line, in a colour of its own.
        for part in one_side(&means, -1.0) {
            line_give.line(part.into_iter().map(|(x, watts)| (x, y(watts))));
        }
    }
    // In the order of drawing: later paths lie over earlier ones.
    frame.path("chart-area", &area);
    frame.path("chart-area-give", &area_give);
    frame.path("chart-band", &band);
    frame.path("chart-band-give", &band_give);
    frame.path("chart-line", &line);
    frame.path("chart-line-give", &line_give);
    for columns in stretches {
        draw_point(frame, scale, columns);
    }
}

/// A line that stays at each value until the next one.
fn steps(line: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = line.iter().skip(1).map(|(x, _)| *x);
    let ends = ends.map(Some).chain([None]);
    let each = line.iter().zip(ends);
    each.flat_map(|(&(x, value), end)| [Some((x, value)), end.map(|end| (end, value))])
        .flatten()
        .collect()
}

/// Marks a stretch that is too short to be seen as a line, such as the first reading of all.
fn draw_point(frame: &mut ChartFrame, scale: &ValueScale, columns: &[Column]) {
    /// As wide as the line is thick, twice.
    const SHORTEST_PX: f64 = 3.0;
    const RADIUS_PX: f64 = 2.5;
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
        return;
    };
    let (left, right) = (frame.times.x(first.middle()), frame.times.x(last.middle()));
    if right - left < SHORTEST_PX {
        let class = if last.mean < 0.0 {
            "chart-point-give"
        } else {
            "chart-point"
        };
        let attributes: [(&str, &dyn Display); 4] = [
            ("class", &class),
            ("cx", &Px(right)),
            ("cy", &Px(scale.y(last.mean, frame.plot))),
            ("r", &RADIUS_PX),
        ];
        frame.svg.empty("circle", &attributes);
    }
}

/// The parts of a line above zero (`side` is 1), or below it (-1), each with the points where it
/// crosses zero. A part that only touches zero is left out.
fn one_side(line: &[(f64, f64)], side: f64) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut part: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, watts) in line {
        let is_in = watts * side > 0.0;
        if let Some((x0, watts0)) = before
            && is_in != (watts0 * side > 0.0)
        {
            // By halves, as the difference may exceed the range of a f64. It may also be zero.
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
    // A line that only touches zero gives a part of one point, which has no area.
    parts.retain(|part| part.len() > 1);
    parts
}

/// The longest time without readings that is not a gap: three times the usual spacing, and at least
/// five minutes and the width of a column. Where power stays until the next reading, as long as
/// that counts.
fn gap_ms(power: &PowerProfile, columns: &[Column], is_band: bool) -> i64 {
    const LEAST_MS: i64 = 5 * 60_000;
    let widest = columns.iter().map(Column::length_ms).max().unwrap_or(0);
    if power.between == Between::Hold {
        return Between::STAYS_MS.max(widest);
    }
    let mut spacings: Vec<i64> = if is_band {
        // A column has no spacings, only their mean; one of a single reading has none.
        let several = columns.iter().filter(|column| column.count > 1);
        several
            .map(|column| column.length_ms() / i64::from(column.count - 1))
            .collect()
    } else {
        let pairs = columns.iter().zip(columns.iter().skip(1));
        pairs
            .map(|(a, b)| b.first.millis() - a.first.millis())
            .collect()
    };
    // The median: a few long gaps must not make all others look usual.
    spacings.sort_unstable();
    let usual = spacings.get(spacings.len() / 2).copied().unwrap_or(0);
    LEAST_MS.max(usual.saturating_mul(3)).max(widest)
}

/// The values for scripts: means as `v` in watts, those of a band with `min` and `max`; see
/// [`points_json`].
fn json_of(columns: &[Column], is_band: bool) -> String {
    let t0 = columns.first().map_or(Timestamp::MIN, |it| it.first);
    let values = |of: fn(&Column) -> f64| tenths(columns.iter().map(of));
    let mut series = vec![("v", values(|column| column.mean))];
    if is_band {
        series.push(("min", values(|column| column.min)));
        series.push(("max", values(|column| column.max)));
    }
    points_json(t0, columns.iter().map(Column::middle), series)
}
