//! The contract that a filled-in form means.

use super::form::{ContractForm, MOST_TIERS, PAINTED, RateChoice};
use crate::domain::{Currency, Decimal, LocalDate};
use crate::http::pages::frame::PageError;
use crate::http::pages::frame::typed_number::plain_number;
use crate::ledger::contract::{
    HouseholdCharge, HouseholdContract, HouseholdRate, HouseholdTax, Label, NamedPrice,
    PaintedPrice,
};
use crate::texts::Language;

impl ContractForm {
    /// What the form means.
    ///
    /// # Errors
    /// [`PageError::Form`] says at which field what was expected.
    pub(super) fn household(&self, language: &Language) -> Result<HouseholdContract, PageError> {
        let read = FieldReader { language };
        let from = LocalDate::parse(&self.from);
        let currency = Currency::new(&self.currency);
        let fixed = self.fixed.iter().map(|([name, price], per)| {
            Ok(HouseholdCharge {
                name: read.label("fixed", name)?,
                price: read.price("fixed", price)?,
                per: *per,
            })
        });
        let tax = (!self.tax_percent.is_empty()).then(|| {
            let percent = read.price("tax", &self.tax_percent)?;
            if percent < Decimal::ZERO {
                return Err(PageError::form("tax", read.say("contract-wrong-tax")));
            }
            Ok(HouseholdTax {
                name: read.label("tax", &self.tax_name)?,
                percent,
                of: self.tax_of,
            })
        });
        let feed_in = (!self.feed_in.is_empty()).then(|| read.price("feed_in", &self.feed_in));
        Ok(HouseholdContract {
            name: read.label("name", &self.name)?,
            currency: currency
                .map_err(|_| PageError::form("currency", read.say("contract-wrong-currency")))?,
            from: from.map_err(|_| PageError::form("from", read.say("contract-wrong-from")))?,
            rate: self.household_rate(&read)?,
            fixed: fixed.collect::<Result<_, PageError>>()?,
            feed_in: feed_in.transpose()?,
            tax: tax.transpose()?,
        })
    }

    fn household_rate(&self, read: &FieldReader<'_>) -> Result<HouseholdRate, PageError> {
        Ok(match self.rate {
            RateChoice::Flat => HouseholdRate::Flat(read.price("price", &self.price)?),
            RateChoice::Hours => self.hours(read)?,
            RateChoice::Tiers => self.tiers(read)?,
            RateChoice::Series => HouseholdRate::Series {
                series: read.label("series", &self.series)?,
                factor: read.price("factor", &self.factor)?,
                surcharge: read.price("surcharge", &self.surcharge)?,
            },
        })
    }

    fn hours(&self, read: &FieldReader<'_>) -> Result<HouseholdRate, PageError> {
        let [name, price] = &self.usual;
        let usual = NamedPrice {
            name: read.label("usual", name)?,
            price: read.price("usual", price)?,
        };
        let mut painted: Vec<PaintedPrice> = Vec::new();
        for one in &self.painted {
            let price = NamedPrice {
                name: read.label(one.id, &one.name)?,
                price: read.price(one.id, &one.price)?,
            };
            let mut others = painted.iter().map(|other| &other.price.name);
            if price.name == usual.name || others.any(|other| *other == price.name) {
                return Err(PageError::form(one.id, read.say("contract-wrong-twice")));
            }
            if one.week.is_empty() || one.months == [false; 12] {
                return Err(PageError::form(one.id, read.say("contract-wrong-hours")));
            }
            painted.push(PaintedPrice {
                price,
                months: one.months,
                week: one.week,
            });
        }
        if painted.is_empty() {
            return Err(PageError::form(
                PAINTED[0],
                read.say("contract-wrong-hours"),
            ));
        }
        let rate = HouseholdRate::Hours { usual, painted };
        match rate.unused() {
            Some(name) => {
                let one = self.painted.iter().find(|one| one.name == name.as_str());
                let field = one.map_or("usual", |one| one.id);
                Err(PageError::form(field, read.say("contract-wrong-unused")))
            }
            None => Ok(rate),
        }
    }

    fn tiers(&self, read: &FieldReader<'_>) -> Result<HouseholdRate, PageError> {
        let tier = |[end, price]: &[String; 2]| {
            let end = (!end.is_empty()).then(|| read.price("tiers", end));
            Ok((end.transpose()?, read.price("tiers", price)?))
        };
        let tiers: Vec<(Option<Decimal>, Decimal)> = self
            .tiers
            .iter()
            .map(tier)
            .collect::<Result<_, PageError>>()?;
        let ends: Vec<Option<Decimal>> = tiers.iter().map(|(end, _)| *end).collect();
        let is_ordered = match ends.split_last() {
            Some((None, ends)) => {
                let befores = [Some(Decimal::ZERO)]
                    .into_iter()
                    .chain(ends.iter().copied());
                befores
                    .zip(ends)
                    .all(|(before, end)| end.is_some() && before < *end)
            }
            _ => false,
        };
        if !is_ordered || tiers.len() > MOST_TIERS {
            return Err(PageError::form("tiers", read.say("contract-wrong-tiers")));
        }
        Ok(HouseholdRate::Tiers {
            period: self.period,
            tiers,
        })
    }
}

/// Reads fields, and says what is wrong in the words of a language.
struct FieldReader<'a> {
    language: &'a Language,
}

impl FieldReader<'_> {
    fn say(&self, name: &str) -> String {
        self.language.say(name)
    }

    fn label(&self, field: &'static str, text: &str) -> Result<Label, PageError> {
        Label::new(text).map_err(|_| PageError::form(field, self.say("contract-wrong-name")))
    }

    fn price(&self, field: &'static str, text: &str) -> Result<Decimal, PageError> {
        let price = Decimal::parse_price(&plain_number(text));
        price.map_err(|_| PageError::form(field, self.say("contract-wrong-price")))
    }
}
