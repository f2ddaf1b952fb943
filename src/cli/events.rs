//! `wattkeeper events`: oddities of readings.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use time::macros::format_description;

use super::args::{Global, usage};
use super::output::{TableRow, energy_text, print_json, print_table};
use crate::admin::{AccountRow, EventPage, EventRow, EventsAsked, Request};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{TimeRange, Timestamp, Zone};

const MS_PER_MINUTE: i64 = MS_PER_HOUR / 60;

/// List oddities of readings: dips, spikes, resets, rollovers, jumps, gaps, implausible power
///
/// They are computed from the readings and the corrections in effect. Times are in the time zone of
/// the sensor's account, in the format of `correct event --at`; energies in kWh. An open event does
/// not count until somebody decides about it: `correct event`.
#[derive(Args)]
pub(super) struct Events {
    /// Only those of this sensor
    sensor: Option<String>,
    /// The first time, included: YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC unless it
    /// has an offset
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    from: Option<Timestamp>,
    /// The last time, included
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    to: Option<Timestamp>,
    /// Only those that wait for a decision
    #[arg(long)]
    open: bool,
}

/// An event as shown in a table.
#[derive(Serialize)]
struct ShownEvent {
    row: EventRow,
    /// Times in the zone of the account.
    times: [String; 3],
}

impl Events {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let start = self.from.unwrap_or(Timestamp::MIN);
        let end = self.to.unwrap_or(Timestamp::MAX);
        if TimeRange::new(start, end).is_none() {
            return Err(usage("--from is after --to"));
        }
        let asked = EventsAsked {
            start_ms: start.millis(),
            end_ms: end.millis(),
            only_open: self.open,
        };
        let page: EventPage = global.ask(Request::ListEvents(self.sensor, asked))?;
        if page.more {
            let last = page.events.last().map(|event| event.time.as_str());
            let last = last.unwrap_or_default();
            global.note(&format!("There are more: continue with --from {last}"));
        }
        if global.json {
            return print_json(&page.events);
        }
        if page.events.is_empty() {
            global.note("There are no events.");
            return Ok(());
        }
        let accounts: Vec<AccountRow> = global.ask(Request::ListAccounts)?;
        let zone = |row: AccountRow| (row.account, Zone::parse(&row.tz).unwrap_or(Zone::UTC));
        let zones: BTreeMap<String, Zone> = accounts.into_iter().map(zone).collect();
        let shown = page.events.into_iter().map(|row| {
            let zone = zones.get(&row.account).cloned().unwrap_or(Zone::UTC);
            let times = [&row.since, &row.time, &row.until];
            let times = times.map(|time| by_clock(time, &zone));
            ShownEvent { row, times }
        });
        print_table(&shown.collect::<Vec<_>>())
    }
}

impl TableRow for ShownEvent {
    const HEADER: &[&str] = &[
        "sensor", "kind", "since", "time", "until", "before", "after", "counted", "state",
    ];

    fn cells(&self) -> Vec<String> {
        let shown = |watthours: Option<f64>| watthours.map_or_else(|| "-".into(), energy_text);
        let state = match (self.row.open, self.row.decided) {
            (true, _) => "open",
            (false, true) => "decided",
            (false, false) => "-",
        };
        let [since, time, until] = self.times.clone();
        vec![
            self.row.sensor_id.clone(),
            self.row.kind.as_str().to_owned(),
            since,
            time,
            until,
            shown(self.row.before),
            shown(self.row.after),
            energy_text(self.row.counted),
            state.to_owned(),
        ]
    }
}

/// A time of the API as local time in a zone, with its offset: `2026-01-05T11:30:00+01:00`.
fn by_clock(time: &str, zone: &Zone) -> String {
    let Ok(at) = Timestamp::parse(time) else {
        return time.to_owned();
    };
    let ahead_ms = zone.period_at(at).ahead_ms;
    // Historic zones were ahead by minutes and seconds, which an offset cannot express.
    if ahead_ms % MS_PER_MINUTE != 0 || ahead_ms.abs() >= MS_PER_DAY {
        return time.to_owned();
    }
    let minutes = ahead_ms.abs() / MS_PER_MINUTE;
    let sign = if ahead_ms < 0 { '-' } else { '+' };
    let fraction = match at.millis().rem_euclid(1_000) {
        0 => String::new(),
        ms => format!(".{ms:03}"),
    };
    let shown = zone.format(
        at,
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"),
    );
    format!(
        "{shown}{fraction}{sign}{:02}:{:02}",
        minutes / 60,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_by_the_clock_and_read_back() {
        for (name, time, shown) in [
            (
                "UTC",
                "2026-01-05T10:30:00.000Z",
                "2026-01-05T10:30:00+00:00",
            ),
            (
                "Europe/Berlin",
                "2026-07-05T22:30:00.250Z",
                "2026-07-06T00:30:00.250+02:00",
            ),
            (
                "America/St_Johns",
                "2026-01-05T00:00:00.000Z",
                "2026-01-04T20:30:00-03:30",
            ),
            (
                "Europe/Berlin",
                "1800-01-01T00:00:00.000Z",
                "1800-01-01T00:00:00.000Z",
            ),
        ] {
            let zone = Zone::parse(name).unwrap();
            let found = by_clock(time, &zone);
            assert_eq!(found, shown);
            assert_eq!(Timestamp::parse(&found), Timestamp::parse(time));
        }
    }
}
