//! The view of a chart, in the page's address, so that an address can be shared and the browser's
//! back button works.
//!
//! `account`, `sensor` (without it the whole house), `with` (further sensors), `show` (`power`, `energy`), `by` (`quarter`,
//! `hour`, `day`, `month`, `year`), the range, as on all pages, and `against` of the page beside the chart.

use std::fmt::Display;

use crate::chart::{Chart, ChartKind};
use crate::domain::{AccountName, Interval, SensorId, Timestamp, Zone};
use crate::http::pages::frame::account_scope;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{AskedAgainst, RangeChoice, RangeRules, RangeWord};
use crate::http::wire::ApiError;
use crate::http::wire::params::{one_of, param, params};

/// The subject of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChartSubject {
    /// The exchange with the grid: imported minus exported.
    #[default]
    Grid,
    /// The use of the house, from all sources.
    House,
    /// The readings of one sensor.
    Sensor(SensorId),
}

/// The content of a chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    /// `None` for the first account.
    pub(crate) account: Option<AccountName>,
    pub(crate) subject: ChartSubject,
    /// Further sensors, drawn as lines.
    pub(crate) with: Vec<SensorId>,
    pub(crate) kind: ChartKind,
    /// The length of a bar of energy; `None` to suit the range.
    pub(crate) by: Option<Interval>,
    pub(crate) range: RangeChoice,
    /// The comparison of the page around it, which its addresses keep.
    pub(crate) against: AskedAgainst,
}

/// The lengths of a bar of energy, by their parameter values.
pub(crate) const INTERVALS: [(&str, Interval); 5] = [
    ("quarter", Interval::QuarterHour),
    ("hour", Interval::Hour),
    ("day", Interval::Day),
    ("month", Interval::Month),
    ("year", Interval::Year),
];

/// The value of the parameter `name`, read by `parse`; `None` if it is missing.
fn parsed<T, E: Display>(
    query: &str,
    name: &str,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = param(query, name)? else {
        return Ok(None);
    };
    let value = parse(&text).map_err(|error| ApiError::invalid(name, error, &text))?;
    Ok(Some(value))
}

impl View {
    /// Reads a query string; dates are in the account's `zone`.
    ///
    /// # Errors
    /// [`ApiError`] for the first invalid parameter.
    pub(crate) fn read(query: &str, zone: &Zone) -> Result<Self, ApiError> {
        let kinds = ChartKind::ALL.map(|kind| (kind.as_str(), kind));
        Ok(Self {
            account: account_scope::named(query)?,
            subject: subject(query)?,
            with: with(query)?,
            kind: one_of(query, "show", &kinds)?.unwrap_or_default(),
            by: one_of(query, "by", &INTERVALS)?,
            range: RangeRules::CHART.read(query, zone)?,
            against: AskedAgainst::read(query)?,
        })
    }

    /// The same view with another range.
    pub(crate) fn with_range(&self, range: RangeChoice) -> Self {
        Self {
            range,
            // Bars that suited the old range may be too many or too few for the new one.
            by: None,
            ..self.clone()
        }
    }

    /// The same view of a sensor.
    pub(crate) fn of_sensor(&self, sensor: &SensorId) -> Self {
        Self {
            subject: ChartSubject::Sensor(sensor.clone()),
            ..self.clone()
        }
    }

    /// The view behind a bar of `interval` that begins at `start`: for a year its months, for a
    /// month its days, and for anything shorter the power.
    pub(crate) fn of_bar(&self, start: Timestamp, interval: Interval) -> Self {
        let (word, kind) = match interval {
            Interval::Year => (RangeWord::Year, ChartKind::Energy),
            Interval::Month => (RangeWord::Month, ChartKind::Energy),
            Interval::Day => (RangeWord::Day, ChartKind::Power),
            _ => (RangeWord::Hour, ChartKind::Power),
        };
        Self {
            kind,
            ..self.with_range(RangeChoice::Named(word, Some(start)))
        }
    }

    /// The query string of this view, with its `?`; empty for the default view.
    pub(crate) fn query_string(&self, zone: &Zone) -> String {
        query_string(&self.parameters(zone))
    }

    /// The names and values of its query string.
    pub(crate) fn parameters(&self, zone: &Zone) -> Vec<(&'static str, String)> {
        let mut parameters = Vec::new();
        if let Some(account) = &self.account {
            parameters.push(("account", account.to_string()));
        }
        match &self.subject {
            ChartSubject::Grid => {}
            ChartSubject::House => parameters.push(("of", "house".into())),
            ChartSubject::Sensor(id) => parameters.push(("sensor", id.to_string())),
        }
        parameters.extend(self.with.iter().map(|id| ("with", id.to_string())));
        if self.kind != ChartKind::default() {
            parameters.push(("show", self.kind.as_str().into()));
        }
        let by = INTERVALS.iter().find(|(_, it)| Some(*it) == self.by);
        parameters.extend(by.map(|(word, _)| ("by", (*word).into())));
        if self.range != RangeChoice::LAST_DAY {
            parameters.extend(self.range.parameters(zone));
        }
        parameters.extend(self.against.parameter());
        parameters
    }
}

/// The query string that names only an account.
pub(crate) fn of_account(name: &AccountName) -> String {
    query_string(&[("account", name.as_str())])
}

/// The sensors beside the subject.
fn with(query: &str) -> Result<Vec<SensorId>, ApiError> {
    let mut ids = Vec::new();
    for text in params(query, "with")? {
        let id = SensorId::new(&text).map_err(|error| ApiError::invalid("with", error, &text))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.len() > Chart::MOST_BESIDE {
        let problem = format!("expected at most {} sensors", Chart::MOST_BESIDE);
        return Err(ApiError::unfit("with", problem));
    }
    Ok(ids)
}

fn subject(query: &str) -> Result<ChartSubject, ApiError> {
    let house = one_of(query, "of", &[("house", ())])?;
    let sensor = parsed(query, "sensor", SensorId::new)?;
    match (house, sensor) {
        (Some(()), Some(_)) => Err(ApiError::InvalidField {
            name: "of".into(),
            problem: "expected without sensor".into(),
        }),
        (Some(()), None) => Ok(ChartSubject::House),
        (None, sensor) => Ok(sensor.map_or(ChartSubject::Grid, ChartSubject::Sensor)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<View, String> {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        View::read(query, &zone).map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_round_trip() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        for query in [
            "",
            "?account=W%C3%A4rme%20%26%20Co",
            "?sensor=heat-pump&show=energy&by=month&range=all",
            "?of=house&range=week",
            "?sensor=roof&with=a&with=b%26c&show=energy",
            "?range=hour&at=2026-10-25T00:00:00.000Z",
            "?range=day&at=2026-03-29",
            "?range=week",
            "?range=month&at=2026-02-01",
            "?range=year&at=2025-01-01",
            "?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z",
            "?from=2026-03-29&to=2026-03-30",
            "?sensor=roof&range=week&against=year",
            "?against=before",
        ] {
            let view = read(query.trim_start_matches('?')).unwrap();
            assert_eq!(view.query_string(&zone), query);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (query, problem) in [
            ("show=heat", "show: expected one of power, energy; got heat"),
            (
                "by=7m",
                "by: expected one of quarter, hour, day, month, year; got 7m",
            ),
            (
                "range=decade",
                "range: expected one of 24h, hour, day, week, month, year, all; got decade",
            ),
            ("of=house&sensor=roof", "of: expected without sensor"),
            (
                "against=last",
                "against: expected one of year, before; got last",
            ),
            (
                "with=a&with=b&with=c&with=d&with=e",
                "with: expected at most 4 sensors",
            ),
            ("from=2026-01-01", "to: expected together with from"),
            ("to=2026-01-01", "from: expected together with to"),
            ("at=2026-01-01", "at: expected only together with range"),
            (
                "range=day&from=2026-01-01&to=2026-01-02",
                "range: expected without from and to",
            ),
            (
                "from=2026-01-02&to=2026-01-01",
                "to: expected a time at least a second after from",
            ),
        ] {
            assert_eq!(read(query).unwrap_err(), problem);
        }
        let text = read("range=day&at=yesterday").unwrap_err();
        assert!(
            text.starts_with("at: ") && text.ends_with("got yesterday"),
            "{text}"
        );
        let text = read(&format!("sensor={}", "x".repeat(65))).unwrap_err();
        assert!(text.starts_with("sensor: "), "{text}");
    }
}
