//! A notice, its kind and its subject.

use serde::{Deserialize, Serialize, Serializer};

use super::fault::{ClockFault, MisnamedField};
use crate::domain::words::words;
use crate::domain::{Currency, Decimal, MicroWh, SensorId, Timestamp};
use crate::ledger::contract::Label;

/// The subject of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// A sensor stopped uploading.
    SensorSilent,
    /// A person has to decide about a register.
    EventOpen,
    /// Implausible power was left out.
    ImplausiblePower,
    /// Power and register of a sensor do not agree.
    PowerDrift,
    /// A sensor seems to count the other way round.
    InvertedSign,
    /// The house used much more or less than usual.
    UnusualDay,
    /// The house uses more while nothing happens in it.
    BaseLoadRose,
    /// A price series has no prices.
    PricesMissing,
    /// The newest backup is old.
    BackupOverdue,
    /// Little space is left on the disk.
    DiskNearlyFull,
    /// The clock was or is wrong.
    WrongClock,
    /// Some data of the store cannot be read any more.
    StoreDamaged,
    /// The clock of a sensor's device is wrong.
    SensorClock,
    /// Uploads have a field whose name is wrong.
    UnknownField,
    /// The register of a sensor seems to be in kWh.
    RegisterInKwh,
    /// The power of a sensor seems to be in kW.
    PowerInKw,
    /// Two sensors seem to be one meter, which counts twice.
    SameMeter,
    /// Import and export of the house seem to be swapped.
    GridSwapped,
    /// The sub-meters measured more than the house used.
    PartsExceedHouse,
    /// A price source has not brought what it should have published.
    PriceSourceLate,
    /// A price source has other prices than those that are stored.
    PriceConflict,
    /// The running quarter of an hour is likely to raise the price of the demand.
    PeakAhead,
}

words! {
    NoticeKind: SensorSilent "sensor-silent", EventOpen "event-open", ImplausiblePower "implausible-power",
    PowerDrift "power-drift", InvertedSign "inverted-sign", UnusualDay "unusual-day", BaseLoadRose "base-load-rose",
    PricesMissing "prices-missing", BackupOverdue "backup-overdue", DiskNearlyFull "disk-nearly-full", WrongClock "wrong-clock",
    StoreDamaged "store-damaged", SensorClock "sensor-clock", UnknownField "unknown-field", RegisterInKwh "register-in-kwh",
    PowerInKw "power-in-kw", SameMeter "same-meter", GridSwapped "grid-swapped", PartsExceedHouse "parts-exceed-house", PriceSourceLate "price-source-late",
    PriceConflict "price-conflict", PeakAhead "peak-ahead";
    "a kind of notice such as sensor-silent"
}

/// The subject of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeSubject {
    /// A sensor.
    Sensor(SensorId),
    /// A sensor whose device has a wrong clock.
    Clock(SensorId, ClockFault),
    /// A sensor whose uploads have a field with a wrong name.
    Field(SensorId, MisnamedField),
    /// A sensor, and another one that seems to be the same meter.
    Twin(SensorId, SensorId),
    /// All of the house.
    House,
    /// The house; most of it is this sensor.
    HouseMost(SensorId),
    /// The consumption of the house on one day.
    Day(DayUse),
    /// The house, in a span that is likely to make a new peak.
    Peak(PeakAhead),
    /// A price series.
    Series(Label),
    /// The service.
    Service,
}

/// The consumption of a house on a day, beside the usual range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayUse {
    /// The consumption.
    pub used: MicroWh,
    /// The least and the most that was likely.
    pub likely: [MicroWh; 2],
}

/// A span that is likely to make a new peak. Powers are energies of an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeakAhead {
    /// When it ends.
    pub until: Timestamp,
    /// Its likely mean power.
    pub likely: MicroWh,
    /// The peak that the period has or will have anyway.
    pub level: MicroWh,
    /// What its likely end costs more than that.
    pub rise: Decimal,
    /// The currency of that amount.
    pub currency: Currency,
}

/// As the API has it: `{"sensor":"roof"}`, `"house"`, `{"series":"spot"}` or `"service"`.
impl Serialize for NoticeSubject {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "NoticeSubject";
        match self {
            Self::Sensor(id) | Self::Clock(id, _) | Self::Field(id, _) | Self::Twin(id, _) => {
                to.serialize_newtype_variant(NAME, 0, "sensor", id.as_str())
            }
            Self::House | Self::HouseMost(_) | Self::Day(_) | Self::Peak(_) => {
                to.serialize_unit_variant(NAME, 1, "house")
            }
            Self::Series(name) => to.serialize_newtype_variant(NAME, 2, "series", name.as_str()),
            Self::Service => to.serialize_unit_variant(NAME, 3, "service"),
        }
    }
}

/// Something that a person should know. Its sentence does not change while it is open, so that it
/// is sent once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its kind.
    pub kind: NoticeKind,
    /// The sensor, house or service that it concerns.
    pub subject: NoticeSubject,
    /// Since when; of an open event its time, of an unusual day or a peak ahead its beginning.
    pub since: Timestamp,
    /// The event, as a sentence.
    pub happened: String,
}

impl Notice {
    /// Its identity in its account: kind and subject, and the time of an open event, an unusual
    /// day or a peak ahead, such as `event-open:roof:2026-01-05T10:00:00.000Z`.
    #[must_use]
    pub fn id(&self) -> String {
        let lasting = self.kind.id(&self.subject);
        match self.kind {
            NoticeKind::EventOpen | NoticeKind::UnusualDay | NoticeKind::PeakAhead => {
                format!("{lasting}:{}", self.since)
            }
            _ => lasting,
        }
    }
}

impl NoticeKind {
    /// The identity of a notice of this kind that is not about one event or day.
    #[must_use]
    pub fn id(self, subject: &NoticeSubject) -> String {
        let kind = self.as_str();
        match subject {
            NoticeSubject::Sensor(sensor)
            | NoticeSubject::Clock(sensor, _)
            | NoticeSubject::Field(sensor, _)
            | NoticeSubject::Twin(sensor, _) => format!("{kind}:{sensor}"),
            NoticeSubject::Series(series) => format!("{kind}:{series}"),
            NoticeSubject::House
            | NoticeSubject::HouseMost(_)
            | NoticeSubject::Day(_)
            | NoticeSubject::Peak(_)
            | NoticeSubject::Service => kind.to_owned(),
        }
    }
}
