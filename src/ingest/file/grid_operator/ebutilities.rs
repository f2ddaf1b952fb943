//! Energies as XML of [ebUtilities](https://www.ebutilities.at), from grid operators in Austria.
//!
//! ```text
//! <ConsumptionRecord><ProcessDirectory><MeteringPoint>AT00..</MeteringPoint><Energy>
//! <MeteringIntervall>QH</MeteringIntervall><EnergyData MeterCode="1-1:1.9.0 G.01" UOM="KWH"><EP>
//! <DTF>2026-01-05T00:00:00+01:00</DTF><DTT>..</DTT><MM>L1</MM><BQ>0.25</BQ></EP>..
//! ```

use anyhow::{Result, bail};

use super::metered::{MeteredRows, SeriesNames};
use crate::ingest::file::intake::FileIntake;
use crate::ingest::file::source::ImportSource;
use crate::ingest::file::xml_walk::{XmlStep, attribute, walk};
use crate::ingest::table::{RowWhen, TimeFault, TimeReader, When, plain_number, shown};

/// Whether XML that begins with `head` is a message of ebUtilities.
pub(in crate::ingest::file) fn begins_with_ebutilities(head: &[u8]) -> bool {
    let has = |sign: &[u8]| head.windows(sign.len()).any(|part| part == sign);
    has(b"ebutilities.at") || has(b"ConsumptionRecord")
}

/// A message that is being read.
struct RecordReader<'a> {
    times: TimeReader,
    rows: MeteredRows<'a>,
    /// The element that is being read.
    data: SeriesNames,
    position: EnergyPosition,
    number: u64,
}

/// A value with its times.
#[derive(Default)]
struct EnergyPosition {
    starts: String,
    ends: String,
    method: String,
    quantity: String,
}

/// Reads the energies of `source`.
///
/// # Errors
/// If it is damaged, another message, or a choice is missing.
pub(in crate::ingest::file) fn read_ebutilities(
    source: ImportSource,
    times: TimeReader,
    intake: &mut FileIntake,
) -> Result<()> {
    intake.place_word = "value";
    intake.passes.set_zone(times.zone());
    let mut reader = RecordReader {
        times,
        rows: MeteredRows::new(intake),
        data: SeriesNames {
            is_interval: true,
            ..SeriesNames::default()
        },
        position: EnergyPosition::default(),
        number: 0,
    };
    walk(source.rows(), |step| reader.see(&step))?;
    if reader.number == 0 {
        bail!(
            "it is a ConsumptionRecord of ebUtilities without energies: ask the grid operator for quarter-hours or days"
        );
    }
    reader.rows.tell_substitutes();
    Ok(())
}

impl RecordReader<'_> {
    fn see(&mut self, step: &XmlStep<'_>) -> Result<()> {
        match step {
            XmlStep::Open([root], _) if root != "ConsumptionRecord" => {
                let root: String = root.chars().take(40).collect();
                bail!(
                    "it is a message {root} of ebUtilities, which has no energies: ask the grid operator for a ConsumptionRecord, or for CSV"
                );
            }
            XmlStep::Open([.., name], start) => match name.as_str() {
                "EnergyData" => {
                    self.data.code = attribute(start, "MeterCode").unwrap_or_default();
                    self.data.unit = attribute(start, "UOM").unwrap_or_default();
                }
                "EP" | "EnergyPosition" => self.position = EnergyPosition::default(),
                _ => {}
            },
            XmlStep::Close([.., parent, name], text) => match (parent.as_str(), name.as_str()) {
                ("ProcessDirectory", "MeteringPoint") => (*text).clone_into(&mut self.data.point),
                ("Energy", "MeteringIntervall") => {
                    self.rows.intake.rules.usual_length_ms = match *text {
                        "QH" => 900_000,
                        "H" => 3_600_000,
                        "D" => 86_400_000,
                        _ => 0,
                    };
                }
                (_, "DTF") => (*text).clone_into(&mut self.position.starts),
                (_, "DTT") => (*text).clone_into(&mut self.position.ends),
                (_, "MM") => (*text).clone_into(&mut self.position.method),
                (_, "BQ") => (*text).clone_into(&mut self.position.quantity),
                (_, "EP" | "EnergyPosition") => self.take()?,
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    /// Takes the value that ended.
    fn take(&mut self) -> Result<()> {
        self.number += 1;
        let position = std::mem::take(&mut self.position);
        let cell = plain_number(position.quantity.as_bytes())
            .map_err(|expected| format!("{expected}, got {}", shown(position.quantity.as_bytes())));
        let when = self.when(&position).map_err(TimeFault::into_text);
        let value = when.and_then(|when| cell.map(|cell| (when, cell)));
        let is_substitute = matches!(position.method.as_str(), "L2" | "L3");
        self.rows
            .take(&self.data, (value, is_substitute), self.number)?;
        Ok(())
    }

    fn when(&mut self, position: &EnergyPosition) -> Result<RowWhen, TimeFault> {
        let from = self.times.label(position.starts.as_bytes())?;
        if position.ends.is_empty() {
            return self.times.start(from, When::From);
        }
        let to = self.times.label(position.ends.as_bytes())?;
        self.times.span(from, to, (false, None))
    }
}
