//! A notice, its kind and its subject.

use crate::domain::words::words;
use crate::domain::{SensorId, Timestamp};
use crate::ledger::contract::Label;

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// A sensor stopped uploading.
    SensorSilent,
    /// A person has to decide about a register.
    EventOpen,
    /// Power above what is plausible was left out.
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
}

words! {
    NoticeKind: SensorSilent "sensor-silent", EventOpen "event-open", ImplausiblePower "implausible-power",
    PowerDrift "power-drift", InvertedSign "inverted-sign", UnusualDay "unusual-day", BaseLoadRose "base-load-rose",
    PricesMissing "prices-missing", BackupOverdue "backup-overdue", DiskNearlyFull "disk-nearly-full", WrongClock "wrong-clock";
    "a kind of notice such as sensor-silent"
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeSubject {
    /// A sensor.
    Sensor(SensorId),
    /// All of the house.
    House,
    /// A price series.
    Series(Label),
    /// The service.
    Service,
}

/// Something that a person should know. Kind and subject, and of an open event its time, identify it. Its sentences do not change
/// while it is open, so that it is sent once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// Whom or what it concerns.
    pub subject: NoticeSubject,
    /// Since when.
    pub since: Timestamp,
    /// One sentence: what happened.
    pub happened: String,
    /// One sentence: what to do.
    pub advice: &'static str,
}
