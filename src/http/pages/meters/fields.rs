//! Times in the fields of forms.

use time::macros::format_description;

use crate::domain::{LocalDate, LocalTime, Timestamp, Zone};

/// The first or second pass of a local time that occurs twice when the clocks go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    First,
    Second,
}

/// The time in a field for date and time, local in `zone`; `None` if the field contains none.
pub(super) fn local_time(text: &str, zone: &Zone, pass: Pass) -> Option<Timestamp> {
    let (date, clock) = text.trim().split_once(['T', ' '])?;
    let date = LocalDate::typed(date.trim_end_matches(',')).ok()?;
    // Browsers leave out seconds that are 0.
    let seconds = if clock.len() > "10:00".len() {
        ""
    } else {
        ":00"
    };
    // Local time has no offset.
    if clock.contains(['Z', 'z', '+', '-']) {
        return None;
    }
    let shown = Timestamp::parse(&format!("{date}T{}{seconds}", clock.trim())).ok()?;
    Some(match (zone.local(shown), pass) {
        (LocalTime::Twice(_, second), Pass::Second) => second,
        (LocalTime::Once(time) | LocalTime::Twice(time, _) | LocalTime::Skipped(time), _) => time,
    })
}

/// The value of a field for date and time: local time in `zone`, to the second.
pub(super) fn local_text(time: Timestamp, zone: &Zone) -> String {
    zone.format(
        time,
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"),
    )
}

/// The same for the next whole second at or after `time`, so that a range up to it misses nothing.
pub(super) fn local_text_after(time: Timestamp, zone: &Zone) -> String {
    local_text(time.saturating_add_millis(999), zone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    #[test]
    fn times_are_those_of_the_clocks() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let read = |text: &str, pass| local_time(text, &berlin, pass);
        let noon = at("2026-07-08T10:00:00");
        for text in [
            "2026-07-08T12:00",
            " 2026-07-08T12:00:00 ",
            "08.07.2026 12:00",
            "8.7.2026, 12:00:00",
            "2026-07-08T12:00:00.000",
        ] {
            assert_eq!(read(text, Pass::First), Some(noon), "{text}");
        }
        assert_eq!(local_text(noon, &berlin), "2026-07-08T12:00:00");
        // The clocks go back from 3 to 2.
        let twice = "2026-10-25T02:30";
        assert_eq!(read(twice, Pass::First), Some(at("2026-10-25T00:30:00")));
        assert_eq!(read(twice, Pass::Second), Some(at("2026-10-25T01:30:00")));
        for wrong in [
            "",
            "yesterday",
            "2026-07-08",
            "2026-07-08T12:00:00Z",
            "2026-07-08T12:00:00+02:00",
        ] {
            assert_eq!(read(wrong, Pass::First), None, "{wrong}");
        }
        let late = at("2026-07-08T10:00:00.001");
        assert_eq!(local_text_after(late, &berlin), "2026-07-08T12:00:01");
    }
}
