//! [NEM12](https://www.aemo.com.au/energy-systems/electricity/national-electricity-market-nem/market-operations/retail-and-metering),
//! the format of all distributors in Australia: each row has a register's energies of a day, by
//! interval.
//!
//! ```text
//! 100,NEM12,202601060000,MDP,RETAILER
//! 200,NMI,E1B1,,E1,,SERIAL,kWh,30,
//! 300,20260105,0.461,0.810,..,A,,,20260106010203,
//! 900
//! ```

use anyhow::{Result, bail};
use csv::ByteRecord;

use super::intake::{FileIntake, Offer};
use super::selection::LabeledSeries;
use super::source::ImportSource;
use crate::ingest::table::{
    Cell, ParsedRow, TableBytes as _, TimeReader, When, plain_number, records, shown,
};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 1_440;
/// The offset of the market's clock: ten hours ahead of UTC, also in summer.
const AHEAD: &[u8] = b" 00:00:00+10:00";

/// Whether a stream that begins with `head` is NEM12.
pub(super) fn begins_with_nem12(head: &[u8]) -> bool {
    head.starts_with(b"100,NEM12")
        || (head.starts_with(b"200,") && head.windows(5).any(|it| it == b"\n300,"))
}

/// The register of the rows that follow.
struct DayRegister {
    name: String,
    offer: Offer,
    unit: String,
    minutes: i64,
}

/// Reads the registers of `source`.
///
/// # Errors
/// If `source` cannot be read, or a register has a wrong interval length.
pub(super) fn read_nem12(
    source: ImportSource,
    times: &TimeReader,
    intake: &mut FileIntake,
) -> Result<()> {
    let mut reader = records(source.rows(), b',');
    let mut record = ByteRecord::new();
    let mut register = None;
    let mut times = times.clone();
    loop {
        reader.get_mut().row_ended();
        if !reader.read_byte_record(&mut record)? {
            return Ok(());
        }
        let line = record.position().map_or(0, csv::Position::line);
        match (record.get(0), &register) {
            (Some(b"200"), _) => match begin(&record, intake) {
                Ok(begun) => register = Some(begun),
                Err(why) => bail!("line {line}: {why}"),
            },
            (Some(b"300"), Some(register)) => {
                take_day(&record, register, &mut times, line, intake)?;
            }
            (Some(b"300"), None) => {
                bail!("line {line}: expected a row that begins with 200 before it")
            }
            _ => {}
        }
    }
}

fn text(record: &ByteRecord, column: usize) -> String {
    String::from_utf8_lossy(record.get(column).unwrap_or_default().trim_ascii()).into_owned()
}

/// Offers the register in a row.
fn begin(record: &ByteRecord, intake: &mut FileIntake) -> Result<DayRegister, String> {
    let (meter, name, unit) = (text(record, 1), text(record, 4), text(record, 7));
    let minutes: i64 = text(record, 8).parse().unwrap_or_default();
    if minutes <= 0 || DAY_MINUTES % minutes != 0 {
        return Err(format!(
            "expected the minutes of an interval, got {:?}",
            text(record, 8)
        ));
    }
    let known = ["kWh", "Wh", "MWh"]
        .into_iter()
        .find(|it| it.eq_ignore_ascii_case(&unit));
    let unit = known.map_or(unit, str::to_owned);
    let full = format!("{name} of {meter}");
    let offer = if known.is_none() && !intake.lists() {
        // Reactive energy is not energy.
        Offer::Pass
    } else {
        let offer = intake.offer(&LabeledSeries {
            name: &name,
            labels: &[("meter", &meter)],
            full: full.clone(),
            unit: Some(&unit),
            is_only_energy: true,
        })?;
        if let Offer::Take(_) = offer {
            intake
                .begin_intervals()
                .map_err(|error| error.to_string())?;
        }
        offer
    };
    Ok(DayRegister {
        name: full,
        offer,
        unit,
        minutes,
    })
}

/// Takes the energies of a day.
fn take_day(
    record: &ByteRecord,
    register: &DayRegister,
    times: &mut TimeReader,
    line: u64,
    intake: &mut FileIntake,
) -> Result<()> {
    if register.offer == Offer::Pass {
        return intake.take(ParsedRow::Other, line);
    }
    let date = record.get(1).unwrap_or_default();
    let midnight = match times.read(&[date, AHEAD].concat()) {
        Ok(midnight) => midnight,
        Err(why) => return intake.take(ParsedRow::Bad(why), line),
    };
    // A row that ends early has no more values: a short one does not become a day of minutes.
    let cells = record.iter().skip(2);
    for (index, cell) in (0..DAY_MINUTES / register.minutes).zip(cells) {
        let start = midnight.saturating_add_millis(index * register.minutes * MINUTE_MS);
        let when = When::Between(
            start,
            start.saturating_add_millis(register.minutes * MINUTE_MS),
        );
        let row = match (plain_number(cell), register.offer) {
            (Ok(Cell::Value(_)), Offer::Count) => {
                intake.count(&register.name, Some(&register.unit), when);
                continue;
            }
            (Ok(Cell::Value(number)), Offer::Take(unit)) => unit.row(when, number),
            (Ok(_), _) => ParsedRow::NoValue,
            (Err(expected), _) => ParsedRow::Bad(format!("{expected}, got {}", shown(cell))),
        };
        intake.take(row, line)?;
    }
    Ok(())
}
