//! Green Button: the series of an ESPI feed, their readings, and their energies.

use anyhow::{Result, bail};

use super::espi::{EspiBlock, EspiFeed, EspiMeter, EspiReading, EspiType, read_feed};
use super::{IntervalRows, IntervalTable};
use crate::cli::import::listing::{FileSeries, which};
use crate::cli::import::source::ImportSource;
use crate::cli::import::unit::{ImportMeasure, UnitWishes};
use crate::domain::Timestamp;
use crate::ingest::table::{TimeReader, Wishes};

/// A parsed feed.
pub(in crate::cli::import) struct GreenButton {
    feed: EspiFeed,
    /// The series of each block.
    meters: Vec<Option<usize>>,
    times: TimeReader,
}

/// A series of energies.
struct EspiSeries {
    /// Its index in the feed.
    meter: usize,
    kind: EspiType,
    /// The unit of a value: watt-hours times a power of ten.
    unit: EspiUnit,
}

#[derive(Clone, Copy, PartialEq)]
enum EspiUnit {
    WattHours,
    Joules,
}

impl EspiSeries {
    /// The name, with the properties that distinguish the series.
    fn name(&self, feed: &EspiFeed) -> String {
        let direction = match self.kind.direction {
            Some(19) => "exported",
            Some(1) => "imported",
            _ => "energy",
        };
        let length = self.kind.length.map(|seconds| format!(" each {seconds} s"));
        let own = feed
            .meters
            .get(self.meter)
            .map_or("", |it| it.links.own.as_str());
        format!("{direction}{} {own}", length.unwrap_or_default())
    }

    /// The energy of a value in watt-hours.
    fn watthours(&self, value: f64) -> f64 {
        // As text, because moving its decimal point is exact.
        let multiplier = self.kind.multiplier.unwrap_or_default().clamp(-30, 30);
        let number: f64 = format!("{value}e{multiplier}").parse().unwrap_or(f64::NAN);
        match self.unit {
            EspiUnit::WattHours => number,
            EspiUnit::Joules => number / 3_600.0,
        }
    }
}

impl GreenButton {
    /// Reads a feed.
    ///
    /// # Errors
    /// If it cannot be read, or is other XML.
    pub(in crate::cli::import) fn read(source: ImportSource, times: TimeReader) -> Result<Self> {
        let feed = read_feed(source.rows())?;
        if feed.blocks.is_empty() {
            bail!(
                "it is XML, but not a Green Button file with readings: expected a feed with IntervalBlock"
            );
        }
        let meters = feed
            .blocks
            .iter()
            .map(|block| meter_of(&feed.meters, block));
        Ok(Self {
            meters: meters.collect(),
            feed,
            times,
        })
    }

    /// The series of electric energy.
    pub(in crate::cli::import) fn list(&self) -> Result<Vec<FileSeries>> {
        self.series()
            .iter()
            .map(|series| {
                let table = self.table(series)?;
                let starts = table.intervals.iter().map(|it| it.start);
                let ends = table.intervals.iter().map(|it| it.end);
                Ok(FileSeries {
                    series: series.name(&self.feed),
                    unit: Some("Wh".to_owned()),
                    values: u64::try_from(table.intervals.len()).unwrap_or(u64::MAX),
                    first: starts.min().map(|time| time.to_string()),
                    last: ends.max().map(|time| time.to_string()),
                })
            })
            .collect()
    }

    /// The intervals of the series named by `wishes`, or of the only one.
    ///
    /// # Errors
    /// If it is not clear which series is meant, or two intervals overlap.
    pub(in crate::cli::import) fn rows(
        self,
        wishes: &Wishes,
        units: UnitWishes,
    ) -> Result<IntervalRows> {
        if wishes.watts.is_some() || wishes.time.is_some() || !wishes.filters.is_empty() {
            bail!(
                "it contains energies of intervals: leave out --watts-column, --time-column and --where"
            );
        }
        if units.has_energy() {
            bail!("its units are in the file: leave out --unit");
        }
        let series = self.series();
        let chosen = match (&wishes.watthours, series.as_slice()) {
            (None, [only]) => only,
            (None, _) => bail!(which(&self.list()?, None)),
            (Some(wish), _) => {
                let is_of = |series: &&EspiSeries| series.name(&self.feed) == *wish;
                let Some(series) = series.iter().find(is_of) else {
                    let missing = Some((wish.as_str(), ImportMeasure::Register));
                    bail!(which(&self.list()?, missing));
                };
                series
            }
        };
        self.table(chosen)?.finish()
    }

    /// The series of the feed with electric energy of intervals.
    fn series(&self) -> Vec<EspiSeries> {
        let meters = self.feed.meters.iter().enumerate();
        meters
            .filter_map(|(meter, it)| {
                let kind = self.kind_of(it)?.clone();
                let unit = match kind.unit {
                    Some(72) => EspiUnit::WattHours,
                    Some(31) => EspiUnit::Joules,
                    _ => return None,
                };
                // Electric energy since the previous reading. Registers, sums of bills and gas have
                // other codes.
                let is_energy = matches!(kind.kind, None | Some(0 | 12))
                    && matches!(kind.commodity, None | Some(0..=2))
                    && matches!(kind.accumulation, None | Some(0 | 1 | 4));
                is_energy.then_some(EspiSeries { meter, kind, unit })
            })
            .collect()
    }

    /// The type of a series: the type it links to, or else the only one.
    fn kind_of(&self, meter: &EspiMeter) -> Option<&EspiType> {
        let related = &meter.links.related;
        let is_related = |kind: &&EspiType| {
            [&kind.links.own, &kind.links.up]
                .into_iter()
                .any(|address| !address.is_empty() && related.contains(address))
        };
        match self.feed.types.as_slice() {
            [only] => Some(only),
            types => types.iter().find(is_related),
        }
    }

    fn table(&self, series: &EspiSeries) -> Result<IntervalTable> {
        let mut table = IntervalTable::default();
        let blocks = self.feed.blocks.iter().zip(&self.meters);
        for (block, _) in blocks.filter(|(_, meter)| **meter == Some(series.meter)) {
            for (index, reading) in block.readings.iter().enumerate() {
                let place = || format!("reading {} of block {}", index + 1, block.links.own);
                let Some(value) = reading.value else {
                    table.no_value += 1;
                    continue;
                };
                match self.ends(block, series, index, *reading) {
                    Ok([start, end]) => table.add(place, start, end, series.watthours(value))?,
                    Err(reason) => table.add_bad(place, reason),
                }
            }
        }
        Ok(table)
    }

    /// Start and end of a reading. If it lacks them, they follow from its place in the block.
    #[expect(
        clippy::cast_precision_loss,
        reason = "seconds of any year have 40 bits"
    )]
    fn ends(
        &self,
        block: &EspiBlock,
        series: &EspiSeries,
        index: usize,
        reading: EspiReading,
    ) -> Result<[Timestamp; 2], String> {
        let length = reading.duration.or(series.kind.length);
        let length = length.ok_or("its duration is missing")?;
        let counted = || {
            let after = i64::try_from(index).ok()?.checked_mul(length)?;
            block.start?.checked_add(after)
        };
        let start = reading
            .start
            .or_else(counted)
            .ok_or("its start is missing")?;
        let end = start.checked_add(length).ok_or("its end is out of range")?;
        Ok([
            self.times.seconds(start as f64)?,
            self.times.seconds(end as f64)?,
        ])
    }
}

/// The series that a block belongs to.
fn meter_of(meters: &[EspiMeter], block: &EspiBlock) -> Option<usize> {
    let is_of = |meter: &EspiMeter| {
        let own = &meter.links.own;
        let related = &meter.links.related;
        let is_below = |address: &str| {
            let rest = address.strip_prefix(own.as_str());
            !own.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let addresses = [&block.links.own, &block.links.up];
        addresses
            .iter()
            .any(|it| !it.is_empty() && (related.contains(it) || is_below(it)))
    };
    meters
        .iter()
        .position(is_of)
        // Without links, the block belongs to the only series, or to the one before it.
        .or_else(|| (meters.len() == 1).then_some(0))
        .or_else(|| block.after_meters.checked_sub(1))
}
