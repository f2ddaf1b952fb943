//! Whether what was typed about money is meant so. A doubt is no error: a page asks, a command wants
//! `--yes`, the API says so in its answer.
//!
//! It walks the contract's own text by the names of its fields, so that new kinds of components are
//! looked at like the old ones.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Contract, Label, Percent, Period};
use crate::domain::{Decimal, LocalDate};

/// The things of an account beside the contract.
#[derive(Clone, Debug)]
pub struct MoneyContext {
    /// Today, by the account's clock.
    pub today: LocalDate,
    /// Its price series, also those that a source fills.
    pub series: Vec<Label>,
    /// Its day lists, likewise.
    pub day_lists: Vec<Label>,
}

/// Something that is typed about money and may not be meant so. Texts are for the command and the
/// API; pages have their own.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoneyDoubt {
    /// A price of energy seems to be in hundredths of the currency.
    #[error(
        "{name}: {price} for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter {hundredth}"
    )]
    InHundredths {
        /// The component, or its kind.
        name: String,
        /// The price.
        price: Decimal,
        /// A hundredth of it.
        hundredth: Decimal,
    },
    /// A price of energy seems to be one of a megawatt-hour.
    #[error(
        "{name}: {price} for a kilowatt-hour is a lot; if it is for a megawatt-hour, enter {thousandth}"
    )]
    InMegawattHours {
        /// The component, or its kind.
        name: String,
        /// The price.
        price: Decimal,
        /// A thousandth of it.
        thousandth: Decimal,
    },
    /// Somebody would be paid for drawing energy.
    #[error("{name}: the price {price} is negative")]
    Negative {
        /// The component, or its kind.
        name: String,
        /// The price.
        price: Decimal,
    },
    /// A percentage seems to be a share.
    #[error("{name}: {percent} % is little; if it is a share of one, enter {hundredfold}")]
    SmallPercent {
        /// The component, or its kind.
        name: String,
        /// The percentage.
        percent: Percent,
        /// A hundred times as much.
        hundredfold: Decimal,
    },
    /// A percentage is large.
    #[error("{name}: {percent} % is a lot")]
    LargePercent {
        /// The component, or its kind.
        name: String,
        /// The percentage.
        percent: Percent,
    },
    /// A charge is large for its period.
    #[error("{name}: {price} per {} is a lot", .per.as_str())]
    LargeFee {
        /// The component, or its kind.
        name: String,
        /// The price.
        price: Decimal,
        /// Its period.
        per: Period,
    },
    /// A value of a template is beyond the usual ones.
    #[error("{name}: {typed} {unit} is unusual; usual is {} to {}", .usual[0], .usual[1])]
    Unusual {
        /// The value's text, in English.
        name: String,
        /// As typed.
        typed: String,
        /// Its unit.
        unit: String,
        /// The least and the greatest usual value.
        usual: [Decimal; 2],
    },
    /// There is no such price series.
    #[error("there is no price series {name}{}", nearest(.near.as_ref()))]
    NoSeries {
        /// Its name.
        name: Label,
        /// A known one with a similar name.
        near: Option<Label>,
    },
    /// There is no such day list.
    #[error("there is no day list {name}{}", nearest(.near.as_ref()))]
    NoDayList {
        /// Its name.
        name: Label,
        /// A known one with a similar name.
        near: Option<Label>,
    },
    /// The contract begins in the future.
    #[error("the contract begins in the future, on {from}; until then nothing changes")]
    Future {
        /// Its first day.
        from: LocalDate,
    },
}

fn nearest(near: Option<&Label>) -> String {
    near.map_or_else(String::new, |near| format!("; is {near} meant?"))
}

/// So many doubts are enough to look at all again.
const MOST: usize = 12;
/// Names that are at least so alike may mean each other.
const LIKE: f64 = 0.8;

/// How much a kilowatt-hour costs at the most in some currencies, in millionths.
const DEAREST: &[(&[&str], i64)] = &[
    (
        &[
            "EUR", "€", "GBP", "£", "USD", "$", "CHF", "AUD", "CAD", "NZD",
        ],
        2_000_000,
    ),
    (&["PLN"], 8_000_000),
    (&["NOK", "SEK", "DKK"], 20_000_000),
    (&["CZK"], 40_000_000),
];
/// A price this many times the dearest one is rather one of a megawatt-hour.
const MEGAWATTHOUR_TIMES: i64 = 25;
/// A charge for a day, a month and so on is at most so many times the dearest kilowatt-hour.
const fn most_times(per: Period) -> i64 {
    match per {
        Period::Day => 3,
        Period::Month => 50,
        Period::Quarter => 150,
        // A billing period has up to a year.
        Period::Year | Period::Billing => 600,
    }
}

impl MoneyDoubt {
    /// Whether it is about the first day of a contract.
    #[must_use]
    pub const fn is_of_future(&self) -> bool {
        matches!(self, Self::Future { .. })
    }

    /// Whether it is about a number rather than about what is missing or still to come. A command
    /// refuses a number, and only warns of the rest.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        !matches!(
            self,
            Self::NoSeries { .. } | Self::NoDayList { .. } | Self::Future { .. }
        )
    }
}

impl Contract {
    /// The doubts, each once.
    #[must_use]
    pub fn doubts(&self, context: &MoneyContext) -> Vec<MoneyDoubt> {
        let json: Value = serde_json::from_str(&self.to_string()).unwrap_or_default();
        let dearest = DEAREST
            .iter()
            .find(|(names, _)| names.contains(&self.currency.as_str()))
            .map(|(_, most)| *most);
        let mut found = DoubtWalk {
            context,
            dearest,
            doubts: Vec::new(),
        };
        let components = json.get("components").and_then(Value::as_array);
        for component in components.into_iter().flatten() {
            let one = component.as_object().and_then(|one| one.iter().next());
            if let Some((kind, Value::Object(terms))) = one {
                let name = terms.get("name").and_then(Value::as_str);
                found.component(kind, name.unwrap_or(kind), terms);
            }
        }
        if self.from > context.today {
            found.add(MoneyDoubt::Future { from: self.from });
        }
        found.doubts
    }
}

struct DoubtWalk<'a> {
    context: &'a MoneyContext,
    /// In millionths; `None` for a currency without known prices.
    dearest: Option<i64>,
    doubts: Vec<MoneyDoubt>,
}

impl DoubtWalk<'_> {
    fn add(&mut self, doubt: MoneyDoubt) {
        if self.doubts.len() < MOST && !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }

    fn component(&mut self, kind: &str, name: &str, terms: &Map<String, Value>) {
        match kind {
            "energy" | "export" => self.energy(kind == "energy", name, terms),
            "tax" => self.percent(name, terms),
            "fixed" | "minimum" => self.fee(name, terms),
            _ => {}
        }
        self.lists(terms);
    }

    /// Prices of energy, in all of its terms.
    fn energy(&mut self, is_drawn: bool, name: &str, terms: &Map<String, Value>) {
        for (field, value) in terms {
            match value {
                Value::Object(inner) => self.energy(is_drawn && field != "surplus", name, inner),
                Value::Array(all) => {
                    for inner in all.iter().filter_map(Value::as_object) {
                        let zone = inner.get("name").and_then(Value::as_str);
                        self.energy(is_drawn, zone.unwrap_or(name), inner);
                    }
                }
                _ if field == "price" || field == "surcharge" => {
                    if let Some(price) = decimal(value) {
                        self.price(is_drawn && field == "price", name, price);
                    }
                }
                _ => {}
            }
        }
    }

    fn price(&mut self, is_drawn: bool, name: &str, price: Decimal) {
        let name = name.to_owned();
        if is_drawn && price < Decimal::ZERO {
            return self.add(MoneyDoubt::Negative { name, price });
        }
        let Some(dearest) = self.dearest else { return };
        let size = price.millionths().saturating_abs();
        if size > dearest.saturating_mul(MEGAWATTHOUR_TIMES) {
            let thousandth = Decimal::from_millionths(price.millionths() / 1_000);
            self.add(MoneyDoubt::InMegawattHours {
                name,
                price,
                thousandth,
            });
        } else if size > dearest {
            let hundredth = Decimal::from_millionths(price.millionths() / 100);
            self.add(MoneyDoubt::InHundredths {
                name,
                price,
                hundredth,
            });
        }
    }

    fn percent(&mut self, name: &str, terms: &Map<String, Value>) {
        const ONE: u64 = 100_000_000;
        const LARGE: u64 = 60 * ONE;
        let text = terms.get("percent").map(plain);
        let Some(percent) = text.and_then(|text| Percent::parse(&text).ok()) else {
            return;
        };
        let name = name.to_owned();
        match percent.hundred_millionths() {
            1..ONE => {
                // A hundred times so many hundred-millionths is as many millionths.
                let hundredfold = i64::try_from(percent.hundred_millionths()).unwrap_or(i64::MAX);
                let hundredfold = Decimal::from_millionths(hundredfold);
                self.add(MoneyDoubt::SmallPercent {
                    name,
                    percent,
                    hundredfold,
                });
            }
            0..=LARGE => {}
            _ => self.add(MoneyDoubt::LargePercent { name, percent }),
        }
    }

    fn fee(&mut self, name: &str, terms: &Map<String, Value>) {
        let price = terms.get("price").and_then(decimal);
        let per = terms.get("per").and_then(Value::as_str);
        let per = per.and_then(|per| per.parse::<Period>().ok());
        let (Some(price), Some(per), Some(dearest)) = (price, per, self.dearest) else {
            return;
        };
        if price.millionths().saturating_abs() > dearest.saturating_mul(most_times(per)) {
            let name = name.to_owned();
            self.add(MoneyDoubt::LargeFee { name, price, per });
        }
    }

    /// Series and day lists, in all of the terms.
    fn lists(&mut self, terms: &Map<String, Value>) {
        for (field, value) in terms {
            match value {
                Value::Object(inner) => self.lists(inner),
                Value::Array(all) => {
                    for inner in all.iter().filter_map(Value::as_object) {
                        self.lists(inner);
                    }
                }
                Value::String(text) if field == "series" => {
                    if let Some((name, near)) = unknown(text, &self.context.series) {
                        self.add(MoneyDoubt::NoSeries { name, near });
                    }
                }
                Value::String(text) if field == "days" => {
                    let list = text.split(':').next().unwrap_or_default();
                    if let Some((name, near)) = unknown(list, &self.context.day_lists) {
                        self.add(MoneyDoubt::NoDayList { name, near });
                    }
                }
                _ => {}
            }
        }
    }
}

/// A name that is none of the known ones, and the most similar one of these.
fn unknown(text: &str, known: &[Label]) -> Option<(Label, Option<Label>)> {
    let name = Label::new(text).ok()?;
    if known.iter().any(|one| one.is_same(&name)) {
        return None;
    }
    let lower = name.as_str().to_lowercase();
    let likeness = |one: &Label| strsim::jaro_winkler(&one.as_str().to_lowercase(), &lower);
    let near = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let near = near.filter(|one| likeness(one) > LIKE).cloned();
    Some((name, near))
}

fn decimal(value: &Value) -> Option<Decimal> {
    Decimal::parse(&plain(value)).ok()
}

/// A number or a text, as its digits.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubts(components: &str) -> Vec<String> {
        doubts_in("EUR", components)
    }

    fn doubts_in(currency: &str, components: &str) -> Vec<String> {
        let text = format!(
            r#"{{"from":"2026-01-01","name":"n","currency":"{currency}","components":[{components}]}}"#
        );
        let context = MoneyContext {
            today: LocalDate::parse("2026-01-01").unwrap(),
            series: ["day-ahead", "Market"]
                .map(|it| Label::new(it).unwrap())
                .to_vec(),
            day_lists: vec![Label::new("tempo").unwrap()],
        };
        let contract = Contract::parse(&text).unwrap();
        let doubts = contract.doubts(&context).into_iter();
        doubts.map(|doubt| doubt.to_string()).collect()
    }

    #[test]
    fn usual_contracts_raise_no_doubt() {
        for template in crate::ledger::contract::ContractTemplate::all() {
            let contract = template.contract();
            let context = MoneyContext {
                today: contract.from(),
                series: contract.series().cloned().collect(),
                day_lists: contract.day_lists().cloned().collect(),
            };
            assert_eq!(contract.doubts(&context), [], "{}", template.id());
        }
    }

    #[test]
    fn each_unusual_number_is_doubted() {
        for (components, expected) in [
            (
                r#"{"energy":{"price":32.9}}"#,
                "energy: 32.9 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.329",
            ),
            (
                r#"{"energy":{"price":89.3}}"#,
                "energy: 89.3 for a kilowatt-hour is a lot; if it is for a megawatt-hour, enter 0.0893",
            ),
            (
                r#"{"energy":{"name":"grid","price":-0.3}}"#,
                "grid: the price -0.3 is negative",
            ),
            (
                r#"{"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":24,"hours":"22:00-06:00"}]}}"#,
                "night: 24 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.24",
            ),
            (
                r#"{"energy":{"period":"year","tiers":[{"up_to_kwh":100,"price":0.3},{"price":31}]}}"#,
                "energy: 31 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.31",
            ),
            (
                r#"{"energy":{"series":"market","surcharge":18}}"#,
                "energy: 18 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.18",
            ),
            (
                r#"{"export":{"price":7.86}}"#,
                "export: 7.86 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.0786",
            ),
            (
                r#"{"energy":{"price":0.3}},{"tax":{"name":"VAT","percent":0.19}}"#,
                "VAT: 0.19 % is little; if it is a share of one, enter 19",
            ),
            (
                r#"{"energy":{"price":0.3}},{"tax":{"name":"VAT","percent":190}}"#,
                "VAT: 190 % is a lot",
            ),
            (
                r#"{"fixed":{"name":"base","price":1390,"per":"month"}}"#,
                "base: 1390 per month is a lot",
            ),
            (
                r#"{"energy":{"series":"dayahead"}}"#,
                "there is no price series dayahead; is day-ahead meant?",
            ),
            (
                r#"{"energy":{"series":"other"}}"#,
                "there is no price series other",
            ),
            (
                r#"{"energy":{"zones":[{"name":"a","price":0.2,"days":"Tempi:red"},{"name":"b","price":0.2,"days":"TEMPO:blue"}]}}"#,
                "there is no day list Tempi; is tempo meant?",
            ),
        ] {
            assert_eq!(doubts(components), [expected], "{components}");
        }
    }

    #[test]
    fn credits_and_other_currencies_are_no_mistakes() {
        // Paid for energy that is fed in, or paid by the hour: nobody needs to be asked.
        for usual in [
            r#"{"export":{"price":-0.01}}"#,
            r#"{"energy":{"series":"DAY-AHEAD","surcharge":-0.01}}"#,
            r#"{"energy":{"price":0.3,"netting":"year","surplus":{"price":-0.05}}}"#,
            r#"{"energy":{"price":0.3}},{"tax":{"name":"VAT","percent":0}}"#,
        ] {
            assert_eq!(doubts(usual), Vec::<String>::new(), "{usual}");
        }
        assert_eq!(
            doubts_in("JPY", r#"{"energy":{"price":30}}"#),
            Vec::<String>::new()
        );
        assert_eq!(doubts_in("SEK", r#"{"energy":{"price":120}}"#).len(), 1);
    }

    #[test]
    fn a_contract_of_the_future_says_that_it_is_one() {
        let text = r#"{"from":"2026-02-01","name":"n","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#;
        let context = MoneyContext {
            today: LocalDate::parse("2026-01-31").unwrap(),
            series: Vec::new(),
            day_lists: Vec::new(),
        };
        let found = Contract::parse(text).unwrap().doubts(&context);
        let from = LocalDate::parse("2026-02-01").unwrap();
        assert_eq!(found, [MoneyDoubt::Future { from }]);
        assert!(!found[0].is_number());
    }

    #[test]
    fn no_contract_has_more_doubts_than_people_read() {
        let all: Vec<String> = (0..64)
            .map(|n| format!(r#"{{"energy":{{"name":"c{n}","price":{}}}}}"#, 3 + n))
            .collect();
        assert_eq!(doubts(&all.join(",")).len(), MOST);
    }
}
