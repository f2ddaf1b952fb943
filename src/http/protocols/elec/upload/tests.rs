use proptest::prelude::*;

use super::*;

fn read(body: &[u8]) -> Result<Sent, ApiError> {
    super::read(body, 10)
}

fn body(rest: &str) -> Vec<u8> {
    format!(r#"{{"sensor_id":"house","api_id":"id","api_key":"s3cret"{rest}}}"#).into_bytes()
}

/// The readings as (time in ms, watts, watthours).
fn readings(rest: &str) -> Vec<(Option<i64>, Option<f64>, Option<f64>)> {
    let sent = read(&body(rest)).unwrap_or_else(|error| panic!("{rest}: {error}"));
    let plain = |reading: &UploadedReading| {
        (
            reading.time.map(Timestamp::millis),
            reading.measures.watts(),
            reading.measures.watthours(),
        )
    };
    sent.upload.readings().iter().map(plain).collect()
}

fn error(body: &[u8]) -> String {
    match read(body) {
        Ok(sent) => panic!("{sent:?}"),
        Err(ApiError::MalformedJson(text)) => format!("malformed: {text}"),
        Err(ApiError::MissingField(name)) => format!("missing: {name}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_single_reading() {
    assert_eq!(readings(r#","watts":234"#), [(None, Some(234.0), None)]);
    assert_eq!(
        readings(r#","time":"1970-01-01T00:00:01","watts":-1.5,"watthours":1e3"#),
        [(Some(1000), Some(-1.5), Some(1000.0))]
    );
    assert_eq!(
        readings(r#","time":null,"watts":null,"watthours":0"#),
        [(None, None, Some(0.0))]
    );
    let sent = read(&body(r#","watts":1"#)).unwrap();
    assert_eq!(sent.upload.sensor().as_str(), "house");
    assert_eq!(sent.api_id.as_deref(), Some("id"));
    assert_eq!(sent.api_key.as_deref(), Some("s3cret"));
    assert_eq!(time_name(sent.is_batch, 0), "time");
}

#[test]
fn a_batch() {
    let rest =
        r#","readings":[{"watts":1},{"time":"1970-01-01T00:00:00Z","watthours":"2","x":[]}]"#;
    assert_eq!(
        readings(rest),
        [(None, Some(1.0), None), (Some(0), None, Some(2.0))]
    );
    assert!(read(&body(rest)).unwrap().is_batch);
    assert_eq!(time_name(true, 1), "readings[1].time");
    assert_eq!(readings(r#","readings":null,"watts":1"#).len(), 1);
    assert_eq!(
        readings(r#","readings":[{"watts":1}],"watts":null,"time":null"#).len(),
        1
    );
}

#[test]
fn what_real_clients_do_is_borne() {
    assert_eq!(
        readings(r#","watts":"1234.5","watthours":"882301""#),
        [(None, Some(1234.5), Some(882_301.0))]
    );
    assert_eq!(readings(r#","watts":" +12\n""#), [(None, Some(12.0), None)]);
    assert_eq!(
        readings(r#","watts":1,"rate":{"a":[1]},"erate_avg":null"#),
        [(None, Some(1.0), None)]
    );
    assert_eq!(
        readings(r#","watts":1,"watts":2"#),
        [(None, Some(2.0), None)]
    );
    let with_mark = [b"\xEF\xBB\xBF".to_vec(), body(r#","watts":1"#)].concat();
    assert!(read(&with_mark).is_ok());
    // Half of a credential may come by another way.
    assert!(read(br#"{"sensor_id":"house","watts":1}"#).is_ok());
}

#[test]
fn a_field_that_looks_like_a_known_one_is_noticed() {
    let misnamed = |rest: &str| {
        let field = read(&body(rest)).unwrap().misnamed?;
        Some(format!("{} {}", field.sent, field.meant))
    };
    for (rest, expected) in [
        (
            r#","watts":1,"timestamp":"2026-01-05T10:00:00""#,
            "timestamp time",
        ),
        (r#","watts":1,"ts":1767607200"#, "ts time"),
        (r#","watts":1,"time_stamp":5"#, "time_stamp time"),
        (r#","watts":1,"Time":5,"time":null"#, "Time time"),
        (r#","watthours":1,"power":5"#, "power watts"),
        (r#","watthours":1,"Watt":5"#, "Watt watts"),
        (r#","watts":1,"kWh":5"#, "kWh watthours"),
        (r#","watts":1,"watt-hours":5"#, "watt-hours watthours"),
        (r#","watts":1,"Wh":5,"energy":{}"#, "Wh watthours"),
        (
            r#","readings":[{"watts":1},{"watts":1,"ts":5},{"watthours":1,"power":5}]"#,
            "ts time",
        ),
    ] {
        assert_eq!(misnamed(rest).as_deref(), Some(expected), "{rest}");
    }
    for rest in [
        r#","watts":1"#,
        // Fields that clients always send, and fields beside the right one.
        r#","watts":512,"watthours":"882301.5","rate":0.25,"erate_avg":"0.31""#,
        r#","time":"2026-01-05T10:00:00","timestamp":5,"watts":1,"power":1,"watthours":1,"kwh":0.001"#,
        r#","watts":1,"voltage":230,"current":2,"temperature":20,"device":"x","version":2,"rssi":-60"#,
        r#","timestamp":5,"readings":[{"watts":1}]"#,
        r#","watts":1,"the power of the whole house":5"#,
    ] {
        assert_eq!(misnamed(rest), None, "{rest}");
    }
}

#[test]
fn measures_must_be_finite_numbers() {
    for (value, shown) in [
        ("true", "true"),
        ("{}", "{}"),
        ("[1]", "[1]"),
        (r#""""#, r#""""#),
        (r#"" ""#, r#"" ""#),
        (r#""1,5""#, r#""1,5""#),
        (r#""12 W""#, r#""12 W""#),
        (r#""inf""#, r#""inf""#),
        (r#""NaN""#, r#""NaN""#),
        (r#""0x10""#, r#""0x10""#),
        ("1e999", "1e999"),
        (r#""-1e999""#, r#""-1e999""#),
        (r#""\ud800""#, r#""\ud800""#),
    ] {
        for name in ["watts", "watthours"] {
            assert_eq!(
                error(&body(&format!(r#","{name}":{value}"#))),
                format!("{name}: expected a finite number; got {shown}")
            );
        }
    }
    assert_eq!(error(&body("")), "missing: watts or watthours");
    assert_eq!(
        error(&body(r#","watts":null"#)),
        "missing: watts or watthours"
    );
}

#[test]
fn times_are_never_guessed() {
    for value in [
        r#""""#,
        r#""now""#,
        "1700000000",
        "true",
        r#""2026-01-05""#,
        r#""2026-02-30T00:00:00""#,
    ] {
        let text = error(&body(&format!(r#","watts":1,"time":{value}"#)));
        assert!(text.starts_with("time: "), "{text}");
        assert!(text.ends_with(&format!("; got {value}")), "{text}");
    }
}

#[test]
fn a_batch_is_wrong_by_index() {
    assert_eq!(
        error(&body(
            r#","readings":[{"watts":1},{"watts":true},{"watts":{}}]"#
        )),
        "readings[1].watts: expected a finite number; got true"
    );
    assert_eq!(
        error(&body(r#","readings":[{}]"#)),
        "missing: readings[0].watts or watthours"
    );
    assert_eq!(
        error(&body(r#","readings":[1]"#)),
        "readings[0]: expected an object; got 1"
    );
    assert_eq!(
        error(&body(r#","readings":[]"#)),
        "readings: expected at least one reading; got []"
    );
    assert_eq!(
        error(&body(r#","readings":{"watts":1}"#)),
        r#"readings: expected a list of readings; got {"watts":1}"#
    );
    for beside in ["watts", "watthours", "time"] {
        assert_eq!(
            error(&body(&format!(
                r#","readings":[{{"watts":1}}],"{beside}":1"#
            ))),
            format!(
                "readings: expected either a list of readings or a single one; got {beside} too"
            )
        );
    }
}

#[test]
fn identity_is_checked() {
    assert_eq!(error(br#"{"watts":1}"#), "missing: sensor_id");
    assert_eq!(
        error(br#"{"sensor_id":"","watts":1}"#),
        "missing: sensor_id"
    );
    assert_eq!(
        error(br#"{"sensor_id":7,"watts":1}"#),
        "sensor_id: expected a string; got 7"
    );
    let text = error(br#"{"sensor_id":"a\nb","watts":1}"#);
    assert!(
        text.starts_with("sensor_id: expected 1 to 64 bytes"),
        "{text}"
    );
    assert!(text.ends_with("got a\\nb"), "{text}");
    assert_eq!(
        error(br#"{"sensor_id":"house","api_key":12345,"watts":1}"#),
        "api_key: expected a string"
    );
}

#[test]
fn malformed_bodies_say_where() {
    assert_eq!(error(b"[1]"), "malformed: expected a JSON object in UTF-8");
    assert_eq!(
        error(b"\"text\""),
        "malformed: expected a JSON object in UTF-8"
    );
    let text = error(b"{\"sensor_id\":\"a\",\n \"watts\":01}");
    assert!(
        text.starts_with("malformed: ") && text.contains("line 2 column"),
        "{text}"
    );
    for body in [
        &b""[..],
        b"   ",
        b"{\"a\":1",
        b"sensor_id=house&watts=1",
        b"\xFF\xFE{}",
    ] {
        assert!(error(body).starts_with("malformed: "), "{body:?}");
    }
    // A bad reading does not hide that the body is cut off.
    assert!(error(br#"{"sensor_id":"a","readings":[{}"#).starts_with("malformed: "));
}

#[test]
fn a_batch_has_at_most_as_many_readings_as_allowed() {
    let batch = |count: usize| {
        let list = vec![r#"{"watts":1}"#; count].join(",");
        format!(r#","readings":[{list}]"#)
    };
    assert_eq!(readings(&batch(10)).len(), 10);
    let text =
        "expected at most 10 readings in one upload; got at least 5000: send them in several";
    assert_eq!(error(&body(&batch(5_000))), text);
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn no_fields_panic(rest in "(,\"(watts|time|readings|api_key)\":(null|true|\"[ -~]{0,9}\"|[0-9eE.+-]{1,9}|\\[\\{\\}\\])){0,4}") {
        if let Ok(sent) = read(&body(&rest)) {
            prop_assert!(!sent.upload.readings().is_empty());
        }
    }

    #[test]
    fn numbers_are_read_to_the_bit(number in proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL) {
        for written in [format!("{number:?}"), format!("\"{number:e}\"")] {
            let found = readings(&format!(r#","watts":{written}"#));
            prop_assert_eq!(found[0].1.map(f64::to_bits), Some(number.to_bits()));
        }
    }
}
