//! Windows of readings, one after another; each is stored before the next is requested.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::answer::ElecPoint;
use super::client::{ElecClient, ElecReply};
use crate::admin::{ImportHow, ReadingRange, ReadingRow, Request, SensorRow};
use crate::cli::connection::StoreConnection;
use crate::cli::output::progress;
use crate::domain::{MeterKind, Timestamp};
use crate::ingest::file::ImportSummary;
use crate::store::Store;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The lengths of windows: the first, the shortest and the longest.
const FIRST_MS: i64 = DAY_MS;
const SHORTEST_MS: i64 = 60_000;
const LONGEST_MS: i64 = 32 * DAY_MS;
/// Windows get longer while their answers have fewer points than this.
const FEW_POINTS: usize = 20_000;
// At most `Store::IMPORT_CHUNK`, to which `admin` cuts a page: a shorter page is taken for the last
// one.
/// The number of stored readings fetched at once.
const PAGE: u32 = 16_384;

/// A copy in progress.
pub(super) struct ElecCopy<'s> {
    store: &'s StoreConnection,
    sensor: &'s SensorRow,
    dry_run: bool,
    begin: Timestamp,
    end: Timestamp,
    /// The last register and its time. It includes the energy up to that time.
    register: (Timestamp, f64),
    /// Whether that register is stored; otherwise counting begins there.
    has_register: bool,
    has_energy: bool,
    /// The reading at the end of the last window and the start of the next, which both contain.
    border: Option<ReadingRow>,
    summary: ImportSummary,
    stored: u64,
}

/// The result of a copy.
pub(super) struct CopiedReadings {
    pub(super) summary: ImportSummary,
    pub(super) stored: u64,
    /// The last register, if energy was copied.
    pub(super) register: Option<(Timestamp, f64)>,
}

impl<'s> ElecCopy<'s> {
    /// Determines where to begin: at `start`, or else where the last copy ended.
    ///
    /// # Errors
    /// If nothing is stored and there is no start, or the range is empty.
    pub(super) fn open(
        store: &'s StoreConnection,
        sensor: &'s SensorRow,
        start: Option<Timestamp>,
        end: Timestamp,
        dry_run: bool,
    ) -> Result<Self> {
        let id = &sensor.sensor_id;
        let (begin, border) = match start {
            Some(start) => (start, None),
            None => match newest(store, id, end, |_| true)? {
                Some(row) => (time_of(&row), Some(row)),
                None => {
                    bail!(
                        "nothing is stored for {id} yet: name the first time to copy with --start TIME"
                    )
                }
            },
        };
        if begin >= end {
            bail!("there is nothing to copy from {begin} to {end}");
        }
        let before = newest(store, id, begin, |row| row.watthours.is_some())?;
        Ok(Self {
            store,
            sensor,
            dry_run,
            begin,
            end,
            has_register: before.is_some(),
            register: before.map_or((begin, 0.0), |row| {
                (time_of(&row), row.watthours.unwrap_or_default())
            }),
            has_energy: false,
            border,
            summary: ImportSummary::new(sensor.register == MeterKind::Interval, None),
            stored: 0,
        })
    }

    /// Copies all windows.
    ///
    /// # Errors
    /// If the server or the store fails; readings copied by then are stored.
    pub(super) fn run(&mut self, mut client: ElecClient, quiet: bool) -> Result<()> {
        let length = self.end.millis() - self.begin.millis();
        let progress = progress(
            u64::try_from(length).ok(),
            "copying  {wide_bar} {percent}% {eta}",
            quiet,
        );
        let (mut from, mut window) = (self.begin, FIRST_MS);
        while from < self.end {
            let until = from.saturating_add_millis(window).min(self.end);
            let power = client.ask(["rate", "watts"], from, until)?;
            let energy = match &power {
                ElecReply::Points(_) => client.ask(["consumption", "watthours"], from, until)?,
                ElecReply::TooLong => ElecReply::TooLong,
            };
            let (ElecReply::Points(power), ElecReply::Points(energy)) = (power, energy) else {
                if window <= SHORTEST_MS {
                    bail!("the server cannot answer even for the minute from {from}");
                }
                window = (window / 4).max(SHORTEST_MS);
                continue;
            };
            if power.len().max(energy.len()) < FEW_POINTS {
                window = (window * 2).min(LONGEST_MS);
            }
            self.take(&power, &energy, from, until)?;
            progress.inc(u64::try_from(until.millis() - from.millis()).unwrap_or_default());
            from = until;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Stores the points of a window.
    fn take(
        &mut self,
        power: &[ElecPoint],
        energy: &[ElecPoint],
        from: Timestamp,
        until: Timestamp,
    ) -> Result<()> {
        let mut rows: BTreeMap<i64, ReadingRow> = BTreeMap::new();
        let is_inside = |point: &&ElecPoint| point.time >= from && point.time <= until;
        let empty = |time_ms| ReadingRow {
            time_ms,
            watts: None,
            watthours: None,
        };
        for point in power.iter().filter(is_inside) {
            let ms = point.time.millis();
            rows.entry(ms).or_insert_with(|| empty(ms)).watts = Some(point.value);
        }
        let mut energy: Vec<_> = energy.iter().filter(is_inside).collect();
        energy.sort_by_key(|point| point.time);
        for point in energy {
            // A server may count the ends of windows twice.
            if point.time <= self.register.0 {
                continue;
            }
            if !std::mem::replace(&mut self.has_register, true) {
                // Energies are counted from a start: without this register, the first energy would
                // not count.
                let ms = self.register.0.millis();
                rows.entry(ms).or_insert_with(|| empty(ms)).watthours = Some(self.register.1);
            }
            let register = match self.sensor.register {
                MeterKind::Interval => point.value,
                // Without the rounding noise of many additions: the API has millionths of a
                // watt-hour.
                _ => ((self.register.1 + point.value) * 1e6).round() / 1e6,
            };
            self.register = (point.time, register);
            self.has_energy = true;
            let ms = point.time.millis();
            rows.entry(ms).or_insert_with(|| empty(ms)).watthours = Some(register);
        }
        let known = self.border.take();
        self.border = rows.get(&until.millis()).copied();
        let is_known = |row: &ReadingRow, known: &ReadingRow| {
            row.watts == known.watts
                && (row.watthours.is_none() || row.watthours == known.watthours)
        };
        if let Some(known) = known
            && rows
                .get(&known.time_ms)
                .is_some_and(|row| is_known(row, &known))
        {
            rows.remove(&known.time_ms);
        }
        // In order of time, so that an import that ends early has stored everything up to its
        // newest reading.
        let rows: Vec<_> = rows.into_values().collect();
        self.store_rows(&rows)
    }

    fn store_rows(&mut self, rows: &[ReadingRow]) -> Result<()> {
        for row in rows {
            self.summary
                .count(row.reading().map_err(anyhow::Error::msg)?, None);
        }
        if self.dry_run {
            return Ok(());
        }
        for chunk in rows.chunks(Store::IMPORT_CHUNK) {
            let count: u64 = self.store.ask(Request::Import {
                sensor: self.sensor.sensor_id.clone(),
                rows: chunk.to_vec(),
                how: ImportHow::Store,
            })?;
            self.stored += count;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> CopiedReadings {
        CopiedReadings {
            summary: self.summary,
            stored: self.stored,
            register: self.has_energy.then_some(self.register),
        }
    }
}

fn time_of(row: &ReadingRow) -> Timestamp {
    Timestamp::from_millis(row.time_ms).unwrap_or(Timestamp::MIN)
}

/// The newest stored reading up to `end` that `is_wanted`. It looks back further and further.
fn newest(
    store: &StoreConnection,
    sensor: &str,
    end: Timestamp,
    is_wanted: impl Fn(&ReadingRow) -> bool,
) -> Result<Option<ReadingRow>> {
    let (mut end_ms, mut span) = (end.millis(), DAY_MS);
    loop {
        let start_ms = end_ms.saturating_sub(span).max(Timestamp::MIN.millis());
        let mut range = ReadingRange {
            sensor: sensor.to_owned(),
            start_ms,
            end_ms,
        };
        let mut found = None;
        loop {
            let rows: Vec<ReadingRow> = store.ask(Request::ReadPage {
                range: range.clone(),
                limit: PAGE,
            })?;
            let last = rows.last().map(|row| row.time_ms);
            let is_full = rows.len() >= PAGE as usize;
            found = rows.into_iter().rev().find(&is_wanted).or(found);
            match last {
                Some(last) if is_full && last < range.end_ms => range.start_ms = last + 1,
                _ => break,
            }
        }
        if found.is_some() || start_ms == Timestamp::MIN.millis() {
            return Ok(found);
        }
        end_ms = start_ms - 1;
        span = span.saturating_mul(4);
    }
}
