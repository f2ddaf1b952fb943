//! From a download's query string to a query.

use std::ops::Range;

use crate::domain::{Interval, SensorId, TimeRange, Timestamp, Zone, year_earlier};
use crate::http::protocols::elec::names::{
    AGG, CORRECTED, END_TIME, FORMAT, INTERVAL, SENSOR_ID, START_TIME, TYPE, TZ, YEAR_EARLIER,
};
use crate::http::wire::params::{one_of, param, required, sensor, time};
use crate::http::wire::{ApiError, Format};
use crate::query::{Aggregate, Query};

/// A parsed query string.
#[derive(Debug)]
pub(crate) struct DownloadRequest {
    pub(crate) sensor: SensorId,
    pub(crate) query: Query,
    pub(crate) format: Format,
    /// Whether the ledger answers the query.
    pub(crate) is_corrected: bool,
}

/// Values of a parameter that is on or off.
pub(crate) const FLAGS: [(&str, bool); 2] = [("0", false), ("1", true)];
pub(crate) const AGGREGATES: [(&str, Aggregate); 3] = [
    ("mean", Aggregate::Mean),
    ("min", Aggregate::Min),
    ("max", Aggregate::Max),
];
pub(crate) const FORMATS: [(&str, Format); 3] = [
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("csv", Format::Csv),
];

/// Parses a query string. Unknown parameters are ignored.
///
/// # Errors
/// [`ApiError::MissingField`], [`ApiError::InvalidField`], [`ApiError::InvalidRange`],
/// [`ApiError::UnknownType`].
pub(crate) fn read(query: &str) -> Result<DownloadRequest, ApiError> {
    let sensor = sensor(query, SENSOR_ID)?;
    let kind = required(query, TYPE)?;
    let asked = match kind.as_str() {
        "rate" => by_range(query, true)?,
        "consumption" => by_range(query, false)?,
        "latest_rate" => {
            refuse(query, &[INTERVAL, TZ, AGG])?;
            // Clients may send a range, which has no meaning for this type.
            Query::LatestRate
        }
        "net_consumption" => {
            refuse(query, &[INTERVAL, AGG])?;
            Query::NetConsumption(range(query, &zone(query)?)?)
        }
        _ => return Err(ApiError::UnknownType(kind)),
    };
    let is_corrected = one_of(query, CORRECTED, &FLAGS)?.unwrap_or(false);
    if is_corrected && asked == Query::LatestRate {
        let problem = "expected only with type rate, consumption or net_consumption";
        return Err(ApiError::unfit(CORRECTED, problem));
    }
    Ok(DownloadRequest {
        sensor,
        query: asked,
        format: one_of(query, FORMAT, &FORMATS)?.unwrap_or(Format::Json),
        is_corrected,
    })
}

/// A query of power or energy: for each reading or, with `interval`, for each bucket.
fn by_range(query: &str, is_power: bool) -> Result<Query, ApiError> {
    let zone = zone(query)?;
    let interval = interval(query)?;
    let aggregate = one_of(query, AGG, &AGGREGATES)?;
    if aggregate.is_some() && interval.is_none() {
        let problem = "expected only together with interval";
        return Err(ApiError::unfit(AGG, problem));
    }
    let range = range(query, &zone)?;
    Ok(match (interval, is_power) {
        (None, true) => Query::Rate(range),
        (None, false) => Query::Consumption(range),
        (Some(interval), true) => {
            let aggregate = aggregate.unwrap_or(Aggregate::Mean);
            Query::RateByInterval(range, zone, interval, aggregate)
        }
        // `agg` is accepted and ignored: a bucket's energy is the difference of its registers.
        (Some(interval), false) => Query::ConsumptionByInterval(range, zone, interval),
    })
}

/// The interval of buckets, if there is one.
pub(crate) fn interval(query: &str) -> Result<Option<Interval>, ApiError> {
    one_of(query, INTERVAL, &Interval::ALL.map(|it| (it.as_str(), it)))
}

/// The zone of dates without a time.
pub(super) fn zone(query: &str) -> Result<Zone, ApiError> {
    match param(query, TZ)? {
        Some(name) => Zone::parse(&name).map_err(|error| ApiError::invalid(TZ, error, &name)),
        None => Ok(Zone::UTC),
    }
}

/// Refuses these parameters: a client that sends one must not mistake a result without it for the
/// result it asked for.
fn refuse(query: &str, names: &[&str]) -> Result<(), ApiError> {
    for name in names {
        if param(query, name)?.is_some() {
            let problem = if *name == TZ {
                "expected only with type rate, consumption or net_consumption"
            } else {
                "expected only with type rate or consumption"
            };
            return Err(ApiError::unfit(*name, problem));
        }
    }
    Ok(())
}

/// The range of `start_time` and `end_time`; a date alone is the start of that day in `zone`.
pub(crate) fn range(query: &str, zone: &Zone) -> Result<TimeRange, ApiError> {
    let start = time(START_TIME, &required(query, START_TIME)?, zone)?;
    let end = time(END_TIME, &required(query, END_TIME)?, zone)?;
    TimeRange::new(start, end).ok_or(ApiError::InvalidRange { start, end })
}

/// The range that the answer is about: the requested one or, with [`YEAR_EARLIER`], the same a year
/// earlier.
///
/// # Errors
/// [`ApiError::InvalidField`] for a parameter that is neither 0 nor 1.
pub(crate) fn answered_range(
    query: &str,
    asked: TimeRange,
    (zone, now): (&Zone, Timestamp),
) -> Result<Range<Timestamp>, ApiError> {
    let range = asked.start()..asked.end();
    let is_earlier = one_of(query, YEAR_EARLIER, &FLAGS)?.unwrap_or(false);
    Ok(if is_earlier {
        year_earlier(range, zone, now)
    } else {
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: &str = "sensor_id=house&api_id=id&api_key=s3cret";

    fn query(rest: &str) -> Query {
        read(&format!("{WHO}&{rest}")).unwrap().query
    }

    fn error(query: &str) -> String {
        read(query).unwrap_err().to_string()
    }

    fn range(start: i64, end: i64) -> TimeRange {
        let time = |ms| Timestamp::from_millis(ms).unwrap();
        TimeRange::new(time(start), time(end)).unwrap()
    }

    #[test]
    fn the_four_types() {
        let times = "start_time=1970-01-01&end_time=1970-01-01T00:00:01";
        assert_eq!(
            query(&format!("type=rate&{times}")),
            Query::Rate(range(0, 1000))
        );
        assert_eq!(
            query(&format!("{times}&type=consumption")),
            Query::Consumption(range(0, 1000))
        );
        assert_eq!(
            query(&format!("type=net_consumption&{times}")),
            Query::NetConsumption(range(0, 1000))
        );
        for rest in ["", "&start_time=x&start_time=y", "&start_time=2&end_time=1"] {
            assert_eq!(query(&format!("type=latest_rate{rest}")), Query::LatestRate);
        }
        let asked = read(&format!("{WHO}&type=latest_rate")).unwrap();
        assert_eq!(asked.sensor.as_str(), "house");
    }

    #[test]
    fn offsets_come_raw_or_encoded() {
        for plus in ["+", "%2B", "%2b"] {
            let rest = format!(
                "type=rate&start_time=1970-01-01T01%3A00%3A00{plus}01:00&end_time=1970-01-01T01:00:00.001{plus}01%3A00"
            );
            assert_eq!(query(&rest), Query::Rate(range(0, 1)));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let times = "start_time=1970-01-02&end_time=1970-01-01";
        assert!(error("type=rate").starts_with("sensor_id is required"));
        assert!(error(WHO).starts_with("type is required"));
        assert!(error(&format!("{WHO}&type=")).starts_with("type is required"));
        assert!(
            error(&format!("{WHO}&type=rate&end_time=1970-01-01")).starts_with("start_time is")
        );
        assert!(
            error(&format!("{WHO}&type=rate&start_time=1970-01-01")).starts_with("end_time is")
        );
        assert_eq!(
            error(&format!("{WHO}&type=power&{times}")),
            "type: expected rate, consumption, latest_rate or net_consumption; got power"
        );
        assert_eq!(
            error(&format!("{WHO}&type=rate&{times}")),
            "expected a start that is not after the end; got 1970-01-02T00:00:00.000Z to 1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            error(&format!(
                "{WHO}&type=rate&start_time=1970-02-30&end_time=1970-01-01"
            )),
            "start_time: no such date or time of day; or a date alone; got 1970-02-30"
        );
        let text = error(&format!(
            "{WHO}&type=rate&start_time=yesterday%0a&end_time=1970-01-01"
        ));
        assert!(text.ends_with("; got yesterday\\n"), "{text}");
        for rest in [
            "type=latest_rate&interval=1h",
            "type=latest_rate&tz=UTC",
            "type=net_consumption&agg=mean",
        ] {
            let text = error(&format!("{WHO}&{rest}&{times}"));
            assert!(text.contains("expected only with type rate"), "{text}");
        }
        assert_eq!(
            error(&format!("{WHO}&type=rate&{times}&interval=7m")),
            "interval: expected one of 1m, 5m, 10m, 15m, 30m, 1h, 2h, 3h, 6h, 12h, 1d, 1w, 1mo, 1y; got 7m"
        );
        assert_eq!(
            error(&format!("{WHO}&type=rate&{times}&interval=1m&agg=sum")),
            "agg: expected one of mean, min, max; got sum"
        );
        assert_eq!(
            error(&format!("{WHO}&type=rate&{times}&agg=max")),
            "agg: expected only together with interval"
        );
        assert_eq!(
            error(&format!("{WHO}&type=latest_rate&format=xml")),
            "format: expected one of json, ndjson, csv; got xml"
        );
        let text = error(&format!("{WHO}&type=consumption&{times}&tz=CET%2B1"));
        assert!(text.starts_with("tz: expected an IANA time zone"), "{text}");
    }

    #[test]
    fn buckets_are_asked_for_in_a_zone() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let times = "start_time=1970-01-02&end_time=1970-01-02T00:00:00&tz=Europe/Berlin";
        // The date alone is midnight in the zone; the time is UTC as always.
        let local = range(82_800_000, 86_400_000);
        assert_eq!(query(&format!("type=rate&{times}")), Query::Rate(local));
        assert_eq!(
            query(&format!("type=rate&{times}&interval=1mo")),
            Query::RateByInterval(local, berlin.clone(), Interval::Month, Aggregate::Mean)
        );
        assert_eq!(
            query(&format!("type=rate&{times}&interval=15m&agg=min")),
            Query::RateByInterval(local, berlin.clone(), Interval::QuarterHour, Aggregate::Min)
        );
        assert_eq!(
            query(&format!("type=net_consumption&{times}")),
            Query::NetConsumption(local)
        );
        assert_eq!(
            query(&format!("type=consumption&{times}&interval=1y&agg=max")),
            Query::ConsumptionByInterval(local, berlin, Interval::Year)
        );
    }
}
