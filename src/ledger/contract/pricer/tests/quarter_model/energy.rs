//! Drawn energy.

use std::collections::BTreeMap;

use super::*;

/// The mean of the hour.
pub(super) fn hour_mean(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);

    let factor = 800_000 + random.below(5) * 100_000;
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","series":"Spot","mean":"hour","factor":{},"surcharge":{text}}}}}"#,
            decimal(factor)
        ),
        cost: each(
            move |all, place| {
                let hour = |quarter: &Quarter| quarter.hour;
                Some(times(mean_price(all, place, hour, |_| true)?, factor) + price)
            },
            false,
        ),
    }
}

/// The mean of the month in each zone.
pub(super) fn month_mean_by_zone(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let other = typed.other;
    let text = decimal(typed.price);
    let other_text = decimal(typed.other);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","series":"spot","mean":"month","surcharge":{text},"zones":[{{"name":"day"}},{{"name":"night","surcharge":{other_text},"hours":"22:00-06:00"}}]}}}}"#
        ),
        cost: each(
            move |all, place| {
                let night = is_night(&all[place]);
                let mean = mean_price(all, place, month, |it| is_night(it) == night)?;
                Some(mean + price + if night { other } else { 0 })
            },
            false,
        ),
    }
}

/// Tiers that change with the season.
pub(super) fn seasons(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;

    let per_day = random.below(2) == 1;
    let most = if per_day { 4_000 } else { 90_000 };
    let [usual, summer] = [random.limits(2, most), random.limits(1, most)];
    let prices = [random.price(), random.price(), random.price()];
    let of_summer = [random.price(), random.price()];
    let end = if per_day {
        "up_to_kwh_per_day"
    } else {
        "up_to_kwh"
    };
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","period":"month","tiers":{},"seasons":[{{"name":"summer","months":"4-9","tiers":{}}}]}}}}"#,
            tiers_text(end, &usual, &prices),
            tiers_text(end, &summer, &of_summer)
        ),
        cost: rising(move |all| {
            let months = sums(all, |it| (month(it), it.date), |it| it.imported);
            let mut whole: BTreeMap<(i32, u8), (LocalDate, i64)> = BTreeMap::new();
            for ((month, date), energy) in months {
                whole.entry(month).or_insert((date, 0)).1 += energy;
            }
            let priced = whole.values().map(|(date, energy)| {
                let days = if per_day { days_of(*date) } else { 1 };
                let (ends, prices) = if is_summer(*date) {
                    (&summer, &of_summer[..])
                } else {
                    (&usual, &prices[..])
                };
                let ends: Vec<i64> = ends.iter().map(|end| end * days).collect();
                tiered(*energy, &ends, prices)
            });
            money(priced.sum())
        }),
    }
}

/// All energy at the price of the bracket.
pub(super) fn brackets(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let by_day = typed.by_day;
    let period = typed.period();
    let key = typed.key();

    let ends = random.limits(2, if by_day { 4_000 } else { 90_000 });
    let prices = [random.price(), random.price(), random.price()];
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}",{period},"bracket":true,"tiers":{}}}}}"#,
            tiers_text("up_to_kwh", &ends, &prices)
        ),
        cost: rising(move |all| {
            let priced = sums(all, &key, |it| it.imported)
                .into_values()
                .map(|energy| bracket(energy, &ends, &prices));
            money(priced.sum())
        }),
    }
}

/// The first energy of each period in given hours.
pub(super) fn first_within_hours(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);
    let by_day = typed.by_day;
    let period = typed.period();
    let key = typed.key();

    let limit = random.limits(1, if by_day { 3_000 } else { 60_000 })[0];
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","price":{text},"when":{{"hours":"11:00-14:00,22:30-00:15"}},"first":{{"kwh":{},{period}}}}}}}"#,
            kilowatthours(limit)
        ),
        cost: rising(move |all| {
            let counts = |it: &Quarter| {
                (660..840).contains(&it.minute) || it.minute >= 1_350 || it.minute < 15
            };
            let energies = sums(all, &key, |it| if counts(it) { it.imported } else { 0 });
            money(
                energies
                    .into_values()
                    .map(|energy| energy.min(limit) * price)
                    .sum(),
            )
        }),
    }
}

/// A cap on weekends.
pub(super) fn cap_within_hours(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let other = typed.other;
    let text = decimal(typed.price);
    let other_text = decimal(typed.other);
    let by_day = typed.by_day;
    let period = typed.period();
    let key = typed.key();

    let limit = random.limits(1, if by_day { 3_000 } else { 60_000 })[0];
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","price":{text},"cap":{{"price":{other_text},"up_to_kwh":{},{period},"when":{{"weekdays":"sat-sun"}}}}}}}}"#,
            kilowatthours(limit)
        ),
        cost: rising(move |all| {
            let counts = |it: &Quarter| it.date.weekday().days_after_monday() > 4;
            let energies = sums(all, &key, |it| if counts(it) { it.imported } else { 0 });
            let less: i64 = energies
                .into_values()
                .map(|energy| energy.min(limit) * (price - other).max(0))
                .sum();
            let whole: i64 = all.iter().map(|it| it.imported * price).sum();
            money(whole - less)
        }),
    }
}

/// Netting with a factor.
pub(super) fn netting_with_factor(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let other = typed.other;
    let text = decimal(typed.price);
    let other_text = decimal(typed.other);

    let factor = random.of(&[700_000, 800_000, 333_333]);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","price":{text},"netting":"month","netting_factor":{},"surplus":{{"price":{other_text}}}}}}}"#,
            decimal(factor)
        ),
        cost: rising(move |all| {
            let drawn = sums(all, month, |it| it.imported);
            let fed = sums(all, month, |it| it.exported);
            let priced = drawn.iter().map(|(month, drawn)| {
                let net = *drawn as f64 - fed[month] as f64 * factor as f64 / 1e6;
                (net.max(0.0) * price as f64 - (-net).max(0.0) * other as f64) / 1e9
            });
            priced.sum()
        }),
    }
}

/// Support above a threshold, up to a limit.
pub(super) fn support(typed: &Typed, random: &mut Random) -> Part {
    let name = &typed.name;

    let limit = random.limits(1, 200_000)[0];
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","series":"spot","factor":-0.9,"surcharge":0.135,"ceiling":0,"first":{{"kwh":{},"period":"month"}}}}}}"#,
            kilowatthours(limit)
        ),
        cost: rising(move |all| {
            let mut so_far: BTreeMap<(i32, u8), i64> = BTreeMap::new();
            let priced = all.iter().map(|quarter| {
                let counted = so_far.entry(month(quarter)).or_default();
                let energy = quarter.imported.min(limit - *counted);
                *counted += energy;
                let price = quarter
                    .market
                    .map_or(0, |it| (times(it, -900_000) + 135_000).min(0));
                energy * price
            });
            money(priced.sum())
        }),
    }
}

/// Prices by the hour with a minimum charge.
pub(super) fn minimum(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let other = typed.other;
    let text = decimal(typed.price);
    let other_text = decimal(typed.other);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","zones":[{{"name":"day","price":{text}}},{{"name":"night","price":{other_text},"hours":"22:00-06:00"}}]}}}},{{"minimum":{{"name":"least","price":60,"per":"month","on":["{name}"]}}}}"#
        ),
        cost: rising(move |all| {
            let months = sums(all, month, |it| {
                it.imported * if is_night(it) { other } else { price }
            });
            months
                .into_iter()
                .map(|(of, cost)| money(cost).max(60.0 * month_share(all, of)))
                .sum()
        }),
    }
}

/// The mean of the day, and feed-in in some hours.
pub(super) fn day_mean_and_hours(typed: &Typed, _: &mut Random) -> Part {
    let name = &typed.name;
    let price = typed.price;
    let text = decimal(typed.price);
    Part {
        components: format!(
            r#"{{"energy":{{"name":"{name}","series":"spot","mean":"day"}}}},{{"export":{{"name":"{name}","price":{text},"when":{{"months":"3-10","hours":"12:00-15:00"}}}}}}"#
        ),
        cost: Box::new(move |all, range| {
            let energy = each(
                |all, place| mean_price(all, place, |it| it.date, |_| true),
                false,
            );
            let export = each(
                move |all, place| {
                    let quarter = &all[place];
                    let counts = (3..=10).contains(&quarter.date.month())
                        && (720..900).contains(&quarter.minute);
                    counts.then_some(price)
                },
                true,
            );
            energy(all, range) + export(all, range)
        }),
    }
}
