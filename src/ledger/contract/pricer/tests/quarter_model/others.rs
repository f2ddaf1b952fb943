//! Fed-in energy, demand, time, and what depends on other components.

use std::collections::BTreeMap;

use super::*;

/// A charge for time by energy.
pub(super) fn steps_by_energy(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;

    let ends = random.limits(2, 90_000);
    let prices = [
        random.below(2_000),
        random.below(5_000),
        random.below(9_000),
    ];
    let by_export = random.below(2) == 1;
    let by = if by_export { r#","by":"export""# } else { "" };
    let texts = tiers_text("up_to_kwh", &ends, &prices.map(|price| price * 1_000_000));
    Part {
        components: format!(r#"{{"fixed":{{"name":"{name}","per":"month","steps":{texts}{by}}}}}"#),
        cost: rising(move |all| {
            let months = sums(all, month, |it| {
                if by_export { it.exported } else { it.imported }
            });
            let priced = months.into_iter().map(|(of, energy)| {
                // The limit belongs to the step that it ends.
                let place = ends.iter().filter(|end| **end < energy).count();
                month_share(all, of) * prices[place] as f64
            });
            priced.sum()
        }),
    }
}

/// Feed-in while the market is in a range.
pub(super) fn price_range(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);
    Part {
        components: format!(
            r#"{{"export":{{"name":"{name}","price":{text},"only_if":{{"series":"spot","at_least":0,"below":0.25}}}}}}"#
        ),
        cost: each(
            move |all, place| {
                let market = all[place].market?;
                (0..250_000).contains(&market).then_some(price)
            },
            true,
        ),
    }
}

/// A market price with a floor, a ceiling and a part without its sign.
pub(super) fn signed_price(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;

    let factor = 900_000 + random.below(3) * 100_000;
    let export = random.below(2) == 1;
    let direction = if export { "export" } else { "energy" };
    Part {
        components: format!(
            r#"{{"{direction}":{{"name":"{name}","series":"spot","factor":{},"absolute_factor":0.03,"surcharge":0.015,"floor":-0.05,"ceiling":0.3}}}}"#,
            decimal(factor)
        ),
        cost: each(
            move |all, place| {
                let market = all[place].market?;
                let product = market as f64 * factor as f64 + market.abs() as f64 * 30_000.0;
                Some(((product / 1e6).round() as i64 + 15_000).clamp(-50_000, 300_000))
            },
            export,
        ),
    }
}

/// Demand of half-hours by day, half at night.
pub(super) fn weighted_demand(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);

    let peaks = 1 + random.below(3);
    Part {
        components: format!(
            r#"{{"demand":{{"name":"{name}","price":{text},"price_per":"day","per":"half-hour","peaks":{peaks},"weights":[{{"factor":0.5,"hours":"22:00-06:00"}}]}}}}"#
        ),
        cost: Box::new(move |all, [from, to]| {
            let mut halves: BTreeMap<i64, (Quarter, i64)> = BTreeMap::new();
            for quarter in &all[from..to] {
                let half = quarter.start.millis().div_euclid(1_800_000);
                halves.entry(half).or_insert((*quarter, 0)).1 += quarter.imported;
            }
            let mut months: BTreeMap<(i32, u8), Vec<i64>> = BTreeMap::new();
            for (quarter, energy) in halves.values() {
                // In microwatt-hours of an hour.
                let weight = if is_night(quarter) {
                    1_000_000
                } else {
                    2_000_000
                };
                months
                    .entry(month(quarter))
                    .or_default()
                    .push(energy * weight);
            }
            let priced = months.into_iter().map(|((year, month), mut powers)| {
                powers.sort_unstable_by(|a, b| b.cmp(a));
                powers.truncate(usize::try_from(peaks).unwrap());
                let mean = powers.iter().sum::<i64>() as f64 / powers.len() as f64 / 1e9;
                mean * price as f64 / 1e6 * days_of(LocalDate::new(year, month, 1).unwrap()) as f64
            });
            priced.sum()
        }),
    }
}

/// A maximum for each kilowatt-hour.
pub(super) fn maximum(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","price":{text}}}}},{{"fixed":{{"name":"{name}","price":30,"per":"month"}}}},{{"maximum":{{"name":"most","price":0.3,"period":"month","on":["{name}"]}}}}"#
        ),
        cost: rising(move |all| {
            let months = sums(all, month, |it| it.imported).into_iter();
            let priced = months.map(|(of, energy)| {
                let costs = money(energy * price) + 30.0 * month_share(all, of);
                costs.min(money(energy * 300_000).max(0.0))
            });
            priced.sum()
        }),
    }
}

/// A discount on named components.
pub(super) fn discount(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let other = typed.other;
    let text = decimal(typed.price);
    let other_text = decimal(typed.other);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","price":{text}}}}},{{"export":{{"name":"{name}","price":{other_text}}}}},{{"discount":{{"name":"less","percent":35,"on":["{name}"]}}}}"#
        ),
        cost: Box::new(move |all, [from, to]| {
            let whole = |energy: fn(&Quarter) -> i64| all[from..to].iter().map(energy).sum::<i64>();
            money(whole(|it| it.imported) * price) * 0.65 - money(whole(|it| it.exported) * other)
        }),
    }
}

/// A table of months, kinds of day and hours.
pub(super) fn table(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;

    let prices: Vec<i64> = (0..12 * 2 * 24).map(|_| random.price()).collect();
    let rows = (0..24).map(|row: usize| {
        let of_row = prices[row * 24..row * 24 + 24]
            .iter()
            .map(|price| decimal(*price).to_string());
        let days = if row.is_multiple_of(2) {
            "mon-fri"
        } else {
            "sat-sun"
        };
        format!(
            r#"{{"months":"{}","weekdays":"{days}","prices":[{}]}}"#,
            row / 2 + 1,
            of_row.collect::<Vec<_>>().join(",")
        )
    });
    let rows: Vec<String> = rows.collect();
    Part {
        components: format!(
            r#"{{"export":{{"name":"{name}","table":[{}]}}}}"#,
            rows.join(",")
        ),
        cost: each(
            move |all, place| {
                let quarter = &all[place];
                let weekend = usize::from(quarter.date.weekday().days_after_monday() > 4);
                let row = usize::from(quarter.date.month() - 1) * 2 + weekend;
                Some(prices[row * 24 + usize::try_from(quarter.minute / 60).unwrap()])
            },
            true,
        ),
    }
}
