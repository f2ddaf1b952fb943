//! `wattkeeper utility`: readings of the utility's meter, and its bills.

use anyhow::Result;
use clap::Subcommand;

use super::args::Global;
use super::entries::EntryColumn;
use super::output::aligned;
use super::owned::OwnerArgs;
use crate::admin::{
    BillForm, CorrectionForm, CorrectionRow, EntryForm, FactForm, LedgerRequest, Request,
};
use crate::domain::{EntryKind, Timestamp};
use crate::house::{OfferedCorrection, UtilityAnswer};

/// The utility: readings of its meter, and its bills
#[derive(Subcommand)]
pub(super) enum UtilityCommand {
    /// Enter a reading of the utility's meter, as a correction
    Add {
        /// The sensor that measures the same
        sensor: String,
        /// The time of the reading
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        at: Timestamp,
        /// The register, in kWh
        #[arg(long, value_name = "KWH", allow_negative_numbers = true)]
        kwh: f64,
        /// A note
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
        /// Save it although it is unlikely
        #[arg(long)]
        yes: bool,
    },
    /// Enter a bill
    Bill {
        /// The start of its range: a time, or a date in the account's time zone
        #[arg(long, value_name = "TIME")]
        from: String,
        /// The end of its range, exclusive
        #[arg(long, value_name = "TIME")]
        to: String,
        /// The amount to be paid
        #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
        total: String,
        /// The imported energy, in kWh
        #[arg(long, value_name = "KWH")]
        kwh: Option<String>,
        /// A line of the bill; can be repeated
        #[arg(long, value_name = "NAME=AMOUNT", value_parser = bill_line)]
        line: Vec<(String, String)>,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Compare readings of the utility's meter and its bills with the ledger
    Compare {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// List the bills
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Remove a bill
    Remove {
        /// Its number
        number: u32,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

fn bill_line(text: &str) -> Result<(String, String), &'static str> {
    // Split at the last `=`, because an amount has none.
    let (name, amount) = text
        .rsplit_once('=')
        .ok_or("expected a name and an amount, such as night=2.25")?;
    Ok((name.to_owned(), amount.to_owned()))
}

/// The columns of bills, each with its member.
const COLUMNS: &[EntryColumn] = &[
    ("number", "number"),
    ("account", "account"),
    ("from", "from"),
    ("to", "to"),
    ("total", "total"),
    ("kWh", "kwh"),
    ("lines", "lines"),
];

impl UtilityCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let entries = global.entries(EntryKind::Bill);
        let row = match self {
            Self::Add {
                sensor,
                at,
                kwh,
                note,
                yes,
            } => {
                let form = CorrectionForm {
                    sensor_id: sensor,
                    fact: FactForm::Utility {
                        at: at.to_string(),
                        shown: kwh * 1_000.0,
                    },
                    note,
                };
                let rows: Vec<CorrectionRow> =
                    global.ask(Request::Correct { form, is_sure: yes })?;
                return global.print_changed(&rows);
            }
            Self::Compare { of } => {
                let request = Request::Ledger(LedgerRequest::Utility(of.account));
                let answer: UtilityAnswer = global.ask(request)?;
                return global.print(&answer, &compared(&answer));
            }
            Self::List { of } => {
                return entries.print(&entries.list(of)?, COLUMNS, "There are no bills.");
            }
            Self::Bill {
                from,
                to,
                total,
                kwh,
                line,
                of,
            } => {
                let form = BillForm {
                    from,
                    to,
                    total,
                    kwh,
                    lines: line,
                };
                entries.put(of, EntryForm::Bill(form))?.0
            }
            Self::Remove { number, of } => entries.remove(of, number.to_string())?.0,
        };
        entries.print_one(&row, COLUMNS)
    }
}

/// A table of the periods of each sensor, and one of the lines of each bill.
fn compared(answer: &UtilityAnswer) -> String {
    let kwh = |watthours: Option<f64>| {
        watthours.map_or("-".to_owned(), |watthours| {
            format!("{:.3}", watthours / 1_000.0)
        })
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let mut parts = Vec::new();
    for sensor in &answer.sensors {
        let head = [
            "from",
            "to",
            "utility kWh",
            "ledger kWh",
            "drift kWh",
            "drift %",
        ];
        let rows = sensor.periods.iter().map(|row| {
            let energies = [row.utility, row.ledger, row.drift].map(kwh);
            let ends = [row.from.clone(), row.to.clone()];
            ends.into_iter()
                .chain(energies)
                .chain([text(&row.drift_percent)])
                .collect()
        });
        parts.push(format!("sensor {}", sensor.sensor_id));
        parts.push(aligned(&head.map(str::to_owned), rows.collect()));
        if let Some(offered) = &sensor.calibration {
            let OfferedCorrection {
                sensor_id,
                from,
                factor,
                ..
            } = &offered.correction;
            parts.push(format!(
                "The newest {} periods agree on a factor. To accept it:\n  wattkeeper correct calibrate {sensor_id} --from {from} --factor {factor}",
                offered.periods
            ));
        }
    }
    for bill in &answer.bills {
        let head = ["line", "bill", "statement", "difference"].map(str::to_owned);
        let rows = bill.lines.iter().chain([&bill.total]).map(|line| {
            vec![
                line.name.clone(),
                text(&line.billed),
                text(&line.computed),
                text(&line.difference),
            ]
        });
        parts.push(format!(
            "bill {}, {} to {}",
            bill.number, bill.from, bill.to
        ));
        parts.push(aligned(&head, rows.collect()));
    }
    if parts.is_empty() {
        "A comparison needs a bill, or two readings of the utility's meter: `wattkeeper utility bill` and `wattkeeper utility add` add them.".to_owned()
    } else {
        parts.join("\n")
    }
}
