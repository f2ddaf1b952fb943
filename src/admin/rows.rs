//! Accounts, credentials, sensors, readings and findings, as contained in answers and printed as
//! JSON by commands.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::{
    Account, AccountName, Between, Credential, Measures, MeterKind, Phases, Plan, Reading, Role,
    Scope, Sign, Timestamp,
};
use crate::ledger::notice::{KnownNotice, NoticeKey, NoticeKind, NoticeSubject};
use crate::ledger::{Correction, Fact, FactKind, Spread};
use crate::notices::sentence::advice;
use crate::store::{Findings, StoreProblem};
use crate::texts::Language;

/// An account, as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Its name.
    pub account: String,
    /// Its plan.
    pub plan: Plan,
    /// The IANA name of its time zone.
    pub tz: String,
    /// How its sensors at the grid count together.
    pub phases: Phases,
    /// The time when it was created, in the API's form.
    pub created: String,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        Self {
            account: account.name.to_string(),
            plan: account.plan,
            tz: account.zone.name().to_owned(),
            phases: account.phases,
            created: account.created.to_string(),
        }
    }
}

/// A credential, as shown by commands: without its key, which is stored only as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Its account.
    pub account: String,
    /// Its id.
    pub api_id: String,
    /// Its permissions.
    pub scope: Scope,
    /// Its label, for people; may be empty.
    pub label: String,
    /// The time when it was created, in the API's form.
    pub created: String,
    /// The time of its last use, in the API's form; `None` if never.
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

/// A sensor, as shown by commands.
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
    /// The kind of its register.
    pub register: MeterKind,
    /// The value after which its register starts again from 0, in watt-hours.
    pub rollover: Option<f64>,
    /// The highest plausible power, in watts.
    pub plausible: u32,
    /// Its sign: inverted if both measures are.
    pub sign: Sign,
    /// The sign of its power.
    pub power_sign: Sign,
    /// The sign of its register.
    pub register_sign: Sign,
    /// Power between two readings.
    pub between: Between,
    /// The sensor that contains it.
    pub part_of: Option<String>,
    /// How long it may be silent before a notice opens, in minutes; `None` if its usual interval
    /// determines it.
    pub silent_after: Option<u32>,
    /// Whether it is published to Home Assistant.
    pub home_assistant: bool,
    /// Whether its uploads keep arriving.
    pub active: bool,
    /// The time of its last upload, in the API's form.
    pub last_upload: Option<String>,
    /// The number of its readings.
    pub readings: u64,
}

/// An open notice, as shown by commands and the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeRow {
    /// Its id in its account.
    pub id: String,
    /// Its account; `None` for the service's own.
    pub account: Option<String>,
    /// Its kind.
    pub kind: NoticeKind,
    /// The subject.
    pub subject: NoticeSubjectRow,
    /// Its start, in the API's form, like all times here.
    pub since: String,
    /// The event.
    pub happened: String,
    /// The remedy.
    pub advice: String,
    /// The time when it was found.
    pub opened: String,
    /// The time when it was dismissed; `None` if it is not.
    pub dismissed: Option<String>,
    /// The author of its dismissal.
    pub dismissed_by: Option<String>,
}

/// The subject of a notice: `{"sensor":"roof"}`, `"house"`, `{"series":"spot"}` or `"service"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeSubjectRow {
    /// A sensor, by its id.
    Sensor(String),
    /// The whole house.
    House,
    /// A price series, by its name.
    Series(String),
    /// The service.
    Service,
}

impl NoticeRow {
    /// The row of a known notice.
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
                | NoticeSubject::Field(id, _)
                | NoticeSubject::Twin(id, _) => NoticeSubjectRow::Sensor(id.to_string()),
                NoticeSubject::House
                | NoticeSubject::HouseMost(_)
                | NoticeSubject::Day(_)
                | NoticeSubject::Peak(_) => NoticeSubjectRow::House,
                NoticeSubject::Series(name) => NoticeSubjectRow::Series(name.to_string()),
                NoticeSubject::Service => NoticeSubjectRow::Service,
            },
            since: notice.since.to_string(),
            happened: notice.happened.clone(),
            advice: advice(notice, Language::english()),
            opened: known.opened.to_string(),
            dismissed: dismissed.map(|made| made.at().to_string()),
            dismissed_by: dismissed.map(|made| made.by().to_string()),
        }
    }
}

/// A correction, as shown by commands and the API. Its kind determines which fields are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectionRow {
    /// Its account.
    pub account: String,
    /// Its number in the account.
    pub number: u32,
    /// The sensor whose readings it is about.
    pub sensor_id: String,
    /// Its kind.
    pub kind: FactKind,
    /// Its time, in the API's form, like all times here.
    pub at: Option<String>,
    /// The start of its range.
    pub from: Option<String>,
    /// The end of its range, exclusive.
    pub to: Option<String>,
    /// The last register of the old meter, in watt-hours.
    pub old_end: Option<f64>,
    /// The first register of the new meter, in watt-hours.
    pub new_start: Option<f64>,
    /// The energy of the range, in watt-hours.
    pub energy: Option<f64>,
    /// The register of the utility's meter, in watt-hours.
    pub shown: Option<f64>,
    /// The factor that the energy is multiplied by.
    pub factor: Option<String>,
    /// Whether the event counts.
    pub counts: Option<bool>,
    /// How the energy is spread over the range.
    pub spread: Option<Spread>,
    /// The reason, in people's words; may be empty.
    pub note: String,
    /// The time when it was made.
    pub made: String,
    /// Its author.
    pub made_by: String,
    /// The time when it was revoked; `None` while it is in effect.
    pub revoked: Option<String>,
    /// The author of its revocation.
    pub revoked_by: Option<String>,
    /// The reason for its revocation.
    pub revoked_note: Option<String>,
}

impl CorrectionRow {
    /// The row of an account's correction.
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

/// The findings of a check.
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

/// A fault in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// The fault, as a sentence.
    pub what: String,
    /// The sensor it concerns, if known.
    pub sensor_id: Option<String>,
    /// The first time it concerns, in the API's form, if known.
    pub start: Option<String>,
    /// The last time it concerns.
    pub end: Option<String>,
}

/// As a line of text.
impl fmt::Display for ProblemRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(sensor) = &self.sensor_id {
            write!(f, "; sensor {sensor}")?;
        }
        match self.start.as_ref().zip(self.end.as_ref()) {
            Some((start, end)) => write!(f, ", from {start} to {end}"),
            None => Ok(()),
        }
    }
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
    /// In words: a time outside the supported years, no measure, or one that is not finite.
    pub fn reading(self) -> Result<Reading, String> {
        let time = Timestamp::from_millis(self.time_ms)
            .ok_or_else(|| format!("time: {} ms is out of range", self.time_ms))?;
        let measures =
            Measures::new(self.watts, self.watthours).map_err(|error| error.to_string())?;
        Ok(Reading { time, measures })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_in_words() {
        let mut problem = ProblemRow {
            what: "the registry can't be read".into(),
            sensor_id: None,
            start: None,
            end: None,
        };
        assert_eq!(problem.to_string(), "the registry can't be read");
        problem.sensor_id = Some("house".into());
        problem.start = Some("a".into());
        problem.end = Some("b".into());
        assert_eq!(
            problem.to_string(),
            "the registry can't be read; sensor house, from a to b"
        );
    }
}
