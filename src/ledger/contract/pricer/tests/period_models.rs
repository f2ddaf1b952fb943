//! Amounts of periods against plain models that know all of a period at once.

use proptest::prelude::*;

use super::tariffs::{HOUR_MS, hourly_slot, with};
use super::*;

/// The energy of an hour: high in the evening, a surplus at noon, random enough to cross all
/// limits.
fn energy_of(hour: i64, seed: i64, scale: i64) -> [i64; 2] {
    let noise = (hour * 7_919 + seed * 104_729).rem_euclid(1_009);
    let imported = scale * (noise + 300 * i64::from(hour.rem_euclid(24) > 17));
    let exported = scale * (noise * 3 % 1_009) * i64::from((9..15).contains(&hour.rem_euclid(24)));
    [imported * 1_000_000, exported * 1_000_000]
}

/// The months of UTC that a range of hours touches, each with its first and last hour.
fn months_of(range: [i64; 2]) -> Vec<[i64; 2]> {
    let mut months: Vec<[i64; 2]> = Vec::new();
    let date =
        |hour: i64| LocalDate::at(Timestamp::from_millis(hour * HOUR_MS).unwrap(), &Zone::UTC);
    let mut start = range[0];
    while date(start).month() == date(start - 1).month() {
        start -= 1;
    }
    while start < range[1] {
        let mut end = start + 1;
        while date(end).month() == date(start).month() {
            end += 1;
        }
        months.push([start, end]);
        start = end;
    }
    months
}

/// The sum over months of `amount` at the end of a range's hours, less `amount` at their beginning.
fn by_month(range: [i64; 2], first: i64, amount: impl Fn([i64; 2], i64) -> i128) -> i128 {
    let months = months_of(range).into_iter();
    let sums = months.map(|[start, end]| {
        let start_counted = start.max(first);
        let month = [start_counted, end];
        let until = |hour: i64| amount(month, hour.clamp(start_counted, end));
        until(range[1].min(end)) - until(range[0].max(start_counted))
    });
    sums.sum()
}

/// The components of a kind, and their amount for these hours. The contract begins at the first
/// hour.
fn model(
    kind: usize,
    (range, first): ([i64; 2], i64),
    (seed, scale): (i64, i64),
) -> (&'static str, i128) {
    let sum = |hours: [i64; 2]| -> [i128; 2] {
        (hours[0]..hours[1])
            .map(|hour| energy_of(hour, seed, scale))
            .fold([0, 0], |sum, it| {
                [sum[0] + i128::from(it[0]), sum[1] + i128::from(it[1])]
            })
    };
    // Prices in millionths; amounts in 10^-15.
    match kind {
        0 => (
            r#"{"energy":{"price":0.3,"netting":"month","surplus":{"price":0.05}}}"#,
            by_month(range, first, |[start, _], hour| {
                let [drawn, fed] = sum([start, hour]);
                (drawn - fed).max(0) * 300_000 - (fed - drawn).max(0) * 50_000
            }),
        ),
        1 => (
            r#"{"energy":{"period":"month","tiers":[{"up_to_kwh_per_day":8.5,"price":0.1},{"up_to_kwh_per_day":20,"price":0.3},{"price":0.2}]}}"#,
            by_month(range, first, |[start, end], hour| {
                let drawn = sum([start, hour])[0];
                let days = i128::from((end - start) / 24);
                let [one, two] = [8_500_000_000 * days, 20_000_000_000 * days];
                drawn.min(one) * 100_000
                    + (drawn.min(two) - one).max(0) * 300_000
                    + (drawn - two).max(0) * 200_000
            }),
        ),
        2 => (
            r#"{"energy":{"price":0.1}},{"export":{"price":0.25,"at_most":"energy"}}"#,
            by_month(range, first, |[start, _], hour| {
                let [drawn, fed] = sum([start, hour]);
                let energy = drawn * 100_000;
                energy - (fed * 250_000).min(energy)
            }),
        ),
        3 => (
            r#"{"energy":{"price":0.5,"cap":{"price":0.4,"up_to_kwh":210.5,"period":"month"}}}"#,
            by_month(range, first, |[start, _], hour| {
                let drawn = sum([start, hour])[0];
                drawn * 500_000 - drawn.min(210_500_000_000) * 100_000
            }),
        ),
        4 => (
            r#"{"energy":{"price":0.1}},{"minimum":{"name":"least","price":60,"per":"month"}}"#,
            by_month(range, first, |[start, end], hour| {
                let drawn = sum([start, hour])[0] * 100_000;
                let share =
                    60_000_000_000_000_000 * i128::from(hour - start) / i128::from(end - start);
                drawn.max(share)
            }),
        ),
        _ => (
            r#"{"energy":{"price":0.3,"netting":"hour"}},{"export":{"price":0.1}}"#,
            (range[0]..range[1])
                .map(|hour| {
                    let [drawn, fed] = sum([hour, hour + 1]);
                    (drawn - fed).max(0) * 300_000 - (fed - drawn).max(0) * 100_000
                })
                .sum(),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn amounts_of_periods_are_those_of_plain_models(
        from_hour in 0_i64..1_500, length in 1_i64..1_200, seed in 0_i64..1_000, scale in 1_i64..6, cut in 1_i64..9,
        kind in 0_usize..6,
    ) {
        let first = at("2026-01-01T00:00:00").millis() / HOUR_MS;
        let range = [first + from_hour, first + from_hour + length];
        let (components, expected) = model(kind, (range, first), (seed, scale));
        let contracts = Contracts::parse(&format!("[{}]", with("", components))).unwrap();
        let time = |hour: i64| Timestamp::from_millis(hour * HOUR_MS).unwrap();
        let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), TimeRange::new(time(range[0]), time(range[1])).unwrap());
        let mut found = Amount::ZERO;
        let energy = |time: Timestamp| {
            let [imported, exported] = energy_of(time.millis() / HOUR_MS, seed, scale).map(MicroWh::new);
            MeteredEnergy::of_house(Some(Flow { imported, exported }))
        };
        let mut nth = 0;
        while let Some(slot) = pricer.next_slot() {
            // Whole hours, sometimes split.
            nth += 1;
            let end = slot.from().millis() + HOUR_MS / cut;
            let slot = if nth % 5 == 0 { slot.until(Timestamp::from_millis(end).unwrap()) } else { slot };
            let (slot, energy) = hourly_slot(slot, &energy);
            let cost = pricer.add_known(slot, &energy);
            found = found + cost.cost - cost.credit;
        }
        let apart = found.smallest() - expected;
        prop_assert!(apart.abs() <= 2, "{} {expected}", found.smallest());
        let bill = pricer.finish();
        prop_assert!((bill.total.millionths() - found.rounded().millionths()).abs() <= 8);
    }

    #[test]
    fn peaks_are_those_of_a_plain_model(
        from_day in 0_i64..120, days in 1_i64..100, seed in 0_i64..1_000, peaks in 1_usize..4, distinct in any::<bool>(), months in 1_usize..4,
        least in proptest::option::of(3_i64..9), missing in 2_i64..40,
    ) {
        let first = at("2026-01-01T00:00:00").millis() / HOUR_MS;
        let range = [first + from_day * 24, first + (from_day + days) * 24];
        let is_known = |hour: i64| (hour * 31 + seed) % missing != 0;
        let drawn = |hour: i64| energy_of(hour, seed, 6)[0];
        // The sum and the number of the highest hours.
        let peak = |hours: [i64; 2]| -> Option<(i128, i128)> {
            let mut all: Vec<(i64, i64)> = (hours[0]..hours[1]).filter(|hour| is_known(*hour)).map(|hour| (drawn(hour), hour.div_euclid(24))).collect();
            all.sort_by(|a, b| b.cmp(a));
            let mut found: Vec<(i64, i64)> = Vec::new();
            for one in all {
                if found.len() < peaks && !(distinct && found.iter().any(|it| it.1 == one.1)) {
                    found.push(one);
                }
            }
            let sum = found.iter().map(|it| i128::from(it.0)).sum();
            (!found.is_empty()).then_some((sum, found.len() as i128))
        };
        // In 2520ths of a millionth of a watt.
        let floor = least.map_or(0, |kw| i128::from(kw) * 1_000_000_000 * 2_520);
        let parts = |(sum, count): (i128, i128)| (sum * 2_520 / count).max(floor);
        let mut expected = 0;
        for [start, end] in months_of(range) {
            let mut before = start;
            let mut means = Vec::new();
            for _ in 1..months {
                let month = months_of([before - 1, before])[0];
                means.extend(peak(month).map(parts));
                before = month[0];
            }
            let own = peak([start.max(range[0]), end.min(range[1])]);
            means.extend(own.map(parts).or(least.map(|_| floor)));
            if !means.is_empty() {
                let count = means.len() as i128;
                expected += means.into_iter().sum::<i128>() * 4_000_000 / (count * 2_520);
            }
        }
        let least = least.map(|kw| format!(r#","at_least_kw":{kw}"#)).unwrap_or_default();
        let demand = format!(r#"{{"demand":{{"price":4,"per":"hour","peaks":{peaks},"distinct_days":{distinct},"months":{months}{least}}}}}"#);
        let contracts = Contracts::parse(&format!("[{}]", with("", &demand))).unwrap();
        let time = |hour: i64| Timestamp::from_millis(hour * HOUR_MS).unwrap();
        let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), TimeRange::new(time(range[0]), time(range[1])).unwrap());
        let mut found = Amount::ZERO;
        while let Some(slot) = pricer.next_slot() {
            let energy = |time: Timestamp| {
                let hour = time.millis() / HOUR_MS;
                MeteredEnergy { is_whole: is_known(hour), ..MeteredEnergy::of_house(Some(Flow { imported: MicroWh::new(drawn(hour)), ..Flow::default() })) }
            };
            let (slot, energy) = hourly_slot(slot, &energy);
            found = found + pricer.add_known(slot, &energy).cost;
        }
        prop_assert_eq!(found.smallest(), expected);
    }
}
