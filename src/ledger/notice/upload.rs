//! Notices about a sensor's uploads.

use super::fault::{ClockFault, MisnamedField};
use super::kind::{Notice, NoticeKind, NoticeSubject};
use crate::domain::{SensorId, Timestamp};

/// Says that the clock of a sensor's device is wrong.
#[must_use]
pub fn sensor_clock(sensor: &SensorId, fault: ClockFault, since: Timestamp) -> Notice {
    let (number, unit) = fault.amount();
    let way = if fault.is_ahead() { "ahead" } else { "behind" };
    Notice {
        kind: NoticeKind::SensorClock,
        subject: NoticeSubject::Clock(sensor.clone(), fault),
        since,
        happened: format!("The clock of {sensor} is {number} {unit} {way}."),
    }
}

/// Says that a field of a sensor's uploads has the wrong name.
#[must_use]
pub fn unknown_field(sensor: &SensorId, field: &MisnamedField, since: Timestamp) -> Notice {
    let MisnamedField { sent, meant } = field;
    Notice {
        kind: NoticeKind::UnknownField,
        subject: NoticeSubject::Field(sensor.clone(), field.clone()),
        since,
        happened: format!(
            "Uploads of {sensor} have a field {sent:?}, which is left out: its name should be {meant}."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;
    const MINUTE_MS: i64 = 60_000;
    const DAY_MS: i64 = 24 * HOUR_MS;

    fn said(ahead_ms: i64) -> String {
        let house = SensorId::new("house").unwrap();
        let since = Timestamp::from_millis(0).unwrap();
        sensor_clock(&house, ClockFault::ahead(ahead_ms), since).happened
    }

    #[test]
    fn a_clock_is_wrong_by_a_round_number() {
        for (ahead_ms, expected) in [
            (HOUR_MS, "1 h ahead"),
            (2 * HOUR_MS, "2 h ahead"),
            (-90_000, "2 min behind"),
            (1, "1 min ahead"),
            (59 * MINUTE_MS + 30_000, "1 h ahead"),
            (47 * HOUR_MS, "47 h ahead"),
            (-2 * DAY_MS, "2 days behind"),
            (365 * DAY_MS + HOUR_MS, "365 days ahead"),
        ] {
            assert_eq!(said(ahead_ms), format!("The clock of house is {expected}."));
        }
        assert!(said(i64::MIN).ends_with("days behind."));
    }
}
