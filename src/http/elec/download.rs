//! A download's query string: from parameters to what is asked of which sensor.

use super::names::{API_ID, API_KEY, END_TIME, SENSOR_ID, START_TIME, TYPE};
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::http::error::ApiError;
use crate::http::params::param;
use crate::query::Query;

/// What a query string says.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) api_id: Option<String>,
    pub(super) api_key: Option<String>,
    pub(super) sensor: SensorId,
    pub(super) query: Query,
}

/// Parameters that change what a result means. Who sends one must not get the plain result for what
/// was asked.
const UNSUPPORTED: [&str; 4] = ["interval", "tz", "agg", "format"];

/// Reads a query string. Unknown parameters are passed over.
///
/// # Errors
/// [`ApiError::MissingField`], [`ApiError::InvalidField`], [`ApiError::InvalidRange`],
/// [`ApiError::UnknownType`].
pub(super) fn read(query: &str) -> Result<Asked, ApiError> {
    let required =
        |name: &str| param(query, name)?.ok_or_else(|| ApiError::MissingField(name.to_owned()));
    let sensor = required(SENSOR_ID)?;
    let sensor =
        SensorId::new(&sensor).map_err(|error| ApiError::invalid(SENSOR_ID, error, &sensor))?;
    for name in UNSUPPORTED {
        if param(query, name)?.is_some() {
            return Err(ApiError::InvalidField {
                name: name.into(),
                problem: "expected none; this version does not support it".into(),
            });
        }
    }
    let kind = required(TYPE)?;
    let range = || {
        let start = time(START_TIME, &required(START_TIME)?)?;
        let end = time(END_TIME, &required(END_TIME)?)?;
        TimeRange::new(start, end).ok_or(ApiError::InvalidRange { start, end })
    };
    let asked = match kind.as_str() {
        "rate" => Query::Rate(range()?),
        "consumption" => Query::Consumption(range()?),
        // Clients send some range or none; it says nothing here.
        "latest_rate" => Query::LatestRate,
        "net_consumption" => Query::NetConsumption(range()?),
        _ => return Err(ApiError::UnknownType(kind)),
    };
    Ok(Asked {
        api_id: param(query, API_ID)?,
        api_key: param(query, API_KEY)?,
        sensor,
        query: asked,
    })
}

fn time(name: &str, text: &str) -> Result<Timestamp, ApiError> {
    // No time has a space in it: one stands for the `+` of an offset that was sent as it is.
    Timestamp::parse_or_date(&text.replace(' ', "+"))
        .map_err(|error| ApiError::invalid(name, format!("{error}; or a date alone"), text))
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
        assert_eq!(asked.api_id.as_deref(), Some("id"));
        assert_eq!(asked.api_key.as_deref(), Some("s3cret"));
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
        for name in UNSUPPORTED {
            let text = error(&format!("{WHO}&type=rate&{times}&{name}=1h"));
            assert!(text.starts_with(name), "{text}");
        }
    }
}
