//! The records of corrections, and the same as JSON in a backup.
//!
//! | key | record |
//! | --- | --- |
//! | account, 0x00, number as 8 hexadecimal digits | sensor, time, author, note, content |
//! | the same, `r` | time of the revocation, author, note |
//!
//! A revocation is a record of its own: the revoked correction is never edited.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, ApiId, Decimal, MicroWh, PersonName, SensorId, Timestamp};
use crate::ledger::{
    Author, CalibratedRange, CalibrationFactor, Correction, Corrections, Fact, FactRange, Made,
    MeterChange, Spread,
};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;

/// The corrections of each account.
pub(crate) type AllCorrections = BTreeMap<AccountName, Arc<Corrections>>;

/// A correction, without its account, its number and its revocation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectionRecord {
    sensor: String,
    made: MadeRecord,
    fact: FactRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MadeRecord {
    /// Milliseconds since 1970, as all times here.
    at: i64,
    by: AuthorRecord,
    note: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AuthorRecord {
    Credential(String),
    CommandLine,
    SettingsPage,
    Person(String),
}

/// Energies are in millionths of a watt-hour.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum FactRecord {
    MeterChanged {
        at: i64,
        old_end: i64,
        new_start: i64,
    },
    Event {
        at: i64,
        counts: bool,
    },
    Energy {
        from: i64,
        to: i64,
        energy: i64,
        spread: Spread,
    },
    Wrong {
        from: i64,
        to: i64,
    },
    Utility {
        at: i64,
        shown: i64,
    },
    Calibrate {
        from: i64,
        to: Option<i64>,
        /// In millionths.
        factor: i64,
    },
}

/// The key of a correction, or of its revocation.
pub(crate) fn correction_key(account: &AccountName, number: u32, is_revocation: bool) -> String {
    let end = if is_revocation { "r" } else { "" };
    format!("{account}\0{number:08x}{end}")
}

/// The account and the number in a key, and whether it is the key of a revocation.
pub(crate) fn correction_of_key(key: &[u8]) -> Option<(AccountName, u32, bool)> {
    let (account, rest) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let (digits, end) = rest.split_at_checked(8)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    let account = AccountName::new(account).ok()?;
    // Only one way to write each key is valid: no capital digits, no sign.
    let is_revocation = end == "r";
    let is_ours = correction_key(&account, number, is_revocation).as_bytes() == key;
    is_ours.then_some((account, number, is_revocation))
}

pub(crate) fn encode_correction(correction: &Correction) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &CorrectionRecord::from(correction))
}

pub(crate) fn encode_revocation(made: &Made) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &MadeRecord::from(made))
}

pub(crate) fn decode_correction(number: u32, value: &[u8]) -> Option<Correction> {
    record::decode::<CorrectionRecord>(VERSION, value)?.parse(number)
}

pub(crate) fn decode_revocation(value: &[u8]) -> Option<Made> {
    record::decode::<MadeRecord>(VERSION, value)?.parse()
}

/// All corrections.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllCorrections, StoreError> {
    let mut all = BTreeMap::<AccountName, Corrections>::new();
    for (key, value) in view.all(RecordKind::Corrections)? {
        let put = || {
            let (account, number, is_revocation) = correction_of_key(&key)?;
            let of_account = all.entry(account).or_default();
            if is_revocation {
                // In the order of keys, it comes after the correction that it revokes.
                return of_account
                    .revoke(number, decode_revocation(&value)?)
                    .map(drop);
            }
            of_account.put(decode_correction(number, &value)?);
            Some(())
        };
        let mut put = put;
        put().ok_or_else(|| {
            StoreError::Damaged(format!(
                "the record of correction {} is damaged",
                key.escape_ascii()
            ))
        })?;
    }
    let all = all.into_iter();
    Ok(all.map(|(name, one)| (name, Arc::new(one))).collect())
}

impl From<&Made> for MadeRecord {
    fn from(made: &Made) -> Self {
        Self {
            at: made.at().millis(),
            by: match made.by() {
                Author::Credential(id) => AuthorRecord::Credential(id.to_string()),
                Author::CommandLine => AuthorRecord::CommandLine,
                Author::SettingsPage => AuthorRecord::SettingsPage,
                Author::Person(name) => AuthorRecord::Person(name.to_string()),
            },
            note: made.note().to_owned(),
        }
    }
}

impl MadeRecord {
    /// `None` if it is invalid.
    pub(crate) fn parse(self) -> Option<Made> {
        let by = match self.by {
            AuthorRecord::Credential(id) => Author::Credential(ApiId::new(&id).ok()?),
            AuthorRecord::CommandLine => Author::CommandLine,
            AuthorRecord::SettingsPage => Author::SettingsPage,
            AuthorRecord::Person(name) => Author::Person(PersonName::new(&name).ok()?),
        };
        Made::new(Timestamp::from_millis(self.at)?, by, &self.note).ok()
    }
}

impl From<&Correction> for CorrectionRecord {
    fn from(correction: &Correction) -> Self {
        Self {
            sensor: correction.sensor().to_string(),
            made: correction.made().into(),
            fact: correction.fact().into(),
        }
    }
}

impl CorrectionRecord {
    /// `None` if it is invalid.
    pub(crate) fn parse(self, number: u32) -> Option<Correction> {
        let sensor = SensorId::new(&self.sensor).ok()?;
        Correction::new(number, sensor, self.made.parse()?, self.fact.parse()?).ok()
    }
}

impl From<&Fact> for FactRecord {
    fn from(fact: &Fact) -> Self {
        match fact {
            Fact::MeterChanged(at, change) => Self::MeterChanged {
                at: at.millis(),
                old_end: change.old_end.millionths(),
                new_start: change.new_start.millionths(),
            },
            Fact::Event(at, counts) => Self::Event {
                at: at.millis(),
                counts: *counts,
            },
            Fact::Energy(range, energy, spread) => Self::Energy {
                from: range.from().millis(),
                to: range.to().millis(),
                energy: energy.millionths(),
                spread: *spread,
            },
            Fact::Wrong(range) => Self::Wrong {
                from: range.from().millis(),
                to: range.to().millis(),
            },
            Fact::Utility(at, shown) => Self::Utility {
                at: at.millis(),
                shown: shown.millionths(),
            },
            Fact::Calibrate(range, factor) => Self::Calibrate {
                from: range.from().millis(),
                to: range.to().map(Timestamp::millis),
                factor: factor.decimal().millionths(),
            },
        }
    }
}

impl FactRecord {
    fn parse(self) -> Option<Fact> {
        let time = Timestamp::from_millis;
        let range = |from, to| FactRange::new(time(from)?, time(to)?).ok();
        Some(match self {
            Self::MeterChanged {
                at,
                old_end,
                new_start,
            } => {
                let change = MeterChange {
                    old_end: MicroWh::new(old_end),
                    new_start: MicroWh::new(new_start),
                };
                Fact::MeterChanged(time(at)?, change)
            }
            Self::Event { at, counts } => Fact::Event(time(at)?, counts),
            Self::Energy {
                from,
                to,
                energy,
                spread,
            } => Fact::Energy(range(from, to)?, MicroWh::new(energy), spread),
            Self::Wrong { from, to } => Fact::Wrong(range(from, to)?),
            Self::Utility { at, shown } => Fact::Utility(time(at)?, MicroWh::new(shown)),
            Self::Calibrate { from, to, factor } => {
                // An invalid end is not the same as none.
                let to = match to {
                    Some(to) => Some(time(to)?),
                    None => None,
                };
                let range = CalibratedRange::new(time(from)?, to).ok()?;
                let factor = CalibrationFactor::new(Decimal::from_millionths(factor)).ok()?;
                Fact::Calibrate(range, factor)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_these_bytes() {
        let made = |ms: i64, by| Made::new(Timestamp::from_millis(ms).unwrap(), by, "n").unwrap();
        let range = FactRange::new(
            Timestamp::from_millis(1).unwrap(),
            Timestamp::from_millis(2).unwrap(),
        );
        let correction = Correction::new(
            7,
            SensorId::new("house").unwrap(),
            made(5, Author::Credential(ApiId::new("id").unwrap())),
            Fact::Wrong(range.unwrap()),
        )
        .unwrap();
        let bytes = encode_correction(&correction).unwrap();
        assert_eq!(bytes, b"\x01\x05house\x0a\x00\x02id\x01n\x03\x02\x04");
        assert_eq!(decode_correction(7, &bytes), Some(correction));
        let revocation = made(6, Author::CommandLine);
        let bytes = encode_revocation(&revocation).unwrap();
        assert_eq!(bytes, b"\x01\x0c\x01\x01n");
        assert_eq!(decode_revocation(&bytes), Some(revocation));
        let from = Timestamp::from_millis(1).unwrap();
        for (to, end) in [
            (None, &b"\x00"[..]),
            (Timestamp::from_millis(2), b"\x01\x04"),
        ] {
            let range = CalibratedRange::new(from, to).unwrap();
            let factor = CalibrationFactor::new(Decimal::ONE).unwrap();
            let fact = Fact::Calibrate(range, factor);
            let house = SensorId::new("house").unwrap();
            let correction = Correction::new(7, house, made(5, Author::CommandLine), fact).unwrap();
            let bytes = encode_correction(&correction).unwrap();
            let expected = [
                b"\x01\x05house\x0a\x01\x01n\x05\x02",
                end,
                b"\xfc\x80\x84\x1e\x00",
            ];
            assert_eq!(bytes, expected.concat());
            assert_eq!(decode_correction(7, &bytes), Some(correction));
        }
        // An empty range, another version, bytes behind it, three times as much.
        for bad in [
            &b"\x01\x05house\x0a\x00\x02id\x01n\x03\x04\x04"[..],
            b"\x02\x05house\x0a\x00\x02id\x01n\x03\x02\x04",
            b"\x01\x05house\x0a\x00\x02id\x01n\x03\x02\x04\x00",
            b"\x01\x05house\x0a\x01\x01n\x05\x02\x00\xfc\x80\x8d\x5b\x00",
        ] {
            assert_eq!(decode_correction(7, bad), None);
        }
    }

    #[test]
    fn keys_round_trip_and_have_one_form() {
        let account = AccountName::new("home").unwrap();
        for (number, is_revocation) in [(1, false), (1, true), (10_000, false), (u32::MAX, true)] {
            let key = correction_key(&account, number, is_revocation);
            let found = correction_of_key(key.as_bytes());
            assert_eq!(found, Some((account.clone(), number, is_revocation)));
        }
        assert_eq!(correction_key(&account, 10, false), "home\x000000000a");
        for bad in [
            "home",
            "home\x00000000A1",
            "home\x00+000000a",
            "home\x00a",
            "\x000000000a",
            "home\x000000000ax",
        ] {
            assert_eq!(correction_of_key(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
