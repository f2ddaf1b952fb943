//! Sensors that stopped uploading.

use super::kind::{Notice, NoticeKind, NoticeSubject};
use crate::domain::words::words;
use crate::domain::{SensorId, SilentAfter, Timestamp};

const MINUTE_MS: i64 = 60_000;
/// No learnt limit is shorter.
const LEAST_LEARNT_MS: i64 = 10 * MINUTE_MS;

/// After how long without an upload a sensor is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilenceLimit {
    ms: i64,
}

/// How a sensor uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceState {
    /// As usual.
    Uploading,
    /// Half of the limit has passed.
    Late,
    /// The limit has passed.
    Silent,
}

words! {
    SilenceState: Uploading "uploading", Late "late", Silent "silent"; "uploading, late or silent"
}

impl SilenceLimit {
    /// As a person set it.
    #[must_use]
    pub fn set(limit: SilentAfter) -> Self {
        let ms = i64::from(limit.as_minutes()) * MINUTE_MS;
        Self { ms }
    }

    /// Three usual spacings, 10 min at least.
    #[must_use]
    pub fn learnt(usual_ms: i64) -> Self {
        let ms = usual_ms.saturating_mul(3).max(LEAST_LEARNT_MS);
        Self { ms }
    }

    /// It, in milliseconds.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.ms
    }

    /// How a sensor uploads that did so last at `last`.
    #[must_use]
    pub const fn state(self, last: Timestamp, now: Timestamp) -> SilenceState {
        let age_ms = now.millis() - last.millis();
        if age_ms > self.ms {
            SilenceState::Silent
        } else if age_ms > self.ms / 2 {
            SilenceState::Late
        } else {
            SilenceState::Uploading
        }
    }
}

/// The usual spacing, in milliseconds: the median of these, in any order; `None` without any.
#[must_use]
pub fn usual_spacing_ms(mut spacings_ms: Vec<i64>) -> Option<i64> {
    spacings_ms.sort_unstable();
    spacings_ms.get(spacings_ms.len() / 2).copied()
}

/// Opens when a sensor is silent, and closes when it uploads as usual; not when it is late.
#[must_use]
pub fn sensor_silent(
    sensor: &SensorId,
    limit: SilenceLimit,
    last: Timestamp,
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let is_open = match limit.state(last, now) {
        SilenceState::Silent => true,
        SilenceState::Late => open_since.is_some(),
        SilenceState::Uploading => false,
    };
    is_open.then(|| Notice {
        kind: NoticeKind::SensorSilent,
        subject: NoticeSubject::Sensor(sensor.clone()),
        since: open_since.unwrap_or(last),
        happened: format!(
            "The sensor {sensor} has uploaded nothing for more than {} min.",
            limit.ms / MINUTE_MS
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minute: i64) -> Timestamp {
        Timestamp::from_millis(minute * MINUTE_MS).unwrap()
    }

    fn learnt_minutes(minutes: &[i64]) -> Option<i64> {
        let spacings = minutes.iter().map(|minutes| minutes * MINUTE_MS).collect();
        usual_spacing_ms(spacings).map(|usual| SilenceLimit::learnt(usual).ms / MINUTE_MS)
    }

    #[test]
    fn the_limit_is_learnt_or_set() {
        for (spacings, minutes) in [
            (&[][..], None),
            (&[1, 1, 1], Some(10)),
            // One long silence teaches nothing.
            (&[15, 900, 14], Some(45)),
            (&[1440], Some(4320)),
        ] {
            assert_eq!(learnt_minutes(spacings), minutes, "{spacings:?}");
        }
        assert_eq!(
            SilenceLimit::set(SilentAfter::minutes(5).unwrap()).ms,
            5 * MINUTE_MS
        );
        assert_eq!(SilenceLimit::learnt(i64::MAX).ms, i64::MAX);
    }

    #[test]
    fn silence_is_over_with_usual_uploads() {
        let sensor = SensorId::new("roof").unwrap();
        let limit = SilenceLimit::set(SilentAfter::minutes(10).unwrap());
        let since = |last, now, open: Option<i64>| {
            let found = sensor_silent(&sensor, limit, minute(last), minute(now), open.map(minute));
            found.map(|notice| notice.since.millis() / MINUTE_MS)
        };
        for (last, now, open, expected) in [
            (0, 5, None, None),
            (0, 6, None, None),
            (0, 10, None, None),
            (0, 11, None, Some(0)),
            // It uploaded at 12, and then not for 6 min: late, so still open.
            (12, 18, Some(0), Some(0)),
            (12, 17, Some(0), None),
            // The clock was set back.
            (20, 0, None, None),
        ] {
            assert_eq!(since(last, now, open), expected, "{last} {now} {open:?}");
        }
        let states = [5, 6, 10, 11].map(|now| limit.state(minute(0), minute(now)).as_str());
        assert_eq!(states, ["uploading", "late", "late", "silent"]);
        let notice = sensor_silent(&sensor, limit, minute(0), minute(60), None).unwrap();
        assert_eq!(
            notice.happened,
            "The sensor roof has uploaded nothing for more than 10 min."
        );
    }
}
