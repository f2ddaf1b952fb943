//! The records of notices, and the same as JSON in a backup.
//!
//! | key | record |
//! | --- | --- |
//! | account, or nothing for the service's own, 0x00, id, or [`digest`] of a longer one | its content, when it was opened, dismissed and ended, whether it was sent |

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::correction_records::MadeRecord;
use crate::domain::{AccountName, Currency, Decimal, MicroWh, SensorId, Timestamp};
use crate::ledger::contract::Label;
use crate::ledger::notice::{
    ClockFault, DayUse, KnownNotice, MisnamedField, Notice, NoticeKey, NoticeKind, NoticeSubject,
    PeakAhead,
};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;
/// The maximum length of an id in a key. Keys are short, so a longer id is replaced by a digest.
const MAX_ID_BYTES: usize = 56;
/// The maximum length of a sentence, in bytes: records are short.
const MAX_SENTENCE: usize = 1_000;

/// The notices of all accounts. Shared, because each change copies the registry.
pub(crate) type AllNotices = Arc<BTreeMap<NoticeKey, KnownNotice>>;

/// A notice, without its account. Times are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoticeRecord {
    kind: NoticeKind,
    subject: SubjectRecord,
    since: i64,
    happened: String,
    opened: i64,
    dismissed: Option<MadeRecord>,
    sent: bool,
    ended: Option<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SubjectRecord {
    Sensor(String),
    House,
    Series(String),
    Service,
    /// The energy used on a day, and the lowest and highest expected energy, in millionths of a
    /// watt-hour.
    Day([i64; 3]),
    /// A sensor, and by how many milliseconds its device's clock is ahead.
    SensorClock(String, i64),
    /// A sensor, a field as it was sent, and its correct name.
    SensorField(String, String, String),
    /// The house, and the sensor that most of it comes from.
    HouseMost(String),
    /// A sensor, and another one that seems to be the same meter.
    SensorTwin(String, String),
    /// A span that is likely to make a new peak: its end, its likely power and the level, as energies of
    /// an hour in millionths of a watt-hour, and the millionths of this currency that it costs.
    Peak([i64; 4], String),
}

/// The key of a notice.
pub(crate) fn notice_key(key: &NoticeKey) -> String {
    let account = key.account.as_ref().map_or("", AccountName::as_str);
    if key.id.len() <= MAX_ID_BYTES {
        return format!("{account}\0{}", key.id);
    }
    format!("{account}\0{}", digest(&key.id))
}

/// The first 20 bytes of the SHA-256 of an id, as hexadecimal digits. The record contains the parts
/// of the id.
fn digest(id: &str) -> String {
    let bytes = Sha256::digest(id.as_bytes());
    let digits = bytes.iter().take(20).map(|byte| format!("{byte:02x}"));
    digits.collect()
}

pub(crate) fn encode_notice(known: &KnownNotice) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &NoticeRecord::from(known))
}

/// Reads a notice from a record; `None` if record or key are invalid, or do not match.
pub(crate) fn notice_of(key: &[u8], value: &[u8]) -> Option<(NoticeKey, KnownNotice)> {
    let known = record::decode::<NoticeRecord>(VERSION, value)?.parse()?;
    let (account, _) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let account = match account {
        "" => None,
        name => Some(AccountName::new(name).ok()?),
    };
    let its = NoticeKey::of(account, &known.notice);
    (notice_key(&its).as_bytes() == key).then_some((its, known))
}

/// All notices. A damaged one is dropped: it is opened again if its cause lasts.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllNotices, StoreError> {
    let mut all = BTreeMap::new();
    for (key, value) in view.all(RecordKind::Notices)? {
        if let Some((key, known)) = notice_of(&key, &value) {
            all.insert(key, known);
        } else {
            log::warn!(
                "the record of a notice is damaged: the notice is opened again if its cause lasts"
            );
        }
    }
    Ok(Arc::new(all))
}

impl From<&KnownNotice> for NoticeRecord {
    fn from(known: &KnownNotice) -> Self {
        let notice = &known.notice;
        Self {
            kind: notice.kind,
            subject: match &notice.subject {
                NoticeSubject::Sensor(sensor) => SubjectRecord::Sensor(sensor.to_string()),
                NoticeSubject::House => SubjectRecord::House,
                NoticeSubject::HouseMost(sensor) => SubjectRecord::HouseMost(sensor.to_string()),
                NoticeSubject::Series(series) => SubjectRecord::Series(series.to_string()),
                NoticeSubject::Service => SubjectRecord::Service,
                NoticeSubject::Twin(sensor, other) => {
                    SubjectRecord::SensorTwin(sensor.to_string(), other.to_string())
                }
                NoticeSubject::Day(DayUse {
                    used,
                    likely: [least, most],
                }) => SubjectRecord::Day([used, least, most].map(|it| it.millionths())),
                NoticeSubject::Peak(ahead) => {
                    let powers = [ahead.likely, ahead.level].map(MicroWh::millionths);
                    let [likely, level] = powers;
                    let (until, rise) = (ahead.until.millis(), ahead.rise.millionths());
                    let currency = ahead.currency.as_str().to_owned();
                    SubjectRecord::Peak([until, likely, level, rise], currency)
                }
                NoticeSubject::Clock(sensor, fault) => {
                    SubjectRecord::SensorClock(sensor.to_string(), fault.ahead_ms())
                }
                NoticeSubject::Field(sensor, MisnamedField { sent, meant }) => {
                    let [sent, meant] = [sent, meant].map(Clone::clone);
                    SubjectRecord::SensorField(sensor.to_string(), sent, meant)
                }
            },
            since: notice.since.millis(),
            happened: notice.happened.clone(),
            opened: known.opened.millis(),
            dismissed: known.dismissed.as_ref().map(MadeRecord::from),
            sent: known.is_sent,
            ended: known.ended.map(Timestamp::millis),
        }
    }
}

impl NoticeRecord {
    /// `None` if it is invalid.
    pub(crate) fn parse(self) -> Option<KnownNotice> {
        (self.happened.len() <= MAX_SENTENCE).then_some(())?;
        let notice = Notice {
            kind: self.kind,
            subject: match self.subject {
                SubjectRecord::Sensor(id) => NoticeSubject::Sensor(SensorId::new(&id).ok()?),
                SubjectRecord::House => NoticeSubject::House,
                SubjectRecord::HouseMost(id) => NoticeSubject::HouseMost(SensorId::new(&id).ok()?),
                SubjectRecord::Series(name) => NoticeSubject::Series(Label::new(&name).ok()?),
                SubjectRecord::Service => NoticeSubject::Service,
                SubjectRecord::Day(all) => {
                    let [used, likely @ ..] = all.map(MicroWh::new);
                    NoticeSubject::Day(DayUse { used, likely })
                }
                SubjectRecord::Peak([until, likely, level, rise], currency) => {
                    NoticeSubject::Peak(PeakAhead {
                        until: Timestamp::from_millis(until)?,
                        likely: MicroWh::new(likely),
                        level: MicroWh::new(level),
                        rise: Decimal::from_millionths(rise),
                        currency: Currency::new(&currency).ok()?,
                    })
                }
                SubjectRecord::SensorClock(id, ahead_ms) => {
                    NoticeSubject::Clock(SensorId::new(&id).ok()?, ClockFault::ahead(ahead_ms))
                }
                SubjectRecord::SensorField(id, sent, meant) => {
                    let is_short = |name: &String| name.len() <= MAX_SENTENCE;
                    [&sent, &meant].into_iter().all(is_short).then_some(())?;
                    NoticeSubject::Field(SensorId::new(&id).ok()?, MisnamedField { sent, meant })
                }
                SubjectRecord::SensorTwin(id, other) => {
                    NoticeSubject::Twin(SensorId::new(&id).ok()?, SensorId::new(&other).ok()?)
                }
            },
            since: Timestamp::from_millis(self.since)?,
            happened: self.happened,
        };
        Some(KnownNotice {
            notice,
            opened: Timestamp::from_millis(self.opened)?,
            dismissed: record::optional(self.dismissed, MadeRecord::parse)?,
            is_sent: self.sent,
            ended: record::optional(self.ended, Timestamp::from_millis)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::ledger::notice::{peak_ahead, sensor_clock, unknown_field};
    use crate::ledger::{Author, Made};

    #[test]
    fn records_are_these_bytes() {
        let notice = Notice {
            kind: NoticeKind::EventOpen,
            subject: NoticeSubject::Sensor(SensorId::new("roof").unwrap()),
            since: at(5),
            happened: "It did.".into(),
        };
        let known = KnownNotice {
            dismissed: Some(Made::new(at(7), Author::CommandLine, "").unwrap()),
            is_sent: true,
            ..KnownNotice::new(notice, at(6))
        };
        let bytes = encode_notice(&known).unwrap();
        assert_eq!(
            bytes,
            b"\x01\x01\x00\x04roof\x0a\x07It did.\x0c\x01\x0e\x01\x00\x01\x00"
        );
        let home = Some(AccountName::new("home").unwrap());
        for (account, before) in [(home, "home"), (None, "")] {
            let key = NoticeKey::of(account, &known.notice);
            let text = format!("{before}\0event-open:roof:1970-01-01T00:00:00.005Z");
            assert_eq!(notice_key(&key), text);
            let found = notice_of(text.as_bytes(), &bytes);
            assert_eq!(found, Some((key, known.clone())));
        }
        for bad in ["home", "home\0event-open:roof:1970-01-01T00:00:00.006Z"] {
            assert_eq!(notice_of(bad.as_bytes(), &bytes), None);
        }
        let roof = SensorId::new("roof").unwrap();
        let field = MisnamedField {
            sent: "ts".into(),
            meant: "time".into(),
        };
        let remarks = [
            (
                sensor_clock(&roof, ClockFault::ahead(-3_600_000), at(5)),
                &b"\x01\x0c\x05\x04roof"[..],
            ),
            (
                unknown_field(&roof, &field, at(5)),
                b"\x01\x0d\x06\x04roof\x02ts\x04time\x0a",
            ),
        ];
        for (notice, begin) in remarks {
            let key = NoticeKey::of(None, &notice);
            let known = KnownNotice::new(notice, at(6));
            let bytes = encode_notice(&known).unwrap();
            assert!(bytes.starts_with(begin), "{bytes:?}");
            let found = notice_of(notice_key(&key).as_bytes(), &bytes);
            assert_eq!(found, Some((key, known)));
        }
    }

    #[test]
    fn records_of_days_and_peaks_come_back() {
        let used = DayUse {
            used: MicroWh::new(24_000_000),
            likely: [9, 14].map(MicroWh::new),
        };
        let day = Notice {
            kind: NoticeKind::UnusualDay,
            subject: NoticeSubject::Day(used),
            since: at(5),
            happened: "It did.".into(),
        };
        let (key, known) = (NoticeKey::of(None, &day), KnownNotice::new(day, at(6)));
        let bytes = encode_notice(&known).unwrap();
        assert_eq!(
            notice_of(notice_key(&key).as_bytes(), &bytes),
            Some((key, known))
        );
        assert_eq!(notice_of(b"\0service", b"\x01\x63"), None);
        let peak = peak_ahead(
            PeakAhead {
                until: at(900_000),
                likely: MicroWh::new(5_600_000_000),
                level: MicroWh::new(5_100_000_000),
                rise: Decimal::parse("2.4").unwrap(),
                currency: Currency::new("EUR").unwrap(),
            },
            at(0),
        );
        let (key, known) = (NoticeKey::of(None, &peak), KnownNotice::new(peak, at(6)));
        let bytes = encode_notice(&known).unwrap();
        assert!(bytes.starts_with(b"\x01\x15\x09"), "{bytes:?}");
        assert_eq!(
            notice_of(notice_key(&key).as_bytes(), &bytes),
            Some((key, known))
        );
    }
}
