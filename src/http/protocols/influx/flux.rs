//! The one Flux query that is supported: the one by which IoTaWatt finds where to resume, as
//! [its uploader](https://github.com/boblemaire/IoTaWatt/blob/master/Firmware/IotaWatt/uploaders/influxDB2_uploader.cpp)
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

/// A parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastOf {
    /// From when, in seconds since 1970.
    pub(crate) start: i64,
    /// Before when.
    pub(crate) stop: i64,
    /// Of which series; at least one.
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
const SERIES_AT_MOST: usize = 256;

/// The rest of the query, after the filter.
const END: &str = "|> last() |> map(fn: (r) => ({_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)})) \
                   |> sort(columns: [\"_time\"], desc: true)";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Lexeme<'q> {
    /// A word or a number.
    Word(&'q str),
    /// `"text"`.
    Text(String),
    /// Any other character except white space.
    Mark(char),
}

/// Parses a query.
pub(crate) fn last_of(query: &str) -> Result<LastOf, FluxError> {
    let tokens = tokens(query).ok_or(FluxError::Other)?;
    let mut rest = Tokens { rest: &tokens };
    let (start, stop) = rest.source().ok_or(FluxError::Other)?;
    let mut series = Vec::new();
    loop {
        series.push(rest.series().ok_or(FluxError::Other)?);
        if series.len() > SERIES_AT_MOST {
            return Err(FluxError::TooMany);
        }
        if !rest.word_is("or") {
            break;
        }
    }
    let is_whole = rest.marks(")") && Some(rest.rest) == self::tokens(END).as_deref();
    let asked = LastOf {
        start,
        stop,
        series,
    };
    is_whole.then_some(asked).ok_or(FluxError::Other)
}

fn tokens(query: &str) -> Option<Vec<Lexeme<'_>>> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut tokens = Vec::new();
    let mut rest = query;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return Some(tokens);
        };
        if is_of_word(first) {
            let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(end)?;
            tokens.push(Lexeme::Word(word));
            rest = after;
        } else if first == '"' {
            let (text, after) = text(rest.strip_prefix('"')?)?;
            tokens.push(Lexeme::Text(text));
            rest = after;
        } else {
            tokens.push(Lexeme::Mark(first));
            rest = rest.strip_prefix(first)?;
        }
    }
}

/// A string up to its closing quote, and the rest behind it.
fn text(rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = rest.char_indices();
    loop {
        match characters.next()? {
            (at, '"') => return Some((text, rest.get(at + 1..)?)),
            (_, '\\') => text.push(characters.next()?.1),
            (_, other) => text.push(other),
        }
    }
}

/// The rest of a query.
struct Tokens<'t, 'q> {
    rest: &'t [Lexeme<'q>],
}

impl<'q> Tokens<'_, 'q> {
    /// `from(bucket: ..) |> range(..) |> filter(fn: (r) =>`: the range.
    fn source(&mut self) -> Option<(i64, i64)> {
        let bucket = self.word_is("from") && self.marks("(") && self.word_is("bucket");
        let _name = (bucket && self.marks(":")).then(|| self.text()).flatten()?;
        let range = self.marks(")|>") && self.word_is("range") && self.marks("(");
        let start = range.then(|| self.bound("start")).flatten()?;
        let stop = self.marks(",").then(|| self.bound("stop")).flatten()?;
        let filter = self.marks(")|>") && self.word_is("filter") && self.marks("(");
        let function = filter && self.word_is("fn") && self.marks(":(") && self.word_is("r");
        (function && self.marks(")=>")).then_some((start, stop))
    }

    /// `start: 1767600000`.
    fn bound(&mut self, name: &str) -> Option<i64> {
        (self.word_is(name) && self.marks(":"))
            .then(|| self.word()?.parse().ok())
            .flatten()
    }

    /// `(r._measurement == ".." and r.tag == ".." and r._field == "..")`.
    fn series(&mut self) -> Option<FieldSeries> {
        let (mut measurement, mut field, mut tags) = (None, None, Vec::new());
        if !self.marks("(") {
            return None;
        }
        loop {
            let column = (self.word_is("r") && self.marks("."))
                .then(|| self.word())
                .flatten()?;
            let value = self.marks("==").then(|| self.text()).flatten()?;
            match column {
                "_measurement" => measurement = Some(value),
                "_field" => field = Some(value),
                tag => tags.push((tag.to_owned(), value)),
            }
            if !self.word_is("and") {
                break;
            }
        }
        self.marks(")").then_some(FieldSeries {
            measurement: measurement?,
            tags,
            field: field?,
        })
    }

    fn next_if<T>(&mut self, wanted: impl Fn(&Lexeme<'q>) -> Option<T>) -> Option<T> {
        let (first, rest) = self.rest.split_first()?;
        let found = wanted(first)?;
        self.rest = rest;
        Some(found)
    }

    fn word_is(&mut self, word: &str) -> bool {
        let is_it = |token: &Lexeme<'_>| (*token == Lexeme::Word(word)).then_some(());
        self.next_if(is_it).is_some()
    }

    /// Each of these characters.
    fn marks(&mut self, marks: &str) -> bool {
        marks.chars().all(|mark| {
            let is_it = |token: &Lexeme<'_>| (*token == Lexeme::Mark(mark)).then_some(());
            self.next_if(is_it).is_some()
        })
    }

    fn word(&mut self) -> Option<&'q str> {
        self.next_if(|token| match token {
            Lexeme::Word(word) => Some(*word),
            _ => None,
        })
    }

    fn text(&mut self) -> Option<String> {
        self.next_if(|token| match token {
            Lexeme::Text(text) => Some(text.clone()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As IoTaWatt writes it, of these series.
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
