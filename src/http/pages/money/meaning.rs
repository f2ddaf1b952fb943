//! The contract that a filled-in form means.

use super::form::{ContractForm, MOST_TIERS, PAINTED, RateChoice};
use crate::domain::{Currency, Decimal, LocalDate};
use crate::http::pages::frame::PageError;
use crate::http::pages::frame::typed_number::Numbers;
use crate::ledger::contract::{
    HouseholdCharge, HouseholdContract, HouseholdRate, HouseholdTax, Label, NamedPrice,
    PaintedPrice, Percent,
};

impl ContractForm {
    /// Turns the form into a contract.
    ///
    /// # Errors
    /// [`PageError::Form`] with the field and the expected value.
    pub(super) fn household(&self, numbers: &Numbers) -> Result<HouseholdContract, PageError> {
        let from = LocalDate::typed(&self.from);
        let currency = Currency::new(&self.currency);
        let fixed = self.fixed.iter().map(|([name, price], per)| {
            Ok(HouseholdCharge {
                name: label("fixed", name)?,
                price: price_of(numbers, "fixed", price)?,
                per: *per,
            })
        });
        let tax = (!self.tax_percent.is_empty()).then(|| {
            let percent = Percent::parse(&numbers.plain(&self.tax_percent));
            let percent = percent.map_err(|_| PageError::mistake("contract-wrong-tax", "tax"))?;
            Ok::<_, PageError>(HouseholdTax {
                name: label("tax", &self.tax_name)?,
                percent,
                of: self.tax_of,
            })
        });
        let feed_in =
            (!self.feed_in.is_empty()).then(|| price_of(numbers, "feed_in", &self.feed_in));
        Ok(HouseholdContract {
            name: label("name", &self.name)?,
            continues: (!self.continues).then_some(false),
            currency: currency
                .map_err(|_| PageError::mistake("contract-wrong-currency", "currency"))?,
            from: from.map_err(|_| PageError::mistake("contract-wrong-from", "from"))?,
            rate: self.household_rate(numbers)?,
            fixed: fixed.collect::<Result<_, PageError>>()?,
            feed_in: feed_in.transpose()?,
            tax: tax.transpose()?,
        })
    }

    fn household_rate(&self, numbers: &Numbers) -> Result<HouseholdRate, PageError> {
        Ok(match self.rate {
            RateChoice::Flat => HouseholdRate::Flat(price_of(numbers, "price", &self.price)?),
            RateChoice::Hours => self.hours(numbers)?,
            RateChoice::Tiers => self.tiers(numbers)?,
            RateChoice::Series => HouseholdRate::Series {
                series: label("series", &self.series)?,
                factor: price_of(numbers, "factor", &self.factor)?,
                surcharge: price_of(numbers, "surcharge", &self.surcharge)?,
            },
        })
    }

    fn hours(&self, numbers: &Numbers) -> Result<HouseholdRate, PageError> {
        let [name, price] = &self.usual;
        let usual = NamedPrice {
            name: label("usual", name)?,
            price: price_of(numbers, "usual", price)?,
        };
        let mut painted: Vec<PaintedPrice> = Vec::new();
        for one in &self.painted {
            let price = NamedPrice {
                name: label(one.id, &one.name)?,
                price: price_of(numbers, one.id, &one.price)?,
            };
            let mut others = painted.iter().map(|other| &other.price.name);
            if price.name == usual.name || others.any(|other| *other == price.name) {
                return Err(PageError::mistake("contract-wrong-twice", one.id));
            }
            if one.week.is_empty() || one.months == [false; 12] {
                return Err(PageError::mistake("contract-wrong-hours", one.id));
            }
            painted.push(PaintedPrice {
                price,
                months: one.months,
                week: one.week,
            });
        }
        if painted.is_empty() {
            return Err(PageError::mistake("contract-wrong-hours", PAINTED[0]));
        }
        let rate = HouseholdRate::Hours { usual, painted };
        match rate.unused() {
            Some(name) => {
                let one = self.painted.iter().find(|one| one.name == name.as_str());
                let field = one.map_or("usual", |one| one.id);
                Err(PageError::mistake("contract-wrong-unused", field))
            }
            None => Ok(rate),
        }
    }

    fn tiers(&self, numbers: &Numbers) -> Result<HouseholdRate, PageError> {
        let tier = |[end, price]: &[String; 2]| {
            let end = (!end.is_empty()).then(|| price_of(numbers, "tiers", end));
            Ok((end.transpose()?, price_of(numbers, "tiers", price)?))
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
            return Err(PageError::mistake("contract-wrong-tiers", "tiers"));
        }
        Ok(HouseholdRate::Tiers {
            period: self.period,
            tiers,
        })
    }
}

fn label(field: &'static str, text: &str) -> Result<Label, PageError> {
    Label::new(text).map_err(|_| PageError::mistake("contract-wrong-name", field))
}

fn price_of(numbers: &Numbers, field: &'static str, text: &str) -> Result<Decimal, PageError> {
    let price = Decimal::parse_price(&numbers.plain(text));
    price.map_err(|_| PageError::mistake("contract-wrong-price", field))
}
