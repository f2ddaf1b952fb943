//! Green Button: the series of an ESPI feed, their readings, and their energies.

use anyhow::{Result, bail};

use super::espi::{EspiBlock, EspiFeed, EspiMeter, EspiReading, EspiType, read_feed};
use crate::domain::Timestamp;
use crate::ingest::file::intake::{FileIntake, Offer};
use crate::ingest::file::selection::LabeledSeries;
use crate::ingest::file::source::ImportSource;
use crate::ingest::table::{ParsedRow, SeriesUnit, TimeReader, When};

/// A parsed feed.
struct GreenButton<'a> {
    feed: EspiFeed,
    /// The series of each block.
    meters: Vec<Option<usize>>,
    times: &'a TimeReader,
}

/// A series of energies.
struct EspiSeries {
    /// Its index in the feed.
    meter: usize,
    kind: EspiType,
    /// The factor from its unit to watt-hours; `None` if the feed does not determine it.
    unit: Option<f64>,
}

/// The code of a direction from the house to the grid.
const EXPORTED: i64 = 19;

impl EspiSeries {
    /// The name, with the properties that distinguish the series.
    fn name(&self, feed: &EspiFeed) -> String {
        let direction = match self.kind.direction {
            Some(EXPORTED) => "exported",
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

    /// The energy of a value in `unit`.
    fn watthours(&self, value: f64, unit: SeriesUnit) -> Option<f64> {
        // As text, because moving its decimal point is exact.
        let multiplier = self.kind.multiplier.unwrap_or_default().clamp(-30, 30);
        let number: f64 = format!("{value}e{multiplier}").parse().ok()?;
        unit.convert(number / self.unit.unwrap_or(1.0))
    }
}

/// Reads the series of a feed.
///
/// # Errors
/// If it cannot be read, or is other XML.
pub(in crate::ingest::file) fn read_green_button(
    source: ImportSource,
    times: &TimeReader,
    intake: &mut FileIntake,
) -> Result<()> {
    let mut feed = read_feed(source.rows())?;
    if feed.blocks.is_empty() {
        bail!(
            "it is XML, but neither a Green Button file with readings nor a ConsumptionRecord of ebUtilities: expected a feed with IntervalBlock; ask for CSV otherwise"
        );
    }
    feed.complete();
    let meters = feed
        .blocks
        .iter()
        .map(|block| meter_of(&feed.meters, block));
    let button = GreenButton {
        meters: meters.collect(),
        feed,
        times,
    };
    intake.place_word = "reading";
    for series in button.series() {
        button.take(&series, intake)?;
    }
    Ok(())
}

impl GreenButton<'_> {
    /// The series of the feed with electric energy of intervals.
    fn series(&self) -> Vec<EspiSeries> {
        let meters = self.feed.meters.iter().enumerate();
        meters
            .filter_map(|(meter, it)| {
                let kind = self.kind_of(it)?.clone();
                let unit = match kind.unit {
                    Some(72) => Some(1.0),
                    Some(31) => Some(3_600.0),
                    None if self.feed.types.iter().all(|kind| kind.unit.is_none()) => None,
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

    /// Takes the readings of a series if it is wanted.
    fn take(&self, series: &EspiSeries, intake: &mut FileIntake) -> Result<()> {
        let name = series.name(&self.feed);
        let own = series.unit.map(|_| "Wh");
        let labeled = LabeledSeries {
            name: &name,
            labels: &[],
            full: name.clone(),
            unit: own,
            is_only_energy: true,
        };
        let unit = match intake.offer(&labeled).map_err(anyhow::Error::msg)? {
            Offer::Pass => return Ok(()),
            Offer::Take(unit) => {
                intake.begin_intervals()?;
                intake.rules.magnitude = self.is_negative(series, intake);
                Some(unit)
            }
            Offer::Count => None,
        };
        let mut number = 0;
        for block in self.blocks(series) {
            for (index, reading) in block.readings.iter().enumerate() {
                number += 1;
                let ends = self.ends(block, series, index, *reading);
                let row = match (reading.value, ends, unit) {
                    (Some(_), Ok(when), None) => {
                        intake.count(&name, own, when);
                        continue;
                    }
                    (None, ..) | (_, _, None) => ParsedRow::NoValue,
                    (Some(value), Ok(when), Some(unit)) => match series.watthours(value, unit) {
                        Some(watthours) => unit.row_of(when, watthours),
                        None => ParsedRow::Bad("expected a finite number".to_owned()),
                    },
                    (_, Err(reason), _) => ParsedRow::Bad(reason),
                };
                let place = || format!("reading {} of block {}", index + 1, block.links.own);
                intake.take_at(row, number, place)?;
            }
        }
        Ok(())
    }

    fn blocks(&self, series: &EspiSeries) -> impl Iterator<Item = &EspiBlock> {
        let meter = series.meter;
        let blocks = self.feed.blocks.iter().zip(&self.meters);
        blocks
            .filter(move |(_, of)| **of == Some(meter))
            .map(|(block, _)| block)
    }

    /// Whether all energies of an export are below zero: some suppliers write them so, although the
    /// direction is given, too.
    fn is_negative(&self, series: &EspiSeries, intake: &mut FileIntake) -> bool {
        if series.kind.direction != Some(EXPORTED) {
            return false;
        }
        let values = || {
            let readings = self.blocks(series).flat_map(|block| &block.readings);
            readings.filter_map(|reading| reading.value)
        };
        let (below, above) = (values().any(|it| it < 0.0), values().any(|it| it > 0.0));
        if below {
            intake.remarks.push(if above {
                "some of its exported energies are below zero: they count as imported".to_owned()
            } else {
                "all of its exported energies are below zero: their signs were dropped".to_owned()
            });
        }
        below && !above
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
    ) -> Result<When, String> {
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
        let [start, end]: [Timestamp; 2] = [
            self.times.seconds(start as f64)?,
            self.times.seconds(end as f64)?,
        ];
        if end <= start {
            return Err(format!("its end {end} is not after its start {start}"));
        }
        Ok(When::Between(start, end))
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
