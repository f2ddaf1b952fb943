//! Answers in the documented form of each source, and wrong ones.

use toml::Table;

use super::{MOST_ENTRIES, SourceAnswer, read};
use crate::domain::TimeRange;
use crate::domain::time::at;
use crate::ingest::wanted::tests::{held_by, hostile};
use crate::price_sources::error::SourceError;
use crate::price_sources::form::SourceForm;
use crate::price_sources::known::KnownSource;

fn form_of(source: &str, more: &str) -> SourceForm {
    let known = KnownSource::with_id(source).unwrap();
    known.form_with(&more.parse().unwrap()).unwrap()
}

/// The entries of an answer as text: the start, the minutes and the price; or the date and the type.
fn shown(form: &SourceForm, body: &str) -> Result<Vec<String>, SourceError> {
    Ok(match read(form, body.as_bytes(), TimeRange::ALL)? {
        SourceAnswer::Prices(prices, _) => {
            let text = |it: &crate::ledger::contract::SeriesPrice| {
                let minutes = (it.to.millis() - it.from.millis()) / 60_000;
                let from = it.from.to_string().replace(":00.000Z", "");
                format!("{from} {minutes} {}", it.price)
            };
            prices.iter().map(text).collect()
        }
        SourceAnswer::Days(days) => days
            .iter()
            .map(|(day, label)| format!("{day} {label}"))
            .collect(),
    })
}

const TEMPO: &str = r#"{"tempo_like_calendars":{"start_date":"2026-01-05T00:00:00+01:00","end_date":"2026-01-07T00:00:00+01:00","values":[
{"start_date":"2026-01-06T00:00:00+01:00","end_date":"2026-01-07T00:00:00+01:00","value":"RED","updated_date":"2026-01-05T10:20:00+01:00"},
{"start_date":"2026-01-05T00:00:00+01:00","end_date":"2026-01-06T00:00:00+01:00","value":"WHITE","updated_date":"2026-01-04T10:20:00+01:00"}]}}"#;

#[test]
fn answers_of_each_source_are_read() {
    for (source, body, expected) in [
        (
            "energy-charts",
            // The last hour before quarters, a quarter that is null and one that is missing.
            r#"{"license_info":"CC BY 4.0","unix_seconds":[1759266000,1759269600,1759270500,1759271400,1759273200,1759274100],"price":[93.06,80.0,-1.5,null,70.125,60],"unit":"EUR / MWh","deprecated":false}"#,
            &[
                "2025-09-30T21:00 60 0.09306",
                "2025-09-30T22:00 15 0.08",
                "2025-09-30T22:15 15 -0.0015",
                "2025-09-30T23:00 15 0.070125",
                "2025-09-30T23:15 15 0.06",
            ][..],
        ),
        (
            "awattar-de",
            r#"{"object":"list","data":[{"start_timestamp":1428591600000,"end_timestamp":1428595200000,"marketprice":42.09,"unit":"Eur/MWh"},{"start_timestamp":1428598800000,"end_timestamp":1428602400000,"marketprice":-5.12,"unit":"Eur/MWh"}],"url":"/de/v1/marketdata"}"#,
            &[
                "2015-04-09T15:00 60 0.04209",
                "2015-04-09T17:00 60 -0.00512",
            ],
        ),
        (
            "octopus-agile-import",
            r#"{"count":2,"next":null,"previous":null,"results":[{"value_exc_vat":11.6190,"value_inc_vat":12.2,"valid_from":"2026-05-25T22:30:00Z","valid_to":"2026-05-25T23:00:00Z","payment_method":null},{"value_exc_vat":-2.8571,"value_inc_vat":-3.0,"valid_from":"2026-05-25T22:00:00Z","valid_to":"2026-05-25T22:30:00Z","payment_method":null}]}"#,
            &["2026-05-25T22:00 30 -0.03", "2026-05-25T22:30 30 0.122"],
        ),
        ("rte-tempo", TEMPO, &["2026-01-05 white", "2026-01-06 red"]),
    ] {
        let found = shown(&form_of(source, ""), body).unwrap();
        assert_eq!(found, expected, "{source}");
    }
}

/// A document of ENTSO-E with a series of this curve type, resolution and points.
fn document(series: &[(&str, &str, &str, &str)]) -> String {
    let series = series.iter().map(|(sequence, curve, resolution, points)| {
        format!(
            "<TimeSeries><mRID>1</mRID><businessType>A62</businessType><currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>{sequence}<curveType>{curve}</curveType>\
             <Period><timeInterval><start>2026-01-04T23:00Z</start><end>2026-01-05T00:00Z</end></timeInterval><resolution>{resolution}</resolution>{points}</Period></TimeSeries>"
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Publication_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\"><type>A44</type>\
         <period.timeInterval><start>2026-01-04T23:00Z</start><end>2026-01-05T23:00Z</end></period.timeInterval>{}</Publication_MarketDocument>",
        series.collect::<String>()
    )
}

fn sequence(number: u8) -> String {
    format!(
        "<classificationSequence_AttributeInstanceComponent.position>{number}</classificationSequence_AttributeInstanceComponent.position>"
    )
}

fn points(all: &[(u8, &str)]) -> String {
    let points = all.iter().map(|(position, price)| {
        format!(
            "<Point><position>{position}</position><price.amount>{price}</price.amount></Point>"
        )
    });
    points.collect()
}

#[test]
fn only_the_day_ahead_auction_counts() {
    let form = form_of("entsoe", "");
    // Since 2026, Spain's answer has the auctions within the day, too; each names its currency.
    let of_market = |market: &str, currency: &str| {
        format!(
            "<contract_MarketAgreement.type>{market}</contract_MarketAgreement.type><currency_Unit.name>{currency}</currency_Unit.name>"
        )
    };
    let auctions = |other: &str| {
        document(&[
            (
                &of_market("A07", "EUR"),
                "A03",
                "PT15M",
                &points(&[(1, "5")]),
            ),
            (
                &of_market("A01", "EUR"),
                "A03",
                "PT60M",
                &points(&[(1, "7")]),
            ),
            (
                &of_market("A07", other),
                "A03",
                "PT15M",
                &points(&[(2, "6")]),
            ),
        ])
    };
    let spanish = shown(&form, &auctions("EUR")).unwrap();
    assert_eq!(spanish, ["2026-01-04T23:00 60 0.007"]);
    let found = read(&form, auctions("PLN").as_bytes(), TimeRange::ALL).unwrap();
    let SourceAnswer::Prices(_, terms) = found else {
        panic!("{found:?}");
    };
    assert_eq!(terms.currency.unwrap().as_str(), "EUR");
    let mixed = document(&[
        (
            &of_market("A01", "EUR"),
            "A03",
            "PT60M",
            &points(&[(1, "7")]),
        ),
        (
            &of_market("A01", "PLN"),
            "A03",
            "PT60M",
            &points(&[(1, "7")]),
        ),
    ]);
    let mixed = shown(&form, &mixed);
    assert_eq!(mixed, Err(SourceError::Entry(2, "currency")));
}

#[test]
fn documents_of_entsoe_are_read() {
    let form = form_of("entsoe", "");
    let (first, second) = (sequence(1), sequence(2));
    let quarters = points(&[(1, "90.5"), (4, "-1")]);
    let repeated = document(&[
        (&first, "A03", "PT15M", &quarters),
        (&second, "A03", "PT60M", &points(&[(1, "7")])),
    ]);
    assert_eq!(
        shown(&form, &repeated).unwrap(),
        [
            "2026-01-04T23:00 15 0.0905",
            "2026-01-04T23:15 15 0.0905",
            "2026-01-04T23:30 15 0.0905",
            "2026-01-04T23:45 15 -0.001",
        ]
    );
    // With another type of curve, a point that is left out is a gap.
    let gap = document(&[("", "A01", "PT15M", &quarters)]);
    assert_eq!(
        shown(&form, &gap).unwrap(),
        ["2026-01-04T23:00 15 0.0905", "2026-01-04T23:45 15 -0.001"]
    );
    let reason = |code| {
        format!(
            "<?xml version=\"1.0\"?><Acknowledgement_MarketDocument><mRID>1</mRID><Reason><code>{code}</code><text>No matching data found</text></Reason></Acknowledgement_MarketDocument>"
        )
    };
    assert_eq!(shown(&form, &reason(999)), Ok(vec![]));
    assert_eq!(shown(&form, &reason(400)), Err(SourceError::Refused(400)));
    for wrong in [
        document(&[("", "A03", "PT7M", &quarters)]),
        document(&[("", "A03", "PT15M", &points(&[(5, "1")]))]),
        document(&[("", "A03", "PT15M", &points(&[(2, "1"), (1, "1")]))]),
        document(&[("", "A03", "PT15M", &points(&[(1, "n/a")]))]),
        document(&[("", "A03", "PT15M", "<Point><position>1</position></Point>")]),
        document(&[
            ("", "A03", "PT60M", &points(&[(1, "1")])),
            ("", "A03", "PT60M", &points(&[(1, "2")])),
        ]),
        repeated.replace("</Publication_MarketDocument>", ""),
        "<feed></feed>".to_owned(),
        String::new(),
        "<a>".repeat(50),
    ] {
        assert!(shown(&form, &wrong).is_err(), "{wrong}");
    }
}

/// A form that the settings describe.
fn own(text: &str) -> SourceForm {
    let table: Table = format!("url = \"https://a.example\"\nunit = \"EUR/kWh\"\n{text}")
        .parse()
        .unwrap();
    SourceForm::read(&table).unwrap()
}

#[test]
fn a_table_is_read_by_its_columns() {
    let form = own(
        "format = \"csv\"\ntime = \"Datum von\"\nend = \"bis\"\nprice = \"Preis\"\ndecimals = \"comma\"\ntimes = \"local\"\nclock = \"Europe/Berlin\"",
    );
    // The hour from 02:00 comes twice.
    let body = "\u{feff}Datum von;bis;Preis;x\r\n2026-10-25 01:00;2026-10-25 02:00;0,10;1\r\n2026-10-25 02:00;2026-10-25 03:00;1.000,20;1\r\n2026-10-25 02:00;2026-10-25 03:00;-0,30;\r\n2026-10-25 03:00;;;\r\n";
    assert_eq!(
        shown(&form, &body.replace(";2026-10-25 03:00;", ";;")).unwrap(),
        [
            "2026-10-24T23:00 60 0.1",
            "2026-10-25T00:00 60 1000.2",
            "2026-10-25T01:00 60 -0.3",
        ]
    );
    let missing = shown(&form, "a;b\n1;2\n");
    assert_eq!(missing, Err(SourceError::Missing("Datum von".to_owned())));
    // Clocks skip this hour.
    let skipped = "Datum von;bis;Preis\n2026-03-29 02:30;;1\n";
    assert_eq!(shown(&form, skipped), Err(SourceError::Entry(1, "time")));
}

#[test]
fn json_is_read_in_each_of_its_shapes() {
    let names = own("items = \"/values\"\nprice = \"\"");
    assert_eq!(
        shown(&names, r#"{"values":{"2026-01-05T10:00":0.25,"2026-01-05T11:00":"0.5","2026-01-05T12:00":null}}"#).unwrap(),
        ["2026-01-05T10:00 60 0.25", "2026-01-05T11:00 60 0.5"]
    );
    let list = own("items = \"\"\ntime = \"/t\"\nprice = \"/p/0\"");
    assert_eq!(
        shown(&list, r#"[{"t":"2026-01-05 10:00:00","p":[1e-3]}]"#).unwrap(),
        ["2026-01-05T10:00 60 0.001"]
    );
}

/// Standard unit rates of Octopus differ by the way to pay, and the one in force has no end.
#[test]
fn one_rate_of_several_is_taken_also_if_it_has_no_end() {
    let body = r#"{"results":[
        {"value_inc_vat":25.1,"valid_from":"2026-01-01T00:00:00Z","valid_to":null,"payment_method":"DIRECT_DEBIT"},
        {"value_inc_vat":27.3,"valid_from":"2026-01-01T00:00:00Z","valid_to":null,"payment_method":"NON_DIRECT_DEBIT"},
        {"value_inc_vat":24.0,"valid_from":"2025-10-01T00:00:00Z","valid_to":"2026-01-01T00:00:00Z","payment_method":"DIRECT_DEBIT"}]}"#;
    let range = TimeRange::new(at("2026-03-01T00:00:00"), at("2026-03-02T00:00:00")).unwrap();
    let prices = |more: &str| {
        let form = form_of("octopus-agile-import", more);
        Ok(match read(&form, body.as_bytes(), range)? {
            SourceAnswer::Prices(prices, _) => prices,
            SourceAnswer::Days(_) => Vec::new(),
        })
    };
    let found = prices("where = { \"/payment_method\" = \"DIRECT_DEBIT\" }").unwrap();
    let shown = found
        .iter()
        .map(|it| (it.from.to_string(), it.to.to_string(), it.price.to_string()));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [(
            "2026-01-01T00:00:00.000Z".to_owned(),
            "2026-03-02T00:00:00.000Z".to_owned(),
            "0.251".to_owned()
        )]
    );
    let others = |form: &SourceForm, body: &str| match read(form, body.as_bytes(), range) {
        Ok(SourceAnswer::Prices(_, terms)) => terms.others.told(),
        other => panic!("{other:?}"),
    };
    let form = form_of(
        "octopus-agile-import",
        "where = { \"/payment_method\" = \"DIRECT_DEBIT\" }",
    );
    assert_eq!(others(&form, body), ["/payment_method = NON_DIRECT_DEBIT"]);
    let without = body.replace(",\"payment_method\":\"NON_DIRECT_DEBIT\"", "");
    assert_eq!(others(&form, &without), ["/payment_method = nothing"]);
    let twice: SourceError = prices("").unwrap_err();
    assert!(
        twice.to_string().contains("choose one with where"),
        "{twice}"
    );
    assert_eq!(
        prices("where = { \"/payment_method\" = \"CASH\" }"),
        Ok(Vec::new())
    );
    let form = own("format = \"csv\"\ntime = \"t\"\nprice = \"p\"\nwhere = { rate = \"day\" }");
    let table = "t,p,rate\n2026-01-05T10:00,0.1,day\n2026-01-05T10:00,0.2,night\n";
    assert_eq!(
        self::shown(&form, table).unwrap(),
        ["2026-01-05T10:00 60 0.1"]
    );
    assert_eq!(others(&form, table), ["rate = night"]);
}

#[test]
fn several_lists_and_a_currency_are_read() {
    let form = own(
        "items = [\"/N1/a\", \"/N1/b\"]\ncurrency = \"/money\"\ntime = \"/t\"\nprice = \"/p/{zone}\"",
    );
    let form = form.of_zone("N1");
    let body = r#"{"money":"SEK","N1":{"a":[{"t":"2026-01-05T10:00","p":{"N1":0.1}}],"b":[{"t":"2026-01-05T11:00","p":{"N1":0.2}}]}}"#;
    assert_eq!(
        shown(&form, body).unwrap(),
        ["2026-01-05T10:00 60 0.1", "2026-01-05T11:00 60 0.2"]
    );
    let currency = |body: &str| match read(&form, body.as_bytes(), TimeRange::ALL) {
        Ok(SourceAnswer::Prices(_, terms)) => Ok(terms.currency.unwrap().as_str().to_owned()),
        Ok(SourceAnswer::Days(_)) => panic!("days"),
        Err(error) => Err(error),
    };
    assert_eq!(currency(body), Ok("SEK".to_owned()));
    let missing = Err(SourceError::Missing("/money".to_owned()));
    for wrong in ["5", "\"\"", "[1]", "\"Taler der Stadt\""] {
        assert_eq!(
            currency(&body.replace("\"SEK\"", wrong)),
            missing,
            "{wrong}"
        );
    }
    // One list of two that is missing is a mistake in the form, or another answer.
    assert!(shown(&form, &body.replace("\"b\"", "\"c\"")).is_err());
}

#[test]
fn one_wrong_entry_refuses_the_answer() {
    let form = own("items = \"/data\"\ntime = \"/t\"\nend = \"/e\"\nprice = \"/p\"");
    let entry = |index, what| Err(SourceError::Entry(index, what));
    let missing = |place: &str| Err(SourceError::Missing(place.to_owned()));
    let with = |second: &str| format!(r#"{{"data":[{{"t":"2026-01-05T10:00","p":1}},{second}]}}"#);
    for (body, expected) in [
        (with(r#"{"t":"soon","p":1}"#), entry(2, "time")),
        (with(r#"{"t":null,"p":1}"#), entry(2, "time")),
        (
            with(r#"{"t":"2026-01-05T11:00","p":"n/a"}"#),
            entry(2, "price"),
        ),
        (
            with(r#"{"t":"2026-01-05T11:00","p":true}"#),
            entry(2, "price"),
        ),
        (
            with(r#"{"t":"2026-01-05T11:00","p":1e300}"#),
            entry(2, "price"),
        ),
        (with(r#"{"t":"2026-01-05T11:00"}"#), missing("/p")),
        (
            with(r#"{"t":"2026-01-05T11:00","e":"2026-01-05T11:00","p":1}"#),
            entry(2, "end"),
        ),
        (
            with(r#"{"t":"2026-01-05T10:00","p":2}"#),
            Err(SourceError::Twice(at("2026-01-05T10:00:00"))),
        ),
        (r#"{"items":[]}"#.to_owned(), missing("/data")),
        (r#"{"data":1}"#.to_owned(), missing("/data")),
        ("{\"data\":[".to_owned(), Err(SourceError::Format("JSON"))),
        (String::new(), Err(SourceError::Format("JSON"))),
        (
            "\n<!DOCTYPE html><title>x</title>".to_owned(),
            Err(SourceError::Html("json")),
        ),
        (
            "<HTML><body>Sign in".to_owned(),
            Err(SourceError::Html("json")),
        ),
    ] {
        assert_eq!(shown(&form, &body), expected, "{body}");
    }
    // The same price twice is no conflict, and no prices are no mistake.
    assert_eq!(
        shown(&form, &with(r#"{"t":"2026-01-05T10:00","p":1}"#))
            .unwrap()
            .len(),
        1
    );
    assert_eq!(shown(&form, r#"{"data":[]}"#), Ok(vec![]));
    let columns = own("time = \"/t\"\nprice = \"/p\"");
    assert_eq!(
        shown(&columns, r#"{"t":["2026-01-05T10:00"],"p":[]}"#),
        entry(1, "time and price")
    );
    let tempo = form_of("rte-tempo", "");
    assert_eq!(
        shown(&tempo, &TEMPO.replace("RED", "GREEN")),
        entry(1, "type of day")
    );
}

#[test]
fn what_was_not_asked_for_is_left_out() {
    let form = form_of("awattar-de", "");
    let body = r#"{"data":[{"start_timestamp":0,"end_timestamp":3600000,"marketprice":1},{"start_timestamp":3600000,"end_timestamp":7200000,"marketprice":1}]}"#;
    let range = TimeRange::new(at(3_600_000), at(7_200_000)).unwrap();
    let Ok(SourceAnswer::Prices(prices, _)) = read(&form, body.as_bytes(), range) else {
        panic!("no prices");
    };
    assert_eq!(prices.len(), 1);
    let tempo = form_of("rte-tempo", "");
    let day = TimeRange::new(at("2026-01-04T23:00:00"), at("2026-01-05T23:00:00")).unwrap();
    let Ok(SourceAnswer::Days(days)) = read(&tempo, TEMPO.as_bytes(), day) else {
        panic!("no days");
    };
    assert_eq!(days.len(), 1);
}

#[test]
fn an_answer_with_too_many_entries_is_refused() {
    let form = own("items = \"\"\ntime = \"/t\"\nprice = \"/p\"");
    let entry = r#"{"t":"2026-01-05","p":1}"#;
    let body = format!("[{}{entry}]", format!("{entry},").repeat(MOST_ENTRIES));
    let error = shown(&form, &body).unwrap_err();
    assert_eq!(error, SourceError::TooMany(MOST_ENTRIES));
}

proptest::proptest! {
    #[test]
    fn no_answer_panics(body in "\\PC{0,60}|[\\[{\"}\\]:,0-9a-z/<>;]{0,60}") {
        super::fuzz(body.as_bytes());
    }
}

/// The longest answer.
const LIMIT: usize = 2 << 20;

#[test]
fn no_answer_takes_more_than_a_few_times_its_length() {
    let check = |source: &str, body: &str| {
        let form = form_of(source, "");
        let held = held_by(|| {
            let _ = read(&form, body.as_bytes(), TimeRange::ALL);
        });
        assert!(held < 20 << 20, "{held} for {source} {}", &body[..60]);
    };
    for value in hostile(LIMIT - 200) {
        for (source, around) in [
            ("awattar-de", "@"),
            ("awattar-de", "{\"data\":@}"),
            ("awattar-de", "{\"data\":[{\"start_timestamp\":@}]}"),
            ("octopus-agile-import", "{\"results\":@}"),
            ("rte-tempo", "{\"tempo_like_calendars\":{\"values\":@}}"),
            ("energy-charts", "{\"unix_seconds\":@}"),
            ("energy-charts", "{\"price\":[1],\"unix_seconds\":@}"),
        ] {
            check(source, &around.replace('@', &value));
        }
    }
    let point = "<Point><position>1</position><price.amount>1</price.amount></Point>";
    for inner in [
        "<a/>".repeat(LIMIT / 4),
        "<TimeSeries><Period>".repeat(LIMIT / 20),
        format!("<TimeSeries><Period>{}", point.repeat(LIMIT / point.len())),
        "&amp;".repeat(LIMIT / 5),
        format!("<{}>", "a".repeat(LIMIT)),
        format!("<a {}>", "a='b' ".repeat(LIMIT / 6)),
    ] {
        check("entsoe", &format!("<Publication_MarketDocument>{inner}"));
    }
    // A table, whose separators make cells.
    let csv = form_of(
        "awattar-de",
        "format = \"csv\"\ntime = \"t\"\nprice = \"p\"",
    );
    for body in [
        ",".repeat(LIMIT),
        "t,p\n".repeat(LIMIT / 4),
        "t,p\n\"".to_owned() + &"\n".repeat(LIMIT),
        "t,p\n".to_owned() + &"\"\n\",".repeat(LIMIT / 4),
    ] {
        let held = held_by(|| {
            let _ = read(&csv, body.as_bytes(), TimeRange::ALL);
        });
        assert!(held < 24 << 20, "{held} for {:?}", &body[..8]);
    }
}

#[test]
fn slots_of_a_document_are_bounded_also_in_series_that_do_not_count() {
    let series = "<TimeSeries><classificationSequence_AttributeInstanceComponent.position>2</classificationSequence_AttributeInstanceComponent.position><curveType>A03</curveType><Period><timeInterval><start>2025-01-01T00:00Z</start><end>2026-02-01T00:00Z</end></timeInterval><resolution>PT15M</resolution><Point><position>1</position><price.amount>1</price.amount></Point></Period></TimeSeries>";
    let form = form_of("entsoe", "");
    let body = |count: usize| {
        format!(
            "<Publication_MarketDocument>{}</Publication_MarketDocument>",
            series.repeat(count)
        )
    };
    assert_eq!(shown(&form, &body(4)), Ok(Vec::new()));
    assert_eq!(
        shown(&form, &body(5)),
        Err(SourceError::TooMany(MOST_ENTRIES))
    );
    let held = held_by(|| {
        let _ = shown(&form, &body(LIMIT / series.len()));
    });
    assert!(held < 20 << 20, "{held}");
}
