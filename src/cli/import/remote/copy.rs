//! Windows of readings, one after the other, each stored before the next is asked for.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::answer::ElecPoint;
use super::client::{ElecClient, ElecReply};
use crate::admin::{ReadingRange, ReadingRow, Request, SensorRow};
use crate::cli::connection::StoreConnection;
use crate::cli::import::summary::ImportSummary;
use crate::cli::output::progress;
use crate::domain::{MeterKind, Timestamp};
use crate::store::Store;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// How long windows are: the first, the shortest and the longest.
const FIRST_MS: i64 = DAY_MS;
const SHORTEST_MS: i64 = 60_000;
const LONGEST_MS: i64 = 32 * DAY_MS;
/// Windows get longer while their answers have fewer points than this.
const FEW_POINTS: usize = 20_000;
// At most `Store::IMPORT_CHUNK`, to which `admin` cuts a page: a shorter page passes for the last one.
/// How many stored readings are looked at at once.
const PAGE: u32 = 16_384;

/// A copy on its way.
pub(super) struct ElecCopy<'s> {
    store: &'s StoreConnection,
    sensor: &'s SensorRow,
    dry_run: bool,
    begin: Timestamp,
    end: Timestamp,
    /// The last register and its time. Energies up to that time are in it.
    register: (Timestamp, f64),
    /// Whether that is stored; otherwise it is where counting begins.
    has_register: bool,
    has_energy: bool,
    /// The reading at the end of the last window, where the next one begins: both have it.
    border: Option<ReadingRow>,
    summary: ImportSummary,
    stored: u64,
}

/// What a copy brought.
pub(super) struct CopiedReadings {
    pub(super) summary: ImportSummary,
    pub(super) stored: u64,
    /// The last register, if energy was copied.
    pub(super) register: Option<(Timestamp, f64)>,
}

impl<'s> ElecCopy<'s> {
    /// Finds out where to begin: at `start`, or else where the last copy ended.
    ///
    /// # Errors
    /// If there is nothing stored and no start, or the range is empty.
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
                    bail!("nothing is stored for {id} yet: say with --start TIME from when to copy")
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
            summary: ImportSummary::new(sensor.register == MeterKind::Interval),
            stored: 0,
        })
    }

    /// Copies all windows.
    ///
    /// # Errors
    /// If the server or the store fails; what is copied by then is stored.
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
                    bail!("the server does not answer even for a minute, from {from} on");
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
                // Energies count from somewhere: without this, the first would not count.
                let ms = self.register.0.millis();
                rows.entry(ms).or_insert_with(|| empty(ms)).watthours = Some(self.register.1);
            }
            let register = match self.sensor.register {
                MeterKind::Interval => point.value,
                // Without the noise of many additions: the API has millionths of a watt-hour.
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
        // In order of time: so what is stored when an import ends early is all up to the newest reading.
        let rows: Vec<_> = rows.into_values().collect();
        self.store_rows(&rows)
    }

    fn store_rows(&mut self, rows: &[ReadingRow]) -> Result<()> {
        for row in rows {
            self.summary
                .count(row.reading().map_err(anyhow::Error::msg)?);
        }
        if self.dry_run {
            return Ok(());
        }
        for chunk in rows.chunks(Store::IMPORT_CHUNK) {
            let count: u64 = self.store.ask(Request::Import {
                sensor: self.sensor.sensor_id.clone(),
                readings: chunk.to_vec(),
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
