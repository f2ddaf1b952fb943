//! The only supported Flux query: IoTaWatt's query for where to resume, as [its
//! uploader](https://github.com/boblemaire/IoTaWatt/blob/master/Firmware/IotaWatt/uploaders/influxDB2_uploader.cpp)
//! writes it.
//!
//! ```text
//! from(bucket: "b")
//!   |> range(start: 1767600000, stop: 1767603600)
//!   |> filter(fn: (r) =>
//!     (r._measurement == "power" and r.sensor == "house" and r._field == "Watts") or
//!     (r._measurement == "power" and r.sensor == "solar" and r._field == "Watts"))
//!   |> last()
//!   |> map(fn: (r) => ({_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)}))
//!   |> sort (columns: ["_time"], desc: true)
//! ```

use thiserror::Error;

use crate::http::protocols::influx::last::FieldSeries;
use crate::http::protocols::influx::lexer::{Lexemes, lexemes};

/// A parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastOf {
    /// The start of the range, in seconds since 1970.
    pub(crate) start: i64,
    /// The end of the range, exclusive.
    pub(crate) stop: i64,
    /// The series; at least one.
    pub(crate) series: Vec<FieldSeries>,
}

/// Why a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum FluxError {
    /// It is not IoTaWatt's query.
    #[error(
        "wattkeeper supports only one Flux query, that of IoTaWatt for the time of the last value: from |> range |> filter |> last \
         |> map |> sort"
    )]
    Other,
    /// There are too many series.
    #[error("expected at most {SERIES_AT_MOST} series in a query")]
    TooMany,
}

/// The most series of one query.
// Each series may read the disk, so a short query could otherwise cause much work.
const SERIES_AT_MOST: usize = 256;

/// The end of the query, after the filter.
const END: &str = "|> last() |> map(fn: (r) => ({_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)})) \
                   |> sort(columns: [\"_time\"], desc: true)";

/// Parses a query.
pub(crate) fn last_of(query: &str) -> Result<LastOf, FluxError> {
    let all = lexemes(query, is_of_word).ok_or(FluxError::Other)?;
    let mut rest = Lexemes { rest: &all };
    let (start, stop) = source(&mut rest).ok_or(FluxError::Other)?;
    let mut series = Vec::new();
    loop {
        series.push(one_series(&mut rest).ok_or(FluxError::Other)?);
        if series.len() > SERIES_AT_MOST {
            return Err(FluxError::TooMany);
        }
        if !is_word(&mut rest, "or") {
            break;
        }
    }
    // The end is compared lexeme by lexeme, because white space may differ.
    let is_whole = rest.marks(")") && Some(rest.rest) == lexemes(END, is_of_word).as_deref();
    let asked = LastOf {
        start,
        stop,
        series,
    };
    is_whole.then_some(asked).ok_or(FluxError::Other)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn is_word(rest: &mut Lexemes<'_, '_>, wanted: &str) -> bool {
    rest.word_if(|word| word == wanted).is_some()
}

/// `from(bucket: ..) |> range(..) |> filter(fn: (r) =>`: returns the range. There is only one
/// bucket, under any name.
fn source(rest: &mut Lexemes<'_, '_>) -> Option<(i64, i64)> {
    let bucket = is_word(rest, "from") && rest.marks("(") && is_word(rest, "bucket");
    let _name = (bucket && rest.marks(":")).then(|| rest.quoted('"'))??;
    let range = rest.marks(")|>") && is_word(rest, "range") && rest.marks("(");
    let start = range.then(|| bound(rest, "start"))??;
    let stop = rest.marks(",").then(|| bound(rest, "stop"))??;
    let filter = rest.marks(")|>") && is_word(rest, "filter") && rest.marks("(");
    let function = filter && is_word(rest, "fn") && rest.marks(":(") && is_word(rest, "r");
    (function && rest.marks(")=>")).then_some((start, stop))
}

/// `start: 1767600000`.
fn bound(rest: &mut Lexemes<'_, '_>, name: &str) -> Option<i64> {
    let is_named = is_word(rest, name) && rest.marks(":");
    is_named.then(|| rest.word_if(|_| true))??.parse().ok()
}

/// `(r._measurement == ".." and r.tag == ".." and r._field == "..")`.
fn one_series(rest: &mut Lexemes<'_, '_>) -> Option<FieldSeries> {
    let (mut measurement, mut field, mut tags) = (None, None, Vec::new());
    if !rest.marks("(") {
        return None;
    }
    loop {
        let is_column = is_word(rest, "r") && rest.marks(".");
        let column = is_column.then(|| rest.word_if(|_| true))??;
        let value = rest.marks("==").then(|| rest.quoted('"'))??;
        match column {
            "_measurement" => measurement = Some(value),
            "_field" => field = Some(value),
            tag => tags.push((tag.to_owned(), value)),
        }
        if !is_word(rest, "and") {
            break;
        }
    }
    rest.marks(")").then_some(FieldSeries {
        measurement: measurement?,
        tags,
        field: field?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query of these series, as IoTaWatt writes it.
    fn query(filters: &str) -> String {
        format!(
            "from(bucket: \"home\")\n  |> range(start: 1767600000, stop: 1767603600)\n  |> filter(fn: (r) =>{filters})\n  |> last()\n  \
             |> map(fn: (r) => ({{_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)}}))\n  \
             |> sort (columns: [\"_time\"], desc: true)\n"
        )
    }

    const HOUSE: &str =
        "\n    (r._measurement == \"power\" and r.sensor == \"house\" and r._field == \"Watts\")";

    #[test]
    fn the_query_of_iotawatt_is_read() {
        let both = query(&format!(
            "{HOUSE} or\n    (r._measurement == \"sun \\\"1\\\"\" and r._field == \"Wh\")"
        ));
        let found = last_of(&both).unwrap();
        assert_eq!((found.start, found.stop), (1_767_600_000, 1_767_603_600));
        let house = FieldSeries {
            measurement: "power".into(),
            tags: vec![("sensor".into(), "house".into())],
            field: "Watts".into(),
        };
        let sun = FieldSeries {
            measurement: "sun \"1\"".into(),
            tags: Vec::new(),
            field: "Wh".into(),
        };
        assert_eq!(found.series, [house, sun]);
    }

    #[test]
    fn others_are_refused() {
        let whole = query(HOUSE);
        assert!(last_of(&whole).is_ok());
        for other in [
            String::new(),
            "buckets()".to_owned(),
            whole.replace("last", "first"),
            whole.replace("desc: true", "desc: false"),
            whole.replace("stop: 1767603600", "stop: now()"),
            whole.replace("==", "!="),
            whole.replace("and r._field == \"Watts\"", ""),
            whole.replace("\"Watts\"", "\"Watts"),
            format!("{whole} |> yield()"),
        ] {
            assert_eq!(last_of(&other), Err(FluxError::Other), "{other}");
        }
        let many = vec![HOUSE; 257].join(" or");
        assert_eq!(last_of(&query(&many)), Err(FluxError::TooMany));
    }
}
