//! Which files an export has: all that the store has, or all of an account.

use std::io::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::files::{Content, ExportFile, ExportFiles, ExportTarget};
use super::reports::{ExportedHouse, Reports};
use super::{ExportFormat, ExportSource, write_readings, write_series};
use crate::admin::{
    AccountRow, ContractRequest, CorrectionRow, DayListRow, DayRange, DayRequest, DayRow,
    EntryRequest, KeyRow, LinkedUserRow, PeopleRequest, PersonRow, PriceRequest, PriceSourceRow,
    ReadingRange, Request, Response, SensorRow, SeriesRow, UnexpectedResponse, WallRequest,
    WallRow,
};
use crate::domain::{AccountName, EntryKind, TimeRange, Timestamp};
use crate::store::StoreError;

const README: &str = include_str!("../../docs/LEAVING.md");

/// The wish of an export.
pub(crate) struct Wanted<'a> {
    /// The only account; `None` for all, with what belongs to none.
    pub(crate) account: Option<&'a AccountName>,
    /// The price sources of all accounts, which are settings of the service.
    pub(crate) price_sources: Vec<PriceSourceRow>,
    /// The end of the reports.
    pub(crate) now: Timestamp,
}

/// The size of an export.
pub(crate) struct Exported {
    /// The files, without the list of them.
    pub(crate) files: usize,
    pub(crate) sensors: usize,
    pub(crate) readings: u64,
}

/// An export under way.
struct Everything<'a> {
    store: &'a dyn ExportSource,
    wanted: Wanted<'a>,
    files: ExportFiles<'a>,
    readings: u64,
    /// Shown the number of readings so far.
    seen: &'a dyn Fn(u64),
}

/// Writes everything that is wanted to `target`, and shows `seen` the number of readings so far. Blocks.
///
/// # Errors
/// If there is no such account, the store cannot be read, or `target` fails.
pub(crate) fn export(
    store: &dyn ExportSource,
    wanted: Wanted<'_>,
    target: &mut dyn ExportTarget,
    seen: &dyn Fn(u64),
) -> Result<Exported> {
    let mut all = Everything {
        store,
        wanted,
        files: ExportFiles::new(target),
        readings: 0,
        seen,
    };
    let sensors = all.write()?;
    Ok(Exported {
        files: all.files.finish()?,
        sensors,
        readings: all.readings,
    })
}

impl<'a> Everything<'a> {
    /// Returns the number of sensors.
    fn write(&mut self) -> Result<usize> {
        self.files.file(Content::only("README"), "md", |file| {
            file.write_all(README.as_bytes())?;
            Ok(0)
        })?;
        let of = |row: &AccountRow| row.account.clone();
        let accounts: Vec<AccountRow> = self.listed("accounts", Request::ListAccounts, of)?;
        if let Some(name) = self.wanted.account.filter(|_| accounts.is_empty()) {
            return Err(StoreError::UnknownAccount(name.to_string()).into());
        }
        let of = |row: &SensorRow| row.account.clone();
        let sensors: Vec<SensorRow> = self.listed("sensors", Request::ListSensors, of)?;
        let mut houses = accounts
            .iter()
            .map(|account| ExportedHouse::of(self.store, account))
            .collect::<Result<Vec<_>>>()?;
        self.lists(&houses)?;
        for sensor in &sensors {
            let first = self.sensor(sensor)?;
            let house = houses.iter_mut().find(|it| it.name == sensor.account);
            let Some(house) = house else { continue };
            house.first = house.first.into_iter().chain(first).min();
            house.sensors.push(sensor.sensor_id.clone());
            if let Some(from) = first.filter(|_| sensor.authorized) {
                self.reports()
                    .energy(house, Some(&sensor.sensor_id), from)?;
            }
        }
        for kind in EntryKind::ALL {
            // Its address is a setting of the service, as others below.
            if self.wanted.account.is_none() || kind != EntryKind::HomeAssistant {
                self.entries(kind, &houses)?;
            }
        }
        self.price_series(&houses)?;
        self.day_lists(&houses)?;
        for house in &houses {
            if let Some(first) = house.first {
                self.reports().energy(house, None, first)?;
                self.reports().statements(house, first)?;
            }
        }
        Ok(sensors.len())
    }

    fn reports(&mut self) -> Reports<'_, 'a> {
        Reports {
            store: self.store,
            files: &mut self.files,
            now: self.wanted.now,
        }
    }

    /// The lists that need no sensor.
    fn lists(&mut self, houses: &[ExportedHouse]) -> Result<()> {
        let contracts = |account| Request::Contracts(ContractRequest::List { account });
        let rows: Vec<String> = self.of_accounts(houses, contracts)?;
        self.json_list("contracts", &rows)?;
        let corrections = Request::ListCorrections { sensor: None };
        let of = |row: &CorrectionRow| row.account.clone();
        self.listed("corrections", corrections, of)?;
        let of = |row: &KeyRow| row.account.clone();
        self.listed("keys", Request::ListKeys, of)?;
        if self.wanted.account.is_some() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.wanted.price_sources);
        self.list("price-sources", &rows)?;
        let people: Vec<PersonRow> = self.store.ask(Request::People(PeopleRequest::List))?;
        self.list("people", &people)?;
        let linked = Request::People(PeopleRequest::ListLinked);
        let linked: Vec<LinkedUserRow> = self.store.ask(linked)?;
        self.list("linked-users", &linked)?;
        let walls: Vec<WallRow> = self.store.ask(Request::Walls(WallRequest::List))?;
        self.list("wall-tablets", &walls)
    }

    /// Writes the rows of the wanted accounts in the answer of a request as a file, and returns them.
    fn listed<T>(
        &mut self,
        kind: &str,
        request: Request,
        account: impl Fn(&T) -> String,
    ) -> Result<Vec<T>>
    where
        T: Serialize,
        Vec<T>: TryFrom<Response, Error = UnexpectedResponse>,
    {
        let mut rows: Vec<T> = self.store.ask(request)?;
        if let Some(wanted) = self.wanted.account {
            rows.retain(|row| account(row) == wanted.as_str());
        }
        self.list(kind, &rows)?;
        Ok(rows)
    }

    fn list<T: Serialize>(&mut self, kind: &str, rows: &[T]) -> Result<()> {
        let rows = rows.iter().map(serde_json::to_string);
        self.json_list(kind, &rows.collect::<Result<Vec<_>, _>>()?)
    }

    /// Writes rows of JSON as an array, one a line.
    fn json_list(&mut self, kind: &str, rows: &[String]) -> Result<()> {
        self.files.file(Content::only(kind), "json", |file| {
            if rows.is_empty() {
                file.write_all(b"[]\n")?;
            } else {
                write!(file, "[\n{}\n]\n", rows.join(",\n"))?;
            }
            Ok(rows.len() as u64)
        })
    }

    /// The answers of a request about each account.
    fn of_accounts<T>(
        &self,
        houses: &[ExportedHouse],
        request: impl Fn(Option<String>) -> Request,
    ) -> Result<Vec<T>>
    where
        Vec<T>: TryFrom<Response, Error = UnexpectedResponse>,
    {
        let mut all = Vec::new();
        for house in houses {
            let rows: Vec<T> = self.store.ask(request(Some(house.name.clone())))?;
            all.extend(rows);
        }
        Ok(all)
    }

    /// The entries of a kind, of all accounts.
    fn entries(&mut self, kind: EntryKind, houses: &[ExportedHouse]) -> Result<()> {
        let list = |account| Request::Entries(EntryRequest::List { kind, account });
        let all: Vec<String> = self.of_accounts(houses, list)?;
        let name = kind.many().to_lowercase().replace(' ', "-");
        self.json_list(&name, &all)
    }

    /// The readings of a sensor. Returns the time of the first.
    fn sensor(&mut self, sensor: &SensorRow) -> Result<Option<Timestamp>> {
        let content = Content {
            kind: "readings",
            account: &sensor.account,
            name: &sensor.sensor_id,
        };
        let range = ReadingRange {
            sensor: sensor.sensor_id.clone(),
            start_ms: TimeRange::ALL.start().millis(),
            end_ms: TimeRange::ALL.end().millis(),
        };
        let (mut first, mut count) = (None, 0);
        let (store, seen, before) = (self.store, self.seen, self.readings);
        self.files.file(content, "csv", |file| {
            write_readings(store, range, ExportFormat::Csv, file, |rows| {
                first = first.or_else(|| rows.first().map(|row| row.time_ms));
                count += rows.len() as u64;
                seen(before + count);
            })?;
            Ok(count)
        })?;
        self.readings += count;
        Ok(first.and_then(Timestamp::from_millis))
    }

    fn price_series(&mut self, houses: &[ExportedHouse]) -> Result<()> {
        let list = |account| Request::Prices(PriceRequest::List { account });
        let all: Vec<SeriesRow> = self.of_accounts(houses, list)?;
        self.list("price-series", &all)?;
        let store = self.store;
        for one in &all {
            let content = Content {
                kind: "prices",
                account: &one.account,
                name: &one.series,
            };
            let of = (Some(&*one.account), &*one.series);
            let all = (
                TimeRange::ALL.start().millis(),
                TimeRange::ALL.end().millis(),
            );
            let write = |file: &mut ExportFile<'_>| write_series(store, of, all, file);
            self.files.file(content, "csv", write)?;
        }
        Ok(())
    }

    fn day_lists(&mut self, houses: &[ExportedHouse]) -> Result<()> {
        let list = |account| Request::Days(DayRequest::List { account });
        let all: Vec<DayListRow> = self.of_accounts(houses, list)?;
        self.list("day-lists", &all)?;
        for one in &all {
            let content = Content {
                kind: "days",
                account: &one.account,
                name: &one.list,
            };
            let request = Request::Days(DayRequest::Days(DayRange {
                account: Some(one.account.clone()),
                list: one.list.clone(),
                start: None,
                end: None,
            }));
            let days: Vec<DayRow> = self.store.ask(request)?;
            self.files.file(content, "csv", |file| {
                file.write_all(DayRow::table(&days).as_bytes())?;
                Ok(days.len() as u64)
            })?;
        }
        Ok(())
    }
}
