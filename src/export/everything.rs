//! `wattkeeper export --all`: everything in the store, in files that other programs read. docs/LEAVING.md
//! describes each, and comes along as `README.md`.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

use super::folder::{Content, ExportFolder};
use super::reports::{ExportedHouse, Reports};
use super::{ExportFormat, write_readings};
use crate::admin::{
    AccountRow, ContractRequest, CorrectionRow, DayListRow, DayRange, DayRequest, DayRow,
    EntryRequest, KeyRow, LinkedUserRow, PeopleRequest, PersonRow, PriceRequest,
    PriceSourceRequest, PriceSourceRow, ReadingRange, ReadingRow, Request, Response, SensorRow,
    SeriesRow, UnexpectedResponse, WallRequest, WallRow,
};
use crate::cli::args::Global;
use crate::cli::connection::StoreConnection;
use crate::cli::output::{progress, seconds_since};
use crate::cli::price_source;
use crate::cli::prices::write_series;
use crate::domain::{EntryKind, TimeRange, Timestamp};
use crate::store::OpenMode;

const README: &str = include_str!("../../../docs/LEAVING.md");

/// An export under way.
struct Everything<'a> {
    store: &'a StoreConnection,
    folder: ExportFolder,
    readings: u64,
    bar: ProgressBar,
}

/// Writes everything into the new folder `target`.
pub(super) fn run(global: &Global, target: &Path) -> Result<()> {
    let begun = Instant::now();
    let sources: Vec<PriceSourceRow> = price_source::ask(global, PriceSourceRequest::List)?;
    let bar = progress(None, "{human_pos} readings written", global.quiet);
    let (files, sensors, readings) = global.with_store(OpenMode::Existing, |store| {
        let mut all = Everything {
            store,
            folder: ExportFolder::create(target)?,
            readings: 0,
            bar: bar.clone(),
        };
        all.list("price-sources", &sources)?;
        let sensors = all.write()?;
        Ok((all.folder.finish()?, sensors, all.readings))
    })?;
    bar.finish_and_clear();
    let (folder, seconds) = (target.display().to_string(), seconds_since(begun));
    global.print(
        &json!({ "folder": folder, "files": files, "sensors": sensors, "readings": readings, "seconds": seconds }),
        &format!(
            "wrote {readings} readings of {sensors} sensors, and everything else, to {files} files in {folder}, in {seconds:.1} s. README.md there describes them."
        ),
    )
}

impl Everything<'_> {
    /// Returns the number of sensors.
    fn write(&mut self) -> Result<usize> {
        let readme = named("README");
        let mut file = self.folder.file(readme, "md")?;
        file.write_all(README.as_bytes())?;
        self.folder.end(file, 0)?;
        let accounts: Vec<AccountRow> = self.listed("accounts", Request::ListAccounts)?;
        let sensors: Vec<SensorRow> = self.listed("sensors", Request::ListSensors)?;
        self.lists()?;
        let mut houses = accounts
            .iter()
            .map(ExportedHouse::of)
            .collect::<Result<Vec<_>>>()?;
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
            self.entries(kind, &houses)?;
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

    fn reports(&mut self) -> Reports<'_> {
        Reports {
            store: self.store,
            folder: &mut self.folder,
        }
    }

    /// The lists that need no account.
    fn lists(&mut self) -> Result<()> {
        let contracts = ContractRequest::List { account: None };
        let rows: Vec<String> = self.store.ask(Request::Contracts(contracts))?;
        self.json_list("contracts", &rows)?;
        let corrections = Request::ListCorrections { sensor: None };
        self.listed::<CorrectionRow>("corrections", corrections)?;
        self.listed::<KeyRow>("keys", Request::ListKeys)?;
        self.listed::<PersonRow>("people", Request::People(PeopleRequest::List))?;
        let linked = Request::People(PeopleRequest::ListLinked);
        self.listed::<LinkedUserRow>("linked-users", linked)?;
        self.listed::<WallRow>("wall-tablets", Request::Walls(WallRequest::List))?;
        Ok(())
    }

    /// Writes the answer of a request as a file, and returns it.
    fn listed<T>(&mut self, kind: &str, request: Request) -> Result<Vec<T>>
    where
        T: Serialize,
        Vec<T>: TryFrom<Response, Error = UnexpectedResponse>,
    {
        let rows: Vec<T> = self.store.ask(request)?;
        self.list(kind, &rows)?;
        Ok(rows)
    }

    fn list<T: Serialize>(&mut self, kind: &str, rows: &[T]) -> Result<()> {
        let rows = rows.iter().map(serde_json::to_string);
        self.json_list(kind, &rows.collect::<Result<Vec<_>, _>>()?)
    }

    /// Writes rows of JSON as an array, one a line.
    fn json_list(&mut self, kind: &str, rows: &[String]) -> Result<()> {
        let mut file = self.folder.file(named(kind), "json")?;
        let count = rows.len() as u64;
        let text = if rows.is_empty() {
            "[]\n".to_owned()
        } else {
            format!("[\n{}\n]\n", rows.join(",\n"))
        };
        file.write_all(text.as_bytes())?;
        self.folder.end(file, count)
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
        let mut file = self.folder.file(content, "csv")?;
        let range = ReadingRange {
            sensor: sensor.sensor_id.clone(),
            start_ms: TimeRange::ALL.start().millis(),
            end_ms: TimeRange::ALL.end().millis(),
        };
        let (mut first, mut count) = (None, 0);
        let (bar, before) = (&self.bar, self.readings);
        let seen = |rows: &[ReadingRow]| {
            first = first.or_else(|| rows.first().map(|row| row.time_ms));
            count += rows.len() as u64;
            bar.set_position(before + count);
        };
        write_readings(self.store, range, ExportFormat::Csv, &mut file, seen)?;
        self.readings += count;
        self.folder.end(file, count)?;
        Ok(first.and_then(Timestamp::from_millis))
    }

    fn price_series(&mut self, houses: &[ExportedHouse]) -> Result<()> {
        let list = |account| Request::Prices(PriceRequest::List { account });
        let all: Vec<SeriesRow> = self.of_accounts(houses, list)?;
        self.list("price-series", &all)?;
        for one in &all {
            let content = Content {
                kind: "prices",
                account: &one.account,
                name: &one.series,
            };
            let mut file = self.folder.file(content, "csv")?;
            let of = (Some(&*one.account), &*one.series);
            let all = (
                TimeRange::ALL.start().millis(),
                TimeRange::ALL.end().millis(),
            );
            let count = write_series(self.store, of, all, &mut file)?;
            self.folder.end(file, count)?;
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
            let mut file = self.folder.file(content, "csv")?;
            file.write_all(DayRow::table(&days).as_bytes())?;
            self.folder.end(file, days.len() as u64)?;
        }
        Ok(())
    }
}

/// A file without a folder.
const fn named(kind: &str) -> Content<'_> {
    Content {
        kind,
        account: "",
        name: "",
    }
}
