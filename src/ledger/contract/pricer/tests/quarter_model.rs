//! Random contracts of all kinds against a plain model that adds up quarter by quarter, and knows
//! only the calendar.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::similar_names,
    reason = "a model in plain numbers, far below 2^52"
)]

use std::collections::BTreeMap;

use super::*;
use crate::domain::Currency;
use crate::ledger::contract::Contract;

/// A quarter of an hour.
#[derive(Clone, Copy)]
struct Quarter {
    start: Timestamp,
    date: LocalDate,
    /// Minutes after midnight, by the clock.
    minute: i64,
    /// The number of the hour: a new one begins where the clocks show one, or jump to another one.
    hour: i64,
    /// In watt-hours.
    imported: i64,
    exported: i64,
    /// In millionths.
    market: Option<i64>,
}

/// The cost of the quarters of a range, which are at these places of all.
type PartCost = Box<dyn Fn(&[Quarter], [usize; 2]) -> f64>;

/// A part of a contract, and what it costs.
struct Part {
    components: String,
    cost: PartCost,
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    /// From 0 to `end`, exclusive.
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((mixed ^ (mixed >> 31)) >> 2).unwrap() % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as i64)).unwrap()]
    }

    /// A price in millionths, a tenth of them negative.
    fn price(&mut self) -> i64 {
        let price = (self.below(4_000) + 1) * 100;
        if self.below(10) == 0 { -price } else { price }
    }

    /// Ascending limits in watt-hours.
    fn limits(&mut self, count: i64, most: i64) -> Vec<i64> {
        let mut end = 0;
        (0..count)
            .map(|_| {
                end += 100 + self.below(most);
                end
            })
            .collect()
    }
}

/// Millionths as a decimal; also watt-hours a thousand times as large.
fn decimal(millionths: i64) -> Decimal {
    Decimal::from_millionths(millionths)
}

fn kilowatthours(watthours: i64) -> Decimal {
    decimal(watthours * 1_000)
}

/// What energies at prices cost, in the currency.
fn money(price_times_watthours: i64) -> f64 {
    price_times_watthours as f64 / 1e9
}

fn month(quarter: &Quarter) -> (i32, u8) {
    (quarter.date.year(), quarter.date.month())
}

/// The cost of a range, from what all quarters up to a place cost.
fn rising(cost: impl Fn(&[Quarter]) -> f64 + 'static) -> PartCost {
    Box::new(move |all, [from, to]| cost(&all[..to]) - cost(&all[..from]))
}

/// The sum over all quarters of a price in millionths times an energy.
fn each(price: impl Fn(&[Quarter], usize) -> Option<i64> + 'static, by_export: bool) -> PartCost {
    Box::new(move |all, [from, to]| {
        let priced = (from..to).filter_map(|place| {
            let quarter = &all[place];
            let energy = if by_export {
                -quarter.exported
            } else {
                quarter.imported
            };
            Some(price(all, place)? * energy)
        });
        money(priced.sum())
    })
}

/// The energy of each period, by a key of its quarters.
fn sums<K: Ord>(
    all: &[Quarter],
    key: impl Fn(&Quarter) -> K,
    energy: impl Fn(&Quarter) -> i64,
) -> BTreeMap<K, i64> {
    let mut sums = BTreeMap::new();
    for quarter in all {
        *sums.entry(key(quarter)).or_insert(0) += energy(quarter);
    }
    sums
}

/// The price of each kilowatt-hour by tiers.
fn tiered(energy: i64, ends: &[i64], prices: &[i64]) -> i64 {
    let mut from = 0;
    let mut sum = 0;
    for (place, price) in prices.iter().enumerate() {
        let end = ends.get(place).copied().unwrap_or(i64::MAX);
        sum += (energy.clamp(from, end) - from) * price;
        from = end;
    }
    sum
}

/// All of an energy at the price of the tier that it lies in.
fn bracket(energy: i64, ends: &[i64], prices: &[i64]) -> i64 {
    let place = ends.iter().filter(|end| **end < energy).count();
    energy * prices[place]
}

fn tiers_text(end: &str, ends: &[i64], prices: &[i64]) -> String {
    let tiers = prices.iter().enumerate().map(|(place, price)| {
        let end = ends
            .get(place)
            .map(|it| format!("\"{end}\":{},", kilowatthours(*it)));
        format!(
            "{{{}\"price\":{}}}",
            end.unwrap_or_default(),
            decimal(*price)
        )
    });
    format!("[{}]", tiers.collect::<Vec<_>>().join(","))
}

/// The mean market price of the quarters with a key like that of one; `None` with a hole.
fn mean_price<K: PartialEq>(
    all: &[Quarter],
    place: usize,
    key: impl Fn(&Quarter) -> K,
    counts: impl Fn(&Quarter) -> bool,
) -> Option<i64> {
    let same = key(&all[place]);
    let from = (0..place)
        .rev()
        .take_while(|it| key(&all[*it]) == same)
        .last()
        .unwrap_or(place);
    let period = all[from..].iter().take_while(|it| key(it) == same);
    let mut prices = Vec::new();
    for quarter in period {
        let price = quarter.market?;
        if counts(quarter) {
            prices.push(price);
        }
    }
    Some((prices.iter().sum::<i64>() as f64 / prices.len() as f64).round() as i64)
}

/// A market price times a factor.
fn times(price: i64, factor: i64) -> i64 {
    (price as f64 * factor as f64 / 1e6).round() as i64
}

fn is_night(quarter: &Quarter) -> bool {
    !(6 * 60..22 * 60).contains(&quarter.minute)
}

fn is_summer(date: LocalDate) -> bool {
    (4..=9).contains(&date.month())
}

fn days_of(date: LocalDate) -> i64 {
    let first = LocalDate::new(date.year(), date.month(), 1).unwrap();
    (27..32)
        .find(|days| first.plus_days(*days).unwrap().month() != date.month())
        .unwrap()
        .into()
}

/// The days of a month up to a quarter, with its part of the day.
fn month_share(all: &[Quarter], of: (i32, u8)) -> f64 {
    let mut days: BTreeMap<LocalDate, i64> = BTreeMap::new();
    for quarter in all
        .iter()
        .rev()
        .take_while(|it| month(it) >= of)
        .filter(|it| month(it) == of)
    {
        *days.entry(quarter.date).or_default() += 1;
    }
    let Some((first, _)) = days.first_key_value() else {
        return 0.0;
    };
    let count = days_of(*first) as f64;
    // A day that is not over has its part of its own quarters: ranges here have whole days.
    days.len() as f64 / count
}

const KINDS: i64 = 17;

#[expect(clippy::too_many_lines, reason = "one arm for each kind of tariff")]
fn part(kind: i64, nth: usize, random: &mut Random) -> Part {
    let price = random.price();
    let other = random.price();
    let text = decimal(price);
    let other_text = decimal(other);
    let name = format!("c{nth}");
    let months = ["\"period\":\"month\"", "\"period\":\"day\""];
    let by_day = random.below(2) == 1;
    let period = months[usize::from(by_day)];
    let key = move |quarter: &Quarter| {
        if by_day {
            (month(quarter), quarter.date.day())
        } else {
            (month(quarter), 0)
        }
    };
    match kind {
        0 => {
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
        1 => Part {
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
        },
        2 => {
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
        3 => {
            let ends = random.limits(2, if by_day { 4_000 } else { 90_000 });
            let prices = [random.price(), random.price(), random.price()];
            Part {
                components: format!(
                    r#"{{"energy":{{"name":"{name}",{period},"bracket":true,"tiers":{}}}}}"#,
                    tiers_text("up_to_kwh", &ends, &prices)
                ),
                cost: rising(move |all| {
                    let priced = sums(all, key, |it| it.imported)
                        .into_values()
                        .map(|energy| bracket(energy, &ends, &prices));
                    money(priced.sum())
                }),
            }
        }
        4 => {
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
                components: format!(
                    r#"{{"fixed":{{"name":"{name}","per":"month","steps":{texts}{by}}}}}"#
                ),
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
        5 => {
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
                    let energies = sums(all, key, |it| if counts(it) { it.imported } else { 0 });
                    money(
                        energies
                            .into_values()
                            .map(|energy| energy.min(limit) * price)
                            .sum(),
                    )
                }),
            }
        }
        6 => {
            let limit = random.limits(1, if by_day { 3_000 } else { 60_000 })[0];
            Part {
                components: format!(
                    r#"{{"energy":{{"name":"{name}","price":{text},"cap":{{"price":{other_text},"up_to_kwh":{},{period},"when":{{"weekdays":"sat-sun"}}}}}}}}"#,
                    kilowatthours(limit)
                ),
                cost: rising(move |all| {
                    let counts = |it: &Quarter| it.date.weekday().days_after_monday() > 4;
                    let energies = sums(all, key, |it| if counts(it) { it.imported } else { 0 });
                    let less: i64 = energies
                        .into_values()
                        .map(|energy| energy.min(limit) * (price - other).max(0))
                        .sum();
                    let whole: i64 = all.iter().map(|it| it.imported * price).sum();
                    money(whole - less)
                }),
            }
        }
        7 => Part {
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
        },
        8 => {
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
                        let product =
                            market as f64 * factor as f64 + market.abs() as f64 * 30_000.0;
                        Some(((product / 1e6).round() as i64 + 15_000).clamp(-50_000, 300_000))
                    },
                    export,
                ),
            }
        }
        9 => {
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
                        mean * price as f64 / 1e6
                            * days_of(LocalDate::new(year, month, 1).unwrap()) as f64
                    });
                    priced.sum()
                }),
            }
        }
        10 => {
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
        11 => Part {
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
        },
        12 => Part {
            components: format!(
                r#"{{"energy":{{"name":"{name}","price":{text}}}}},{{"export":{{"name":"{name}","price":{other_text}}}}},{{"discount":{{"name":"less","percent":35,"on":["{name}"]}}}}"#
            ),
            cost: Box::new(move |all, [from, to]| {
                let whole =
                    |energy: fn(&Quarter) -> i64| all[from..to].iter().map(energy).sum::<i64>();
                money(whole(|it| it.imported) * price) * 0.65
                    - money(whole(|it| it.exported) * other)
            }),
        },
        13 => {
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
        14 => {
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
        15 => Part {
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
        },
        _ => Part {
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
        },
    }
}

/// All quarters of a year in a zone, with random energies and prices.
fn quarters(zone: &Zone, random: &mut Random) -> Vec<Quarter> {
    let [start, end] =
        ["2026-01-01", "2026-12-01"].map(|date| LocalDate::parse(date).unwrap().start(zone));
    let holes = random.of(&[0, 0, 1, 20]);
    let scale = 1 + random.below(4);
    let mut all: Vec<Quarter> = Vec::new();
    let mut at = start;
    while at < end {
        let shown = zone.shown_at(at);
        let minute = shown.millis_of_day() / 60_000;
        let is_hole = random.below(1_000) < holes;
        let hour = all.last().map_or(0, |before| {
            let is_new = minute % 60 == 0 || minute / 60 != before.minute / 60;
            before.hour + i64::from(is_new)
        });
        all.push(Quarter {
            start: at,
            date: LocalDate::of_shown(shown),
            minute,
            hour,
            imported: random.below(120 * scale),
            exported: if (540..960).contains(&minute) {
                random.below(300 * scale)
            } else {
                0
            },
            market: (!is_hole).then(|| random.below(500_000) - 80_000),
        });
        at = at.saturating_add_millis(900_000);
    }
    all
}

/// The total of a contract for days, by the ledger.
fn priced(text: &str, zone: &Zone, all: &[Quarter], [from, to]: [usize; 2]) -> Decimal {
    let contracts = Contracts::parse(&format!("[{text}]")).unwrap();
    let reread: Vec<Contract> = contracts
        .all()
        .iter()
        .map(|it| Contract::parse(&it.to_string()).unwrap())
        .collect();
    assert_eq!(
        contracts.all(),
        reread.as_slice(),
        "it is written as it is read"
    );
    assert_eq!(contracts.currency(), Some(&Currency::new("EUR").unwrap()));
    let prices = all.iter().filter_map(|quarter| {
        Some(SeriesPrice {
            from: quarter.start,
            to: quarter.start.saturating_add_millis(900_000),
            price: decimal(quarter.market?),
        })
    });
    let series = PriceSeries::new(Label::new("spot").unwrap(), prices.collect()).unwrap();
    let end = all.get(to).map_or_else(
        || all[to - 1].start.saturating_add_millis(900_000),
        |it| it.start,
    );
    let range = TimeRange::new(all[from].start, end).unwrap();
    let mut pricer = Pricer::new(&contracts, zone, &Announced::prices(vec![series]), range);
    let mut place = 0;
    while let Some(slot) = pricer.next_slot() {
        while all
            .get(place + 1)
            .is_some_and(|next| next.start <= slot.from())
        {
            place += 1;
        }
        let quarter = &all[place];
        let slot = slot.until(quarter.start.saturating_add_millis(900_000));
        assert_eq!(
            slot.to().millis() - slot.from().millis(),
            900_000,
            "slots end with quarters"
        );
        let energy = |watthours: i64| MicroWh::new(watthours * 1_000_000);
        let flow = Flow {
            imported: energy(quarter.imported),
            exported: energy(quarter.exported),
        };
        pricer.add(slot, Some(flow));
    }
    pricer.finish().total
}

/// Compares random contracts of a kind, beside others.
fn compare(kind: i64, seed: u64) {
    let mut random = Random(seed.wrapping_mul(31).wrapping_add(kind.unsigned_abs()));
    let zone = zone(random.of(&[
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "UTC",
        "Asia/Kolkata",
    ]));
    let all = quarters(&zone, &mut random);
    let others = random.below(3);
    let mut kinds = vec![kind];
    kinds.extend((0..others).map(|_| random.below(KINDS)));
    let parts: Vec<Part> = kinds
        .iter()
        .enumerate()
        .map(|(nth, kind)| part(*kind, nth, &mut random))
        .collect();
    let percent = random.of(&[0, 7, 19]);
    let components: Vec<&str> = parts.iter().map(|part| part.components.as_str()).collect();
    let tax = format!(r#"{{"tax":{{"name":"VAT","percent":{percent}}}}}"#);
    let text = format!(
        r#"{{"from":"2026-01-01","name":"C","currency":"EUR","components":[{},{tax}]}}"#,
        components.join(",")
    );
    // Whole days, often around a change of the clocks.
    let near = random.of(&[
        "2026-03-20",
        "2026-10-17",
        "2026-10-25",
        "2026-02-25",
        "2026-01-01",
        "2026-06-10",
        "2026-09-20",
        "2026-03-01",
    ]);
    let first = LocalDate::parse(near)
        .unwrap()
        .plus_days(i32::try_from(random.below(12)).unwrap())
        .unwrap();
    let last = first
        .plus_days(1 + i32::try_from(random.below(45)).unwrap())
        .unwrap();
    let place = |date: LocalDate| all.partition_point(|it| it.start < date.start(&zone));
    let range = [place(first), place(last)];
    let expected: f64 = parts.iter().map(|part| (part.cost)(&all, range)).sum();
    let expected = expected * (1.0 + f64::from(i32::try_from(percent).unwrap()) / 100.0);
    let found = priced(&text, &zone, &all, range).to_f64();
    assert!(
        (found - expected).abs() < 3e-5,
        "{kinds:?} seed {seed} {zone:?} {first} to {last}: {found}, expected {expected}\n{text}"
    );
}

/// Each kind some times; `WATTKEEPER_CASES` asks for more.
#[test]
fn contracts_of_all_kinds_cost_what_their_quarters_cost() {
    let asked = std::env::var("WATTKEEPER_CASES")
        .ok()
        .and_then(|it| it.parse().ok());
    for seed in 0..asked.unwrap_or(8) {
        for kind in 0..KINDS {
            compare(kind, seed);
        }
    }
}
