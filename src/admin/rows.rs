//! Accounts, credentials, sensors, readings and findings, as answers hold them and commands print them as JSON.

use serde::{Deserialize, Serialize};

use crate::domain::{
    Account, AccountName, Between, Credential, Measures, MeterKind, Plan, Reading, Role, Scope,
    Sign, Timestamp,
};
use crate::ledger::notice::{KnownNotice, NoticeKey, NoticeKind, NoticeSubject};
use crate::ledger::{Correction, Fact, FactKind, Spread};
use crate::store::{Findings, StoreProblem};

/// An account, as commands show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Its name.
    pub account: String,
    /// Its plan.
    pub plan: Plan,
    /// The IANA name of its time zone.
    pub tz: String,
    /// When it was created, in the API's form.
    pub created: String,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        Self {
            account: account.name.to_string(),
            plan: account.plan,
            tz: account.zone.name().to_owned(),
            created: account.created.to_string(),
        }
    }
}

/// A credential, as commands show it: without its key, of which only the hash is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Its account.
    pub account: String,
    /// Its id.
    pub api_id: String,
    /// What it allows.
    pub scope: Scope,
    /// Its label, for people; may be empty.
    pub label: String,
    /// When it was created, in the API's form.
    pub created: String,
    /// When it was last used, in the API's form; `None` if never.
    pub last_used: Option<String>,
}

impl KeyRow {
    pub(super) fn new(credential: &Credential, last_used: Option<Timestamp>) -> Self {
        Self {
            account: credential.account.to_string(),
            api_id: credential.api_id.to_string(),
            scope: credential.scope,
            label: credential.label.clone(),
            created: credential.created.to_string(),
            last_used: last_used.map(|time| time.to_string()),
        }
    }
}

/// A sensor, as commands show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensorRow {
    /// Its id on the wire.
    pub sensor_id: String,
    /// The account that owns it.
    pub account: String,
    /// Its name, for people.
    pub name: String,
    /// Whether uploads and downloads are allowed.
    pub authorized: bool,
    /// The part of the house that it measures.
    pub role: Role,
    /// What its register says.
    pub register: MeterKind,
    /// Where its register starts again from 0, in watt-hours.
    pub rollover: Option<f64>,
    /// The most power that is believed, in watts.
    pub plausible: u32,
    /// Which way round it counts: inverted if both measures are.
    pub sign: Sign,
    /// Which way round its power counts.
    pub power_sign: Sign,
    /// Which way round its register counts.
    pub register_sign: Sign,
    /// Power between two readings.
    pub between: Between,
    /// The sensor that it is inside of.
    pub part_of: Option<String>,
    /// How long it may be silent before people are told, in minutes; `None` if that follows from its uploads.
    pub silent_after: Option<u32>,
    /// Whether Home Assistant is told about it.
    pub home_assistant: bool,
    /// Whether its uploads keep arriving.
    pub active: bool,
    /// When the last upload came, in the API's form.
    pub last_upload: Option<String>,
    /// The number of its readings.
    pub readings: u64,
}

/// An open notice, as commands and the API show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeRow {
    /// What identifies it in its account.
    pub id: String,
    /// Its account; `None` for the service's own.
    pub account: Option<String>,
    /// What it is about.
    pub kind: NoticeKind,
    /// Whom or what it concerns.
    pub subject: NoticeSubjectRow,
    /// Since when, in the API's form, as all times here.
    pub since: String,
    /// What happened.
    pub happened: String,
    /// What to do.
    pub advice: String,
    /// When it was found.
    pub opened: String,
    /// When it was dismissed; `None` if it is not.
    pub dismissed: Option<String>,
    /// Who dismissed it.
    pub dismissed_by: Option<String>,
}

/// Whom or what a notice concerns: `{"sensor":"roof"}`, `"house"`, `{"series":"spot"}` or `"service"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeSubjectRow {
    /// A sensor, by its id.
    Sensor(String),
    /// All of the house.
    House,
    /// A price series, by its name.
    Series(String),
    /// The service.
    Service,
}

impl NoticeRow {
    /// What is known of a notice.
    #[must_use]
    pub fn new(key: &NoticeKey, known: &KnownNotice) -> Self {
        let (notice, dismissed) = (&known.notice, known.dismissed.as_ref());
        Self {
            id: key.id.clone(),
            account: key.account.as_ref().map(AccountName::to_string),
            kind: notice.kind,
            subject: match &notice.subject {
                NoticeSubject::Sensor(id)
                | NoticeSubject::Clock(id, _)
                | NoticeSubject::Field(id, _) => NoticeSubjectRow::Sensor(id.to_string()),
                NoticeSubject::House | NoticeSubject::Day(_) => NoticeSubjectRow::House,
                NoticeSubject::Series(name) => NoticeSubjectRow::Series(name.to_string()),
                NoticeSubject::Service => NoticeSubjectRow::Service,
            },
            since: notice.since.to_string(),
            happened: notice.happened.clone(),
            advice: notice.kind.advice().to_owned(),
            opened: known.opened.to_string(),
            dismissed: dismissed.map(|made| made.at().to_string()),
            dismissed_by: dismissed.map(|made| made.by().to_string()),
        }
    }
}

/// A correction, as commands and the API show it. Which fields are null depends on its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectionRow {
    /// Its account.
    pub account: String,
    /// Its number in the account.
    pub number: u32,
    /// The sensor whose readings it is about.
    pub sensor_id: String,
    /// What it says.
    pub kind: FactKind,
    /// Its time, in the API's form, as all times here.
    pub at: Option<String>,
    /// The start of its range.
    pub from: Option<String>,
    /// The end of its range, which does not belong to it.
    pub to: Option<String>,
    /// What the old meter showed in the end, in watt-hours.
    pub old_end: Option<f64>,
    /// What the new meter showed in the beginning, in watt-hours.
    pub new_start: Option<f64>,
    /// The energy of the range, in watt-hours.
    pub energy: Option<f64>,
    /// What the utility's meter showed, in watt-hours.
    pub shown: Option<f64>,
    /// What the energy is multiplied by.
    pub factor: Option<String>,
    /// Whether the event counts.
    pub counts: Option<bool>,
    /// How the energy is spread over the range.
    pub spread: Option<Spread>,
    /// Why, in people's words; may be empty.
    pub note: String,
    /// When it was made.
    pub made: String,
    /// Who made it.
    pub made_by: String,
    /// When it was revoked; `None` while it is in effect.
    pub revoked: Option<String>,
    /// Who revoked it.
    pub revoked_by: Option<String>,
    /// Why it was revoked.
    pub revoked_note: Option<String>,
}

impl CorrectionRow {
    /// The correction of an account.
    #[must_use]
    pub fn new(account: &AccountName, correction: &Correction) -> Self {
        let (made, revoked) = (correction.made(), correction.revoked());
        let mut row = Self {
            account: account.to_string(),
            number: correction.number(),
            sensor_id: correction.sensor().to_string(),
            kind: correction.fact().kind(),
            at: None,
            from: None,
            to: None,
            old_end: None,
            new_start: None,
            energy: None,
            shown: None,
            factor: None,
            counts: None,
            spread: None,
            note: made.note().to_owned(),
            made: made.at().to_string(),
            made_by: made.by().to_string(),
            revoked: revoked.map(|made| made.at().to_string()),
            revoked_by: revoked.map(|made| made.by().to_string()),
            revoked_note: revoked.map(|made| made.note().to_owned()),
        };
        row.show(correction.fact());
        row
    }

    fn show(&mut self, fact: &Fact) {
        match fact {
            Fact::MeterChanged(at, _) | Fact::Event(at, _) | Fact::Utility(at, _) => {
                self.at = Some(at.to_string());
            }
            Fact::Energy(range, ..) | Fact::Wrong(range) => {
                self.from = Some(range.from().to_string());
                self.to = Some(range.to().to_string());
            }
            Fact::Calibrate(range, factor) => {
                self.from = Some(range.from().to_string());
                self.to = range.to().map(|to| to.to_string());
                self.factor = Some(factor.decimal().to_string());
            }
        }
        match fact {
            Fact::MeterChanged(_, change) => {
                self.old_end = Some(change.old_end.watthours());
                self.new_start = Some(change.new_start.watthours());
            }
            Fact::Event(_, counts) => self.counts = Some(*counts),
            Fact::Energy(_, energy, spread) => {
                self.energy = Some(energy.watthours());
                self.spread = Some(*spread);
            }
            Fact::Utility(_, shown) => self.shown = Some(shown.watthours()),
            Fact::Wrong(_) | Fact::Calibrate(..) => {}
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingsRow {
    /// The number of readable readings.
    pub readings: u64,
    /// The number of intact blocks.
    pub blocks: u64,
    /// The first thousand problems.
    pub problems: Vec<ProblemRow>,
    /// The number of problems beyond those.
    pub not_listed: u64,
}

/// Something wrong in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// What is wrong, in a sentence.
    pub what: String,
    /// The sensor it concerns, if known.
    pub sensor_id: Option<String>,
    /// The first time it concerns, in the API's form, if known.
    pub start: Option<String>,
    /// The last time it concerns.
    pub end: Option<String>,
}

impl From<Findings> for FindingsRow {
    fn from(findings: Findings) -> Self {
        let row = |problem: StoreProblem| ProblemRow {
            what: problem.what,
            sensor_id: problem.sensor.map(|sensor| sensor.to_string()),
            start: problem.range.map(|range| range.start().to_string()),
            end: problem.range.map(|range| range.end().to_string()),
        };
        Self {
            readings: findings.readings,
            blocks: findings.blocks,
            problems: findings.problems.into_iter().map(row).collect(),
            not_listed: findings.not_listed,
        }
    }
}

/// A reading as plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadingRow {
    /// Milliseconds since 1970.
    pub time_ms: i64,
    /// Power in watts.
    pub watts: Option<f64>,
    /// The meter's register in watt-hours.
    pub watthours: Option<f64>,
}

impl From<Reading> for ReadingRow {
    fn from(reading: Reading) -> Self {
        Self {
            time_ms: reading.time.millis(),
            watts: reading.measures.watts(),
            watthours: reading.measures.watthours(),
        }
    }
}

impl ReadingRow {
    /// Checks the numbers.
    ///
    /// # Errors
    /// What is wrong: a time outside the supported years, no measure, or one that is not finite.
    pub fn reading(self) -> Result<Reading, String> {
        let time = Timestamp::from_millis(self.time_ms)
            .ok_or_else(|| format!("time: {} ms is out of range", self.time_ms))?;
        let measures =
            Measures::new(self.watts, self.watthours).map_err(|error| error.to_string())?;
        Ok(Reading { time, measures })
    }
}
