//! The accepted forms of times, and their printing.

use proptest::prelude::*;

use super::*;

fn ms(text: &str) -> i64 {
    Timestamp::parse(text).unwrap().millis()
}

#[test]
fn accepted_forms() {
    assert_eq!(ms("1970-01-01T00:00:00"), 0);
    assert_eq!(ms("1970-01-01T00:00:01Z"), 1_000);
    assert_eq!(ms("1970-01-01T00:00:00.5"), 500);
    assert_eq!(ms("1970-01-01T00:00:00.25Z"), 250);
    assert_eq!(ms("1970-01-01T00:00:00.123456789Z"), 123);
    assert_eq!(ms("1970-01-01T01:00:00+01:00"), 0);
    // A leap second is the second after it.
    assert_eq!(ms("1970-01-01T00:00:60.5Z"), 60_500);
    assert_eq!(ms("2016-12-31T23:59:60Z"), ms("2017-01-01T00:00:00Z"));
    assert_eq!(ms("1970-01-01T00:00:00.001-00:30"), 30 * 60_000 + 1);
    assert_eq!(ms("1969-12-31T23:59:59.999Z"), -1);
    assert_eq!(ms("2024-02-29T00:00:00"), 1_709_164_800_000);
    assert_eq!(ms("0000-01-01T00:00:00"), Timestamp::MIN.millis());
    assert_eq!(ms("9999-12-31T23:59:59.999"), Timestamp::MAX.millis());
}

#[test]
fn refused_forms() {
    for text in [
        "",
        "now",
        "2026-01-05",
        "2026-01-05T10:00",
        "2026-01-05 10:00:00",
        "2026-01-05T10:00:00z",
        "2026-1-5T10:00:00",
        "2026-01-05T10:00:00.",
        "2026-01-05T10:00:00,5",
        "2026-01-05T10:00:00+0100",
        "2026-01-05T10:00:00+01",
        "2026-01-05T10:00:00ZZ",
        " 2026-01-05T10:00:00",
        "2026-01-05T10:00:00 ",
        "+026-01-05T10:00:00",
        "1767607200",
        "２026-01-05T10:00:00",
    ] {
        assert_eq!(Timestamp::parse(text), Err(TimeError::Form), "{text:?}");
    }
    for text in [
        "2026-02-29T00:00:00",
        "2026-13-01T00:00:00",
        "2026-00-01T00:00:00",
        "2026-01-00T00:00:00",
        "2026-01-32T00:00:00",
        "2026-01-05T24:00:00",
        "2026-01-05T23:60:00",
        "2026-01-05T23:59:61",
        "2026-01-05T10:00:00+24:00",
    ] {
        assert_eq!(
            Timestamp::parse(text),
            Err(TimeError::NoSuchTime),
            "{text:?}"
        );
    }
    for text in ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"] {
        assert_eq!(
            Timestamp::parse(text),
            Err(TimeError::OutOfRange),
            "{text:?}"
        );
    }
}

#[test]
fn a_date_alone_is_its_midnight() {
    assert_eq!(
        Timestamp::parse_or_date("1970-01-02").unwrap().millis(),
        MS_PER_DAY
    );
    assert_eq!(
        Timestamp::parse_or_date("1970-01-02T00:00:00")
            .unwrap()
            .millis(),
        MS_PER_DAY
    );
    assert_eq!(
        Timestamp::parse_or_date("1970-02-30"),
        Err(TimeError::NoSuchTime)
    );
    assert_eq!(Timestamp::parse_or_date("1970-02-3"), Err(TimeError::Form));
}

#[test]
fn ranges_do_not_run_backwards() {
    let (early, late) = (Timestamp(1), Timestamp(2));
    assert!(TimeRange::new(early, late).is_some());
    assert!(TimeRange::new(early, early).is_some());
    assert!(TimeRange::new(late, early).is_none());
}

proptest! {
    #[test]
    fn printing_and_reading_agree(ms in Timestamp::MIN.millis()..=Timestamp::MAX.millis()) {
        let time = Timestamp::from_millis(ms).unwrap();
        let text = time.to_string();
        prop_assert_eq!(text.len(), 24);
        prop_assert_eq!(Timestamp::parse(&text), Ok(time));
    }

    #[test]
    fn printed_order_is_time_order(a in Timestamp::MIN.millis()..=Timestamp::MAX.millis(), b in Timestamp::MIN.millis()..=Timestamp::MAX.millis()) {
        let (a, b) = (Timestamp(a), Timestamp(b));
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}|[0-9T:.+Z-]{0,32}") {
        if let Ok(time) = Timestamp::parse_or_date(&text) {
            prop_assert!(Timestamp::MIN <= time && time <= Timestamp::MAX);
        }
    }
}
