//! `wattkeeper correct`: adds and revokes corrections of readings.

use anyhow::Result;
use clap::{ArgAction, Args, Subcommand};

use super::args::Global;
use super::output::{TableRow, energy_text};
use crate::admin::{CorrectionForm, CorrectionRow, FactForm, Request};
use crate::domain::Timestamp;
use crate::ledger::{FactKind, Spread};

const WH_PER_KWH: f64 = 1_000.0;

/// Corrections: facts about readings that the readings do not show
///
/// Readings stay as uploaded. A correction has a date and a number in its account, and is never
/// changed; it can be revoked. Times are YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC
/// unless they have an offset.
#[derive(Subcommand)]
pub(super) enum CorrectCommand {
    /// State that the meter was replaced
    MeterChanged {
        #[command(flatten)]
        on: CorrectedArgs,
        /// The time of the change
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        at: Timestamp,
        /// The last register of the old meter, in kWh
        #[arg(long, value_name = "KWH", allow_negative_numbers = true)]
        old_end: f64,
        /// The first register of the new meter, in kWh
        #[arg(long, value_name = "KWH", allow_negative_numbers = true)]
        new_start: f64,
    },
    /// State whether the energy of an event counts
    Event {
        #[command(flatten)]
        on: CorrectedArgs,
        /// The event's time
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        at: Timestamp,
        /// Whether it counts
        #[arg(long, value_name = "yes|no", value_parser = yes_or_no, action = ArgAction::Set)]
        counts: bool,
    },
    /// State the energy of a range
    Energy {
        #[command(flatten)]
        on: CorrectedArgs,
        #[command(flatten)]
        range: RangeArgs,
        /// Its energy, in kWh
        #[arg(long, value_name = "KWH", allow_negative_numbers = true)]
        kwh: f64,
        /// How it is spread over the range
        #[arg(long, value_name = "even|like-weekday", default_value = "even")]
        spread: Spread,
    },
    /// State that the readings in a range are wrong
    Wrong {
        #[command(flatten)]
        on: CorrectedArgs,
        #[command(flatten)]
        range: RangeArgs,
    },
    /// State a register of the utility's meter
    Utility {
        #[command(flatten)]
        on: CorrectedArgs,
        /// The time of the reading
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        at: Timestamp,
        /// The register, in kWh
        #[arg(long, value_name = "KWH", allow_negative_numbers = true)]
        kwh: f64,
        /// Save it although it is unlikely
        #[arg(long)]
        yes: bool,
    },
    /// Multiply the energy of a sensor by a factor
    Calibrate {
        #[command(flatten)]
        on: CorrectedArgs,
        /// The first time
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        from: Timestamp,
        /// The end, exclusive; without it, the factor applies until another one does
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        to: Option<Timestamp>,
        /// From 0.5 to 2, such as the one that `wattkeeper utility compare` suggests
        #[arg(long, value_name = "FACTOR")]
        factor: String,
    },
    /// List corrections, revoked ones included
    List {
        /// Only those of this sensor
        #[arg(long, value_name = "ID")]
        sensor: Option<String>,
    },
    /// Revoke a correction
    Revoke {
        /// Its number
        number: u32,
        /// Its account, if there are several
        #[arg(long, value_name = "NAME")]
        account: Option<String>,
        /// The reason
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
}

/// Options of every correction
#[derive(Args)]
pub(super) struct CorrectedArgs {
    /// The sensor
    sensor: String,
    /// The reason, or the source
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
}

/// A range of time
#[derive(Args)]
pub(super) struct RangeArgs {
    /// The first time
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    from: Timestamp,
    /// The end, exclusive
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    to: Timestamp,
}

fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no"),
    }
}

impl CorrectedArgs {
    fn form(self, fact: FactForm) -> CorrectionForm {
        CorrectionForm {
            sensor_id: self.sensor,
            fact,
            note: self.note,
        }
    }
}

impl CorrectCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let mut is_sure = false;
        let form = match self {
            Self::List { sensor } => {
                return global.list::<CorrectionRow>(
                    Request::ListCorrections { sensor },
                    "There are no corrections.",
                );
            }
            Self::Revoke {
                number,
                account,
                note,
            } => {
                let request = Request::RevokeCorrection {
                    account,
                    number,
                    note,
                };
                return global.print_changed(&global.ask::<Vec<CorrectionRow>>(request)?);
            }
            Self::MeterChanged {
                on,
                at,
                old_end,
                new_start,
            } => on.form(FactForm::MeterChanged {
                at: at.to_string(),
                old_end: old_end * WH_PER_KWH,
                new_start: new_start * WH_PER_KWH,
            }),
            Self::Event { on, at, counts } => {
                let at = at.to_string();
                on.form(FactForm::Event { at, counts })
            }
            Self::Energy {
                on,
                range,
                kwh,
                spread,
            } => on.form(FactForm::Energy {
                from: range.from.to_string(),
                to: range.to.to_string(),
                energy: kwh * WH_PER_KWH,
                spread,
            }),
            Self::Wrong { on, range } => {
                let [from, to] = [range.from, range.to].map(|time| time.to_string());
                on.form(FactForm::Wrong { from, to })
            }
            Self::Utility { on, at, kwh, yes } => {
                is_sure = yes;
                let (at, shown) = (at.to_string(), kwh * WH_PER_KWH);
                on.form(FactForm::Utility { at, shown })
            }
            Self::Calibrate {
                on,
                from,
                to,
                factor,
            } => {
                let (from, to) = (from.to_string(), to.map(|to| to.to_string()));
                on.form(FactForm::Calibrate { from, to, factor })
            }
        };
        global.print_changed(&global.ask::<Vec<CorrectionRow>>(Request::Correct { form, is_sure })?)
    }
}

impl TableRow for CorrectionRow {
    const HEADER: &[&str] = &[
        "number", "account", "sensor", "what", "made", "by", "note", "revoked",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            self.account.clone(),
            self.sensor_id.clone(),
            what(self),
            self.made.clone(),
            self.made_by.clone(),
            self.note.clone(),
            self.revoked.clone().unwrap_or_else(|| "-".into()),
        ]
    }
}

/// A correction in a few words.
fn what(row: &CorrectionRow) -> String {
    let time = |text: &Option<String>| text.clone().unwrap_or_default();
    let kwh = |watthours: Option<f64>| energy_text(watthours.unwrap_or_default());
    let kind = row.kind.as_str();
    match row.kind {
        FactKind::MeterChanged => format!(
            "{kind} at {}: {} to {}",
            time(&row.at),
            kwh(row.old_end),
            kwh(row.new_start)
        ),
        FactKind::Event => {
            let counts = if row.counts == Some(true) {
                "counts"
            } else {
                "does not count"
            };
            format!("{kind} at {} {counts}", time(&row.at))
        }
        FactKind::Energy => format!(
            "{kind} from {} to {}: {}, {}",
            time(&row.from),
            time(&row.to),
            kwh(row.energy),
            row.spread.unwrap_or_default().as_str()
        ),
        FactKind::Wrong => format!("{kind} from {} to {}", time(&row.from), time(&row.to)),
        FactKind::Utility => format!("{kind} at {}: {}", time(&row.at), kwh(row.shown)),
        FactKind::Calibrate => {
            let to = row.to.as_ref().map(|to| format!(" to {to}"));
            let factor = row.factor.as_deref().unwrap_or_default();
            format!(
                "{kind} from {}{}: times {factor}",
                time(&row.from),
                to.unwrap_or_default()
            )
        }
    }
}
