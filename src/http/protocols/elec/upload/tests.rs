//! Cases that tests over HTTP do not reach. The contents of uploads are tested in
//! tests/blackbox/http: fields, batches, uploads, credentials.

use proptest::prelude::*;

use super::*;

fn read(body: &[u8]) -> Result<Sent, ApiError> {
    super::read(body, 10)
}

fn body(rest: &str) -> Vec<u8> {
    format!(r#"{{"sensor_id":"house","api_id":"id","api_key":"s3cret"{rest}}}"#).into_bytes()
}

#[test]
fn a_field_that_looks_like_a_known_one_is_noticed() {
    let misnamed = |rest: &str| {
        let field = read(&body(rest)).unwrap().beside.misnamed?;
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
fn the_newest_state_of_charge_counts() {
    let charge = |rest: &str| {
        let charge = read(&body(rest)).unwrap().beside.charge;
        charge.map(|(time, charge)| (time.map(|it| it.to_string()), charge.percent()))
    };
    assert_eq!(charge(r#","watts":1"#), None);
    assert_eq!(charge(r#","watts":1,"state_of_charge":null"#), None);
    assert_eq!(
        charge(r#","watts":1,"state_of_charge":"62.5""#),
        Some((None, 62.5))
    );
    let batch = r#","readings":[
        {"watts":1,"time":"2026-01-05T10:02:00","state_of_charge":52},
        {"watts":1,"time":"2026-01-05T10:00:00","state_of_charge":50},
        {"watts":1,"time":"2026-01-05T10:03:00"}]"#;
    let newest = Some("2026-01-05T10:02:00.000Z".to_owned());
    assert_eq!(charge(batch), Some((newest, 52.0)));
    for wrong in ["-1", "100.5", "\"full\"", "true"] {
        let error = read(&body(&format!(r#","watts":1,"state_of_charge":{wrong}"#)));
        assert!(
            matches!(error, Err(ApiError::InvalidField { .. })),
            "{error:?}"
        );
    }
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
            let sent = read(&body(&format!(r#","watts":{written}"#))).unwrap();
            let found = sent.upload.readings()[0].measures.watts();
            prop_assert_eq!(found.map(f64::to_bits), Some(number.to_bits()));
        }
    }
}
