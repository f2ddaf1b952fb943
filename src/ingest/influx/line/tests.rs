use proptest::prelude::*;

use super::*;

/// The only line of a body.
fn one(body: &str) -> InfluxLine<'_> {
    let mut found = lines(body.as_bytes());
    let (_, line) = found.next().unwrap();
    assert!(found.next().is_none(), "{body:?}");
    line.unwrap_or_else(|error| panic!("{error}"))
}

/// The error of the first line of a body.
fn problem(body: &[u8]) -> String {
    let error = lines(body).next().unwrap().1.unwrap_err();
    let (_, problem) = error.rsplit_once("': ").unwrap();
    problem.strip_suffix(" (line 1)").unwrap().to_owned()
}

#[test]
fn a_whole_line_is_read() {
    let line = one("power,sensor_id=house,phase=L1 watts=234.5,watthours=1010i 1767607200\n");
    assert_eq!(line.measurement, "power");
    assert_eq!(
        line.tags,
        [
            ("sensor_id".into(), "house".into()),
            ("phase".into(), "L1".into())
        ]
    );
    assert_eq!(
        line.fields,
        [
            ("watts".into(), FieldValue::Number(234.5)),
            ("watthours".into(), FieldValue::Number(1_010.0))
        ]
    );
    assert_eq!(line.timestamp, Some(1_767_607_200));
}

#[test]
fn tags_and_time_may_be_missing() {
    let line = one("power watts=1");
    assert!(line.tags.is_empty());
    assert_eq!(line.timestamp, None);
    assert_eq!(one("power watts=1 -5").timestamp, Some(-5));
    assert_eq!(one("  power \t watts=1   7 \r\n").timestamp, Some(7));
    assert_eq!(one("power watts=1\r\n").timestamp, None);
}

#[test]
fn values_are_numbers_booleans_or_texts() {
    let line = one(r#"m a=1,b=-2.5e3,c=-3i,d=4u,e=t,f=False,g="x \"y\" \\ \z, =",h=.5 9"#);
    let values: Vec<_> = line.fields.iter().map(|(_, value)| value.clone()).collect();
    assert_eq!(
        values,
        [
            FieldValue::Number(1.0),
            FieldValue::Number(-2_500.0),
            FieldValue::Number(-3.0),
            FieldValue::Number(4.0),
            FieldValue::Boolean(true),
            FieldValue::Boolean(false),
            FieldValue::Text(r#"x "y" \ \z, ="#.into()),
            FieldValue::Number(0.5),
        ]
    );
    assert_eq!(line.timestamp, Some(9));
}

#[test]
fn a_value_that_cannot_be_read_leaves_the_others() {
    for value in [
        "x",
        "nan",
        "-inf",
        "1e999",
        "1.5i",
        "9223372036854775808i",
        "-1u",
        "tRUE",
        "12W",
    ] {
        let body = format!("m a={value},b=2 5");
        let expected = [
            ("a".into(), FieldValue::Unreadable(value)),
            ("b".into(), FieldValue::Number(2.0)),
        ];
        assert_eq!(one(&body).fields, expected, "{value}");
    }
}

#[test]
fn escapes_are_undone_in_names() {
    let line = one(r"my\ power\,x,tag\ a=b\=c\,d fi\ eld\=\,=1");
    assert_eq!(line.measurement, "my power,x");
    assert_eq!(line.tags, [("tag a".into(), "b=c,d".into())]);
    assert_eq!(line.fields[0].0, "fi eld=,");
    let line = one(r#"C:\x,path=C:\temp a="b""#);
    assert_eq!(line.measurement, r"C:\x");
    assert_eq!(line.tags[0].1, r"C:\temp");
    // A measurement's equals sign needs no backslash, and quotes are ordinary in names.
    assert_eq!(one(r#""a=b",t="x" "f"=1"#).measurement, r#""a=b""#);
}

#[test]
fn lines_are_counted_and_comments_skipped() {
    let body = "# a \"comment\n\nm a=1\n  # another\nm b=\"two\nlines\" 3\r\nbroken\nm c=2";
    let found: Vec<_> = lines(body.as_bytes())
        .map(|(number, line)| (number, line.map(|line| line.fields[0].0.to_string()).ok()))
        .collect();
    assert_eq!(
        found,
        [
            (3, Some("a".into())),
            (5, Some("b".into())),
            (7, None),
            (8, Some("c".into()))
        ]
    );
}

#[test]
fn a_broken_line_does_not_affect_others() {
    let body = "m a=\"unbalanced\nm b=2\nm c=\nm d=4";
    let found: Vec<_> = lines(body.as_bytes())
        .map(|(number, line)| (number, line.is_ok()))
        .collect();
    assert_eq!(found, [(1, false), (2, true), (3, false), (4, true)]);
}

#[test]
fn problems_have_influxdbs_words() {
    for (body, expected) in [
        ("m", "missing fields"),
        ("m ", "missing fields"),
        ("m,a=b", "missing fields"),
        (",a=b c=1", "missing measurement"),
        ("m, a=1", "missing tag key"),
        ("m,a a=1", "missing tag value"),
        ("m,a= a=1", "missing tag value"),
        ("m,a=b=c a=1", "invalid tag format"),
        ("m a", "missing field value"),
        ("m a=", "missing field value"),
        ("m =1", "missing field key"),
        ("m a=1,", "missing field key"),
        ("m a=1, b=2", "missing field key"),
        ("m a=\"b", "unbalanced quotes"),
        ("m a=\"b\\", "unbalanced quotes"),
        ("m a=\"b\"c", "invalid field format"),
        ("m a=1 x", "bad timestamp"),
        ("m a=1 1.5", "bad timestamp"),
        ("m a=1 1 2", "bad timestamp"),
        ("m a=1 9223372036854775808", "bad timestamp"),
    ] {
        assert_eq!(problem(body.as_bytes()), expected, "{body:?}");
    }
    assert_eq!(problem(b"m,a=\xff b=1"), "not UTF-8");
}

#[test]
fn an_error_shows_the_lines_begin() {
    let error = lines(b"m a=1\npower,sensor=house\x1b\n").nth(1).unwrap().1;
    assert_eq!(
        error.unwrap_err(),
        "unable to parse 'power,sensor=house\\u{1b}': missing fields (line 2)"
    );
    let long = "ä".repeat(5_000);
    let error = lines(long.as_bytes()).next().unwrap().1.unwrap_err();
    assert!(error.len() < 200, "{error}");
}

/// The line in text form.
fn written(line: &InfluxLine<'_>) -> String {
    let name = |text: &str| {
        let text = text.replace(',', "\\,").replace(' ', "\\ ");
        text.replace('=', "\\=")
    };
    let measurement = line.measurement.replace(',', "\\,").replace(' ', "\\ ");
    let tags = line.tags.iter();
    let tags: Vec<String> = tags
        .map(|(key, value)| format!(",{}={}", name(key), name(value)))
        .collect();
    let tags = tags.concat();
    let fields: Vec<String> = line
        .fields
        .iter()
        .map(|(key, value)| format!("{}={value}", name(key)))
        .collect();
    let time = line.timestamp.map(|time| format!(" {time}"));
    format!(
        "{measurement}{tags} {}{}\n",
        fields.join(","),
        time.unwrap_or_default()
    )
}

/// Names that can be written: a final backslash would escape the next character, and one before
/// another would be ambiguous.
fn any_name() -> impl Strategy<Value = Cow<'static, str>> {
    "[a-zA-Zäß\"\\\\, =\\.0-9µ]{0,8}[a-zA-Z=, ]"
        .prop_filter("escapes that cannot be written", |name| {
            let name = name.trim_start();
            !name.is_empty()
                && !["\\,", "\\ ", "\\=", "\\\\"]
                    .iter()
                    .any(|pair| name.contains(pair))
        })
        .prop_map(|name| name.trim_start().to_owned())
        .prop_filter("a comment", |name| !name.starts_with('#'))
        .prop_map(Cow::Owned)
}

fn any_value() -> impl Strategy<Value = FieldValue<'static>> {
    prop_oneof![
        (-1e300_f64..1e300).prop_map(FieldValue::Number),
        any::<i32>().prop_map(|number| FieldValue::Number(f64::from(number) / 8.0)),
        any::<bool>().prop_map(FieldValue::Boolean),
        "[a-z\"\\\\, =\n#]{0,12}".prop_map(|text| FieldValue::Text(Cow::Owned(text))),
    ]
}

prop_compose! {
    fn any_line()(
        measurement in any_name(),
        tags in prop::collection::vec((any_name(), any_name()), 0..3),
        fields in prop::collection::vec((any_name(), any_value()), 1..4),
        timestamp in any::<Option<i64>>(),
    ) -> InfluxLine<'static> {
        InfluxLine { measurement, tags, fields, timestamp }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(expected in prop::collection::vec(any_line(), 0..5)) {
        let body: String = expected.iter().map(written).collect();
        let found: Result<Vec<_>, _> = lines(body.as_bytes()).map(|(_, line)| line).collect();
        prop_assert_eq!(found, Ok(expected), "{}", body);
    }

    #[test]
    fn any_bytes_end_in_lines_or_errors(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let physical = body.split(|&byte| byte == b'\n').count();
        let mut last = 0;
        for (number, line) in lines(&body) {
            prop_assert!(number > last && number <= physical);
            last = number;
            if let Ok(line) = line {
                prop_assert!(!line.measurement.is_empty() && !line.fields.is_empty());
            }
        }
    }

    #[test]
    fn broken_lines_do_not_hide_whole_ones(broken in "[a-z,= \\\\0-9]{0,20}", line in any_line()) {
        let body = format!("{broken}\n{}", written(&line));
        let last = lines(body.as_bytes()).last().map(|(_, line)| line);
        prop_assert_eq!(last, Some(Ok(line)));
    }
}
