//! `GET /feed/data.json`: values of a feed by time, one per interval.

use std::iter;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};

use crate::domain::{Calendar, Interval, Timestamp, Zone};
use crate::http::gate::AppState;
use crate::http::protocols::emoncms::call::{JSON, reader, respond};
use crate::http::protocols::emoncms::feeds::{feeds_of, moment, named, zone_of};
use crate::http::wire::number::raw_number;
use crate::http::wire::params::{one_of, param, required};
use crate::http::wire::stream::{self, ResultText};
use crate::http::wire::{ApiError, Format};
use crate::query::{Point, Samples, Sampling};
use crate::store::{Measure, StoreError};

/// The most values of an answer; Emoncms' own limit.
const MOST_POINTS: usize = 20_000;

/// How the times of an answer are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeFormat {
    Millis,
    Seconds,
    /// Values without times.
    None,
}

/// How values are written.
#[derive(Clone, Copy)]
struct DataFormat {
    times: TimeFormat,
    /// Whether times without a value are left out.
    skips_missing: bool,
    /// The number of digits after the point; all of them if `None`.
    digits: Option<u8>,
}

/// `GET /feed/data.json`.
pub(super) async fn data(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    respond(answer(&request, &app).await, JSON)
}

async fn answer(request: &HttpRequest, app: &AppState) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let grant = reader(app, request)?;
    let feed = named(feeds_of(&app.store.registry(), &grant.account), query)?;
    let at = |name| moment(name, &required(query, name)?, app, &grant.account);
    let (start, end) = (at("start")?, at("end")?);
    if start > end {
        return Err(ApiError::InvalidRange { start, end });
    }
    let zone = zone_of(app, &grant.account);
    let times = SampleTimes::of(&required(query, "interval")?, (start, end), zone)?;
    let format = data_format(query)?;
    let sampling = match (feed.measure, flag(query, "delta")?) {
        (Measure::Watts, false) => Sampling::MeanPower,
        (Measure::Watthours, false) => Sampling::Register,
        (Measure::Watthours, true) => Sampling::Difference,
        (Measure::Watts, true) => {
            let problem = "expected only with a feed of energy";
            return Err(ApiError::unfit("delta", problem));
        }
    };
    let store = Arc::clone(&app.store);
    let open = move || {
        let around = (times.before, times.after);
        let samples = Samples::new(&store, &feed.sensor, sampling, &times.each, around)?;
        Ok(FeedText {
            samples,
            format,
            times: times.each.into_iter(),
            has_begun: false,
            has_points: false,
        })
    };
    let report = app.begin_report(&grant.account);
    stream::respond(request, report, Format::Json, open).await
}

fn data_format(query: &str) -> Result<DataFormat, ApiError> {
    let known = [
        ("unixms", TimeFormat::Millis),
        ("unix", TimeFormat::Seconds),
        ("notime", TimeFormat::None),
    ];
    let digits = param(query, "dp")?.map(|text| {
        let digits = text.parse().ok().filter(|digits| *digits <= 10);
        digits.ok_or_else(|| ApiError::invalid("dp", "expected a number from 0 to 10", &text))
    });
    Ok(DataFormat {
        times: one_of(query, "timeformat", &known)?.unwrap_or(TimeFormat::Millis),
        skips_missing: flag(query, "skipmissing")?,
        digits: digits.transpose()?,
    })
}

fn flag(query: &str, name: &str) -> Result<bool, ApiError> {
    Ok(one_of(query, name, &[("0", false), ("1", true)])?.unwrap_or(false))
}

/// The times of an answer, ascending.
struct SampleTimes {
    each: Vec<Timestamp>,
    /// The time before the first one, and the time after the last.
    before: Timestamp,
    after: Timestamp,
}

impl SampleTimes {
    /// The times of an interval in a range, including both ends. The first one is at or before the
    /// start, as in Emoncms.
    fn of(
        interval: &str,
        (start, end): (Timestamp, Timestamp),
        zone: Zone,
    ) -> Result<Self, ApiError> {
        let named = match interval {
            "daily" => Interval::Day,
            "weekly" => Interval::Week,
            "monthly" => Interval::Month,
            "annual" => Interval::Year,
            _ => return Self::of_seconds(interval, start, end),
        };
        let mut calendar = Calendar::new(zone, named);
        let first = calendar.bucket(start).start();
        let before = first.saturating_add_millis(-1);
        let before = calendar.bucket(before).start();
        let next = |time: Timestamp| {
            let next = calendar.bucket(time).end().saturating_add_millis(1);
            (next > time).then_some(next)
        };
        Self::collect(before, iter::successors(Some(first), with(next)), end)
    }

    fn of_seconds(interval: &str, start: Timestamp, end: Timestamp) -> Result<Self, ApiError> {
        let seconds = interval.parse::<u32>().ok().filter(|seconds| *seconds > 0);
        let seconds = seconds.ok_or_else(|| {
            let expected = "expected seconds, or one of daily, weekly, monthly, annual";
            ApiError::invalid("interval", expected, interval)
        })?;
        let length_ms = i64::from(seconds) * 1_000;
        let into_ms = start.millis().rem_euclid(length_ms);
        let first = start.saturating_add_millis(-into_ms);
        let before = first.saturating_add_millis(-length_ms);
        let next = move |time: Timestamp| {
            let next = time.saturating_add_millis(length_ms);
            (next > time).then_some(next)
        };
        Self::collect(before, iter::successors(Some(first), with(next)), end)
    }

    fn collect(
        before: Timestamp,
        mut times: impl Iterator<Item = Timestamp>,
        end: Timestamp,
    ) -> Result<Self, ApiError> {
        let (mut each, mut after) = (Vec::new(), end);
        for time in &mut times {
            if time > end {
                after = time;
                break;
            }
            if each.len() == MOST_POINTS {
                let text = format!(
                    "request datapoint limit reached ({MOST_POINTS}), increase request interval or reduce time range"
                );
                return Err(ApiError::foreign(text));
            }
            each.push(time);
        }
        Ok(Self {
            each,
            before,
            after,
        })
    }
}

/// The time after another, in the form that `iter::successors` takes.
fn with(
    mut next: impl FnMut(Timestamp) -> Option<Timestamp>,
) -> impl FnMut(&Timestamp) -> Option<Timestamp> {
    move |time| next(*time)
}

/// Values as text.
struct FeedText {
    samples: Samples,
    format: DataFormat,
    /// The times that are not written yet.
    times: std::vec::IntoIter<Timestamp>,
    has_begun: bool,
    has_points: bool,
}

impl FeedText {
    /// Writes the times before that of `point`, which have no value, and then `point`.
    fn write(&mut self, point: Point, out: &mut Vec<u8>) {
        while let Some(time) = self.times.next() {
            let is_found = time == point.time;
            self.write_one(time, is_found.then_some(point.value), out);
            if is_found {
                break;
            }
        }
    }

    fn write_one(&mut self, time: Timestamp, value: Option<f64>, out: &mut Vec<u8>) {
        if value.is_none() && self.format.skips_missing {
            return;
        }
        if std::mem::replace(&mut self.has_points, true) {
            out.push(b',');
        }
        let value = value.map(|value| match self.format.digits {
            None => value,
            Some(digits) => {
                let power = 10_f64.powi(digits.into());
                let rounded = (value * power).round() / power;
                // Numbers near the limits of `f64` have no digits after the point.
                if rounded.is_finite() { rounded } else { value }
            }
        });
        let number = value.and_then(raw_number);
        let value = number.as_ref().map_or("null", |number| number.get());
        let text = match self.format.times {
            TimeFormat::Millis => format!("[{},{value}]", time.millis()),
            TimeFormat::Seconds => format!("[{},{value}]", time.millis().div_euclid(1_000)),
            TimeFormat::None => value.to_owned(),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

impl ResultText for FeedText {
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            out.push(b'[');
        }
        let mut points = Vec::new();
        let is_more = self.samples.next_run(&mut points)?;
        for point in points {
            self.write(point, out);
        }
        if !is_more {
            while let Some(time) = self.times.next() {
                self.write_one(time, None, out);
            }
            out.push(b']');
        }
        Ok(is_more)
    }
}
