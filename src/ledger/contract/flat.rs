//! The simplest contract: one price for import, and perhaps one for export.

use super::component::{Component, Terms};
use super::energy_terms::{EnergyTerms, ExportTerms};
use super::holidays::Holidays;
use super::json::ContractError;
use super::rate::Rate;
use super::{Contract, Contracts, Label};
use crate::domain::{Currency, Decimal, LocalDate};

/// A contract with one price for import, perhaps one for export, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatContract {
    from: LocalDate,
    name: Label,
    currency: Currency,
    price: Decimal,
    feed_in: Option<Decimal>,
}

/// A flat contract as somebody fills it in.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlatTerms<'a> {
    /// Its first day; if not given, a day before all readings.
    pub from: Option<&'a str>,
    /// Its name; if not given, [`FlatContract::NAME`].
    pub name: Option<&'a str>,
    /// The currency of its prices.
    pub currency: &'a str,
    /// The price of a kilowatt-hour that is drawn.
    pub price: &'a str,
    /// The price of one that is fed back.
    pub feed_in: Option<&'a str>,
}

impl FlatContract {
    /// The first day of a contract without one: all of the past.
    pub const ALWAYS: &'static str = "1970-01-01";
    /// The name of a contract without one.
    pub const NAME: &'static str = "Flat";

    /// The contract with such terms.
    ///
    /// # Errors
    /// [`ContractError`] with the wrong term and the expected form.
    pub fn new(terms: FlatTerms<'_>) -> Result<Self, ContractError> {
        fn refused<E: ToString>(name: &str) -> impl Fn(E) -> ContractError {
            move |error| ContractError::new(name, error.to_string())
        }
        let from = LocalDate::parse(terms.from.unwrap_or(Self::ALWAYS));
        let no_date = |_| ContractError::new("from", "expected a date such as 2026-01-01");
        let price = |name, text| Decimal::parse_price(text).map_err(refused(name));
        Ok(Self {
            from: from.map_err(no_date)?,
            name: Label::new(terms.name.unwrap_or(Self::NAME)).map_err(refused("name"))?,
            currency: Currency::new(terms.currency).map_err(refused("currency"))?,
            price: price("price", terms.price)?,
            feed_in: terms
                .feed_in
                .map(|text| price("feed_in", text))
                .transpose()?,
        })
    }

    /// Its first day.
    #[must_use]
    pub const fn from(&self) -> LocalDate {
        self.from
    }

    /// The currency of its prices.
    #[must_use]
    pub const fn currency(&self) -> &Currency {
        &self.currency
    }

    /// The price of a kilowatt-hour that is drawn.
    #[must_use]
    pub const fn price(&self) -> Decimal {
        self.price
    }

    /// The price of a kilowatt-hour that is fed back, if there is one.
    #[must_use]
    pub const fn feed_in(&self) -> Option<Decimal> {
        self.feed_in
    }

    /// It as a contract.
    #[must_use]
    pub fn contract(&self) -> Contract {
        let unnamed = |terms| Component {
            name: None,
            continues: None,
            terms,
        };
        let energy = unnamed(Terms::Energy(EnergyTerms::plain(Rate::Flat(self.price))));
        let export = self
            .feed_in
            .map(|price| unnamed(Terms::Export(ExportTerms::plain(Rate::Flat(price)))));
        Contract {
            from: self.from,
            name: self.name.clone(),
            currency: self.currency.clone(),
            continues: None,
            holidays: Holidays::default(),
            billing: None,
            advances: Vec::new(),
            components: [energy].into_iter().chain(export).collect(),
        }
    }
}

impl Contract {
    /// Its terms, if it is flat and has nothing else.
    #[must_use]
    pub fn flat(&self) -> Option<FlatContract> {
        let mut prices = self.components.iter().map(|component| &component.terms);
        let Some(Terms::Energy(energy)) = prices.next() else {
            return None;
        };
        let Rate::Flat(price) = energy.as_plain()? else {
            return None;
        };
        let feed_in = match (prices.next(), prices.next()) {
            (None, None) => None,
            (Some(Terms::Export(export)), None) => match export.as_plain()? {
                Rate::Flat(price) => Some(*price),
                _ => return None,
            },
            _ => return None,
        };
        let flat = FlatContract {
            from: self.from,
            name: self.name.clone(),
            currency: self.currency.clone(),
            price: *price,
            feed_in,
        };
        // Names of components and holidays would be lost. Without periods, nothing goes on.
        let alone = Self {
            continues: None,
            ..self.clone()
        };
        (flat.contract() == alone).then_some(flat)
    }
}

impl Contracts {
    /// The import price and its currency, if there is one contract with one such price.
    #[must_use]
    pub fn flat_price(&self) -> Option<(Decimal, &Currency)> {
        let [contract] = self.all() else {
            return None;
        };
        let mut rates = contract
            .components
            .iter()
            .filter_map(|component| match &component.terms {
                Terms::Energy(energy) => Some(energy.as_plain()),
                _ => None,
            });
        match (rates.next(), rates.next()) {
            (Some(Some(Rate::Flat(price))), None) => Some((*price, contract.currency())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: FlatTerms<'static> = FlatTerms {
        from: None,
        name: None,
        currency: "EUR",
        price: "0.32",
        feed_in: Some("0.080"),
    };

    #[test]
    fn a_flat_contract_is_a_contract() {
        let flat = FlatContract::new(TERMS).unwrap();
        let contract = flat.contract();
        assert_eq!(
            contract.to_string(),
            r#"{"from":"1970-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.32}},{"export":{"price":0.08}}]}"#
        );
        assert_eq!(contract.flat(), Some(flat));
        assert_eq!(Contract::parse(&contract.to_string()), Ok(contract));
    }

    #[test]
    fn what_has_more_is_not_flat() {
        let contract = |components: &str, more: &str| {
            Contract::parse(&format!(
                r#"{{"from":"2026-01-01","name":"A","currency":"EUR","components":[{components}]{more}}}"#
            ))
            .unwrap()
        };
        let energy = r#"{"energy":{"price":0.3}}"#;
        assert!(contract(energy, "").flat().is_some());
        let fixed = r#"{"fixed":{"name":"standing charge","price":1,"per":"day"}}"#;
        for (components, more) in [
            (format!("{energy},{energy}"), ""),
            (format!("{energy},{fixed}"), ""),
            (r#"{"energy":{"name":"grid","price":0.3}}"#.to_owned(), ""),
            (r#"{"export":{"price":0.3}}"#.to_owned(), ""),
            (energy.to_owned(), r#","holidays":["12-25"]"#),
        ] {
            assert_eq!(contract(&components, more).flat(), None, "{components}");
        }
        // With other components, there still is one import price.
        let price = |contracts: &[Contract]| {
            let contracts = Contracts::new(contracts.to_vec()).unwrap();
            contracts.flat_price().map(|(price, _)| price.to_string())
        };
        let beside = contract(&format!("{energy},{fixed}"), "");
        assert_eq!(price(&[beside]).as_deref(), Some("0.3"));
        let two = contract(&format!("{energy},{energy}"), "");
        assert_eq!(price(&[two]), None);
        assert_eq!(price(&[]), None);
    }

    #[test]
    fn wrong_terms_are_named() {
        for (terms, error) in [
            (
                FlatTerms {
                    from: Some("2026"),
                    ..TERMS
                },
                "from: expected a date such as 2026-01-01",
            ),
            (
                FlatTerms {
                    name: Some(""),
                    ..TERMS
                },
                "name: expected 1 to 64 bytes of text without control characters",
            ),
            (
                FlatTerms {
                    currency: "Taler der Stadt",
                    ..TERMS
                },
                "currency: expected a currency of 1 to 8 characters, such as EUR, € or $",
            ),
            (
                FlatTerms {
                    price: "0,3",
                    ..TERMS
                },
                "price: expected a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215",
            ),
            (
                FlatTerms {
                    feed_in: Some("1e3"),
                    ..TERMS
                },
                "feed_in: expected a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215",
            ),
        ] {
            assert_eq!(FlatContract::new(terms).unwrap_err().to_string(), error);
        }
    }
}
