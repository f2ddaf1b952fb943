//! A contract in words.

use std::str::FromStr as _;

use crate::domain::{Currency, Decimal};
use crate::http::pages::frame::figures;
use crate::ledger::contract::{
    Contract, HouseholdContract, HouseholdRate, LineKind, PaintedPrice, Period, TaxBase,
};
use crate::texts::Language;

/// An item, and its price.
pub(super) type SummaryLine = (String, String);

/// The lines of a contract; for one that no form can show, its components.
pub(super) fn summary(contract: &Contract, language: &Language) -> Vec<SummaryLine> {
    let words = Words {
        language,
        currency: contract.currency(),
    };
    if let Some(household) = contract.household() {
        return words.household(&household);
    }
    let mut kinds: Vec<String> = Vec::new();
    for kind in contract.kinds() {
        let kind = LineKind::from_str(kind).unwrap_or(LineKind::Energy);
        let kind = language.word("statement-kind", LineKind::as_str(kind));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    vec![(language.say("contract-consists-of"), kinds.join(", "))]
}

struct Words<'a> {
    language: &'a Language,
    currency: &'a Currency,
}

impl Words<'_> {
    fn household(&self, contract: &HouseholdContract) -> Vec<SummaryLine> {
        let mut lines = self.rate(&contract.rate);
        for charge in &contract.fixed {
            let per = self
                .language
                .word("contract-per", Period::as_str(charge.per));
            let price = format!("{} {per}", self.money(charge.price));
            lines.push((charge.name.to_string(), price));
        }
        let feed_in = contract.feed_in.map(|price| self.per_kwh(price));
        lines.extend(feed_in.map(|price| (self.language.say("contract-feed-in"), price)));
        if let Some(tax) = &contract.tax {
            let percent = figures::exact_percent(tax.percent, self.language);
            let of = self
                .language
                .word("contract-tax-of", TaxBase::as_str(tax.of));
            lines.push((tax.name.to_string(), format!("{percent} {of}")));
        }
        lines
    }

    fn rate(&self, rate: &HouseholdRate) -> Vec<SummaryLine> {
        let language = self.language;
        match rate {
            HouseholdRate::Flat(price) => {
                vec![(language.say("contract-energy"), self.per_kwh(*price))]
            }
            HouseholdRate::Hours { usual, painted } => {
                let usual = (usual.name.to_string(), self.per_kwh(usual.price));
                let painted = painted.iter().map(|one| self.painted(one));
                [usual].into_iter().chain(painted).collect()
            }
            HouseholdRate::Tiers { period, tiers } => {
                let per = language.word("contract-a", Period::as_str(*period));
                let tier = |(end, price): &(Option<Decimal>, Decimal)| {
                    let what = match end {
                        Some(end) => {
                            let end = self.number(*end);
                            language.fill(
                                "contract-up-to",
                                [("kwh", end.into()), ("per", per.as_str().into())],
                            )
                        }
                        None => language.say("contract-above"),
                    };
                    (what, self.per_kwh(*price))
                };
                tiers.iter().map(tier).collect()
            }
            HouseholdRate::Series {
                series,
                factor,
                surcharge,
            } => {
                let values = [
                    ("series", series.to_string().into()),
                    ("factor", self.number(*factor).into()),
                    ("surcharge", self.per_kwh(*surcharge).into()),
                ];
                vec![(
                    language.say("contract-energy"),
                    language.fill("contract-by-series", values),
                )]
            }
        }
    }

    /// The price of some hours, and their number.
    fn painted(&self, one: &PaintedPrice) -> SummaryLine {
        let cells = (0..7).flat_map(|day| (0..24).map(move |hour| (day, hour)));
        let hours = cells
            .filter(|(day, hour)| one.week.has(*day, *hour))
            .count();
        let hours = i64::try_from(hours).unwrap_or_default();
        let hours = self
            .language
            .fill("contract-hours-a-week", [("hours", hours.into())]);
        let mut price = format!("{}, {hours}", self.per_kwh(one.price.price));
        if one.months != [true; 12] {
            let months = (1_u8..).zip(one.months).filter(|(_, has)| *has);
            let months = months.map(|(month, _)| month_name(month, self.language));
            let months: Vec<String> = months.collect();
            price = format!("{price} ({})", months.join(", "));
        }
        (one.price.name.to_string(), price)
    }

    fn per_kwh(&self, price: Decimal) -> String {
        figures::price(price, self.currency, self.language)
    }

    fn money(&self, price: Decimal) -> String {
        format!(
            "{}\u{202F}{}",
            figures::exact_money(price, self.language),
            figures::currency_sign(self.currency.as_str())
        )
    }

    fn number(&self, number: Decimal) -> String {
        self.language.number(&number.to_string())
    }
}

/// The name of a month, from 1.
pub(super) fn month_name(month: u8, language: &Language) -> String {
    language.fill("date-month", [("month", month.into())])
}
