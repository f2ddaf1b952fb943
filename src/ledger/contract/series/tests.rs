use proptest::prelude::*;

use super::*;
use crate::domain::time::at;

fn label() -> Label {
    Label::new("day-ahead").unwrap()
}

/// The prices of lines `time,price`, below a header or not.
fn of_lines(text: &str, length: PriceLength) -> Result<PriceSeries, SeriesError> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && *line != "time,price");
    let lines = lines.filter_map(|line| {
        let (time, price) = line.split_once(',')?;
        beginning(time, price.trim(), None)
    });
    PriceSeries::from_beginnings(label(), lines.collect(), length)
}

/// Each price as its minutes from the beginning of 2026, and its millionths.
fn shown(series: &PriceSeries) -> Vec<(i64, i64, i64)> {
    let minutes = |time: Timestamp| (time.millis() - at("2026-01-01T00:00:00").millis()) / 60_000;
    let prices = series.prices().iter();
    prices
        .map(|price| {
            (
                minutes(price.from),
                minutes(price.to),
                price.price.millionths(),
            )
        })
        .collect()
}

#[test]
fn a_table_becomes_prices() {
    let csv = "\u{feff}time,price\r\n2026-01-01T01:00:00+01:00,0.0873\r\n\n2026-01-01T02:00:00Z, -0.01\n2026-01-01T01:00:00Z,0.1\n2026-01-01T02:15:00Z,0.2\n";
    let read = |length| shown(&of_lines(csv, length).unwrap());
    let hours = [(0, 60, 87_300), (60, 120, 100_000), (120, 135, -10_000)];
    assert_eq!(
        read(PriceLength::Hour),
        [&hours[..], &[(135, 195, 200_000)]].concat()
    );
    assert_eq!(
        read(PriceLength::UntilNext),
        [&hours[..], &[(135, 150, 200_000)]].concat()
    );
    assert_eq!(read(PriceLength::Quarter)[1], (60, 75, 100_000));
    let json = r#"[{"time":"2026-01-01T00:00:00Z","price":0.0873},{"price":"-0.01","time":"2026-01-01T00:15:00Z"}]"#;
    let series = PriceSeries::parse_json(label(), json, (None, PriceLength::Quarter)).unwrap();
    assert_eq!(shown(&series), [(0, 15, 87_300), (15, 30, -10_000)]);
    let unit: PriceUnit = "EUR/MWh".parse().unwrap();
    let json = r#"[{"time":"2026-01-01T00:00:00Z","price":92.5}]"#;
    let series = PriceSeries::parse_json(label(), json, (Some(&unit), PriceLength::Hour));
    assert_eq!(shown(&series.unwrap()), [(0, 60, 92_500)]);
}

#[test]
fn what_is_no_price_is_refused() {
    let csv = |text: &str| of_lines(text, PriceLength::Hour).unwrap_err().to_string();
    assert_eq!(
        csv("2026-01-05T09:00:00Z,1\n2026-01-05T10:00:00+01:00,1"),
        "two prices for 2026-01-05T09:00:00.000Z; expected one for each time"
    );
    assert_eq!(
        csv("2026-01-05T09:00:59Z,1\n2026-01-05T09:00:00Z,1"),
        "the price for 2026-01-05T09:00:59.000Z begins less than a minute after the one before it; expected a minute or more between two"
    );
    let json = |text: &str| {
        PriceSeries::parse_json(label(), text, (None, PriceLength::Hour))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        json(r#"[{"time":"2026-01-05T09:00:00Z","price":1e-3}]"#),
        "entry 1: expected a time such as 2026-01-05T10:00:00Z and a price such as 0.0873 or -0.01"
    );
    assert_eq!(
        json("{}"),
        r#"expected a list such as [{"time":"2026-01-05T10:00:00Z","price":0.0873}]: invalid type: map, expected a sequence at line 1 column 0"#
    );
    let [from, to] = ["2026-01-05T10:00:00", "2026-01-05T11:00:00"].map(at);
    let price = Decimal::ONE;
    let swapped = PriceSeries::new(
        label(),
        vec![SeriesPrice {
            from: to,
            to: from,
            price,
        }],
    );
    assert_eq!(swapped, Err(SeriesError::Backwards(to)));
    let twice = vec![SeriesPrice { from, to, price }; 2];
    assert_eq!(
        PriceSeries::new(label(), twice),
        Err(SeriesError::Twice(from))
    );
    let many = vec![(from, Some(price)); PriceSeries::MOST_PRICES + 1];
    assert_eq!(
        PriceSeries::from_beginnings(label(), many, PriceLength::Hour),
        Err(SeriesError::TooMany)
    );
}

/// A series of prices of single milliseconds, from those that are there.
fn of_millis(prices: &[Option<i64>]) -> PriceSeries {
    let at = |ms: usize| Timestamp::from_millis(ms.try_into().unwrap()).unwrap();
    let mut all = Vec::new();
    let mut from = 0;
    for run in prices.chunk_by(|a, b| a == b) {
        let to = from + run.len();
        if let Some(millionths) = run[0] {
            let price = Decimal::from_millionths(millionths);
            all.push(SeriesPrice {
                from: at(from),
                to: at(to),
                price,
            });
        }
        from = to;
    }
    PriceSeries::new(label(), all).unwrap()
}

#[test]
fn holes_are_counted() {
    // Prices that hold until they change, in a file for each day.
    let table: String = (5..8)
        .flat_map(|day| [0, 6, 22].map(|hour| format!("2026-01-{day:02}T{hour:02}:00:00Z,0.2\n")))
        .collect();
    let holes = |length| of_lines(&table, length).unwrap().holes();
    let found = holes(PriceLength::Spacing);
    assert_eq!((found.count, found.minutes()), (6, 54 * 60));
    assert_eq!(found.hours().to_string(), "54");
    assert_eq!(holes(PriceLength::UntilNext), Holes::default());
    let quarter = of_minutes([(0, 60), (15, 60)]).holes();
    assert_eq!(quarter.hours().to_string(), "0.25");
}

proptest! {
    #[test]
    fn a_later_upload_replaces(old in proptest::collection::vec(proptest::option::of(0_i64..3), 20), new in proptest::collection::vec(proptest::option::weighted(0.3, 3_i64..6), 20)) {
        let merged = of_millis(&old).merged(&of_millis(&new));
        prop_assert_eq!(PriceSeries::new(label(), merged.prices.to_vec()), Ok(merged.clone()));
        for (ms, (old, new)) in (0..).zip(old.iter().zip(&new)) {
            let time = Timestamp::from_millis(ms).unwrap();
            let price = merged.at(time).map(|price| price.price.millionths());
            prop_assert_eq!(price, new.or(*old));
            let until = merged.until(time).millis();
            prop_assert!(until > ms);
        }
    }

    #[test]
    fn no_table_panics(text in "(time,price\n)?(20[0-9T:,.Z+-]{0,30}\n?){0,4}") {
        for length in PriceLength::ALL {
            let _ = of_lines(&text, length);
        }
    }
}

/// In the form of `prices export` and `GET /prices`.
fn written(series: &PriceSeries) -> String {
    let (mut lines, mut text) = (PriceLines::default(), String::new());
    let mut write = |(from, price): PriceLine| {
        let price = price.map(|price| price.to_string()).unwrap_or_default();
        text.extend([from.to_string(), ",".to_owned(), price, "\n".to_owned()]);
    };
    series
        .prices()
        .iter()
        .flat_map(|price| lines.of(price))
        .for_each(&mut write);
    lines.end().for_each(write);
    text
}

#[test]
fn a_table_says_where_there_is_no_price() {
    let hours = "2026-01-05T00:00:00Z,0.1\n2026-01-05T01:00:00Z,0.2\n2026-01-05T05:00:00Z,-0.3\n";
    let series = of_lines(hours, PriceLength::Hour).unwrap();
    let table = written(&series);
    let expected = "2026-01-05T00:00:00.000Z,0.1\n2026-01-05T01:00:00.000Z,0.2\n2026-01-05T02:00:00.000Z,\n2026-01-05T05:00:00.000Z,-0.3\n";
    assert_eq!(table, expected);
    let json = r#"[{"time":"2026-01-05T00:00:00Z","price":0.1},{"time":"2026-01-05T00:30:00Z","price":null}]"#;
    let json = PriceSeries::parse_json(label(), json, (None, PriceLength::UntilNext)).unwrap();
    let expected = "2026-01-05T00:00:00.000Z,0.1\n2026-01-05T00:30:00.000Z,\n";
    assert_eq!(written(&json), expected);
    // Where one price ends and the next begins need not be told, or can be told in any order.
    let told = "2026-01-05T01:00:00Z,2\n2026-01-05T00:00:00Z,1\n2026-01-05T01:00:00Z,\n2026-01-05T01:15:00Z,\n2026-01-05T01:15:00Z,\n";
    let told = of_lines(told, PriceLength::Spacing).unwrap();
    let expected = "2026-01-05T00:00:00.000Z,1\n2026-01-05T01:00:00.000Z,\n2026-01-05T01:00:00.000Z,2\n2026-01-05T01:15:00.000Z,\n";
    assert_eq!(written(&told), expected);
    // Two ends equal one, and prices right after an end keep the usual distance.
    let ends = of_lines(
        "2026-01-05T00:00:00Z,\n2026-01-05T00:00:01Z,1\n2026-01-05T01:00:00Z,\n2026-01-05T02:00:00Z,\n",
        PriceLength::UntilNext,
    );
    assert_eq!(ends.unwrap().prices().len(), 1);
}

/// Prices with these lengths in minutes, each after a hole of so many.
fn of_minutes(prices: impl IntoIterator<Item = (i64, i64)>) -> PriceSeries {
    let mut begin = at("2026-01-01T00:00:00");
    let prices = (0..).zip(prices).map(|(nth, (hole, minutes))| {
        let from = begin.saturating_add_millis(hole * 60_000);
        begin = from.saturating_add_millis(minutes * 60_000);
        let price = Decimal::from_millionths(nth);
        SeriesPrice {
            from,
            to: begin,
            price,
        }
    });
    PriceSeries::new(label(), prices.collect()).unwrap()
}

fn read_again(series: &PriceSeries) {
    for length in [PriceLength::Spacing, PriceLength::UntilNext] {
        let again = of_lines(&written(series), length).unwrap();
        assert_eq!(shown(&again), shown(series), "{length:?}");
    }
}

#[test]
fn prices_of_several_uploads_are_read_again() {
    // A day of quarters, a hole, and some hours by themselves.
    let quarters = [(0, 15); 96].into_iter();
    let hours = [(60, 60), (0, 60), (0, 60), (0, 60), (0, 60)];
    read_again(&of_minutes(quarters.chain(hours)));
    for length in [15, 60, 1440, 1500, 100_000] {
        for count in [0, 1, 2, 11, 12, 13, 30] {
            read_again(&of_minutes(vec![(0, length); count]));
            read_again(&of_minutes(vec![(7, length); count]));
        }
    }
    // A regular series has no more lines than prices.
    let year = of_minutes(vec![(0, 15); 35_040]);
    assert_eq!(written(&year).lines().count(), 35_040);
    let change =
        of_minutes(std::iter::repeat_n((0, 60), 480).chain(std::iter::repeat_n((0, 15), 960)));
    assert_eq!(written(&change).lines().count(), 1_441);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(gaps in proptest::collection::vec((0_i64..3, 1_i64..90, -5_i64..5), 1..30)) {
        let mut at_ms = 0;
        let prices = gaps.into_iter().map(|(gap, seconds, price)| {
            let from = Timestamp::from_millis(at_ms + gap * 1_700_000).unwrap();
            let to = from.saturating_add_millis(seconds * seconds * 1_700);
            at_ms = to.millis();
            SeriesPrice { from, to, price: Decimal::from_millionths(price) }
        });
        let series = PriceSeries::new(label(), prices.collect()).unwrap();
        read_again(&series);
    }

    #[test]
    fn runs_of_any_length_are_read_again(runs in proptest::collection::vec((
        prop::sample::select(vec![1_i64, 5, 15, 30, 60, 90, 360, 1_380, 1_440, 1_500, 40_320, 44_640, 44_700, 44_800]),
        1_i64..40,
        prop::sample::select(vec![0_i64, 0, 10, 50]),
        0_i64..1_000,
    ), 1..8)) {
        let prices = runs.into_iter().flat_map(|(minutes, count, holes, seed)| {
            (0..count).map(move |nth| {
                let chance = (seed * 7_919 + nth * 104_729) % 101;
                (if chance < holes { minutes * (1 + chance % 3) } else { 0 }, minutes)
            })
        });
        read_again(&of_minutes(prices.collect::<Vec<_>>()));
    }
}
