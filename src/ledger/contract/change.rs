//! Changes of the contracts of an account.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{ContractError, shortened};
use super::{Contract, Contracts, Label};
use crate::domain::LocalDate;

/// A change of the contracts of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractChange {
    /// Adds a contract, or replaces the one that begins on the same day.
    Put(Box<Contract>),
    /// Removes the contract that begins on this day.
    Remove(LocalDate),
    /// Replaces all of them.
    Replace(Contracts),
}

/// The body of a removal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractRemoval<'a> {
    #[serde(borrow)]
    remove: &'a RawValue,
}

impl ContractChange {
    /// The change that a JSON text asks for: a contract is put, `{"remove":"2026-01-01"}` removes
    /// one, and a list of contracts replaces all.
    ///
    /// # Errors
    /// [`ContractError`] with the place of the fault and the expected form.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        if text.trim_start().starts_with('[') {
            return Contracts::parse(text).map(Self::Replace);
        }
        if let Ok(ContractRemoval { remove }) = serde_json::from_str(text) {
            let date: Option<String> = serde_json::from_str(remove.get()).ok();
            let date = date.and_then(|date| LocalDate::parse(&date).ok());
            let refused = || {
                let shown = shortened(remove.get(), 40);
                let problem = format!(
                    "expected the first day of a contract such as \"2026-01-01\", not {shown}"
                );
                ContractError::new("remove", problem)
            };
            return date.map(Self::Remove).ok_or_else(refused);
        }
        Contract::parse(text).map(|contract| Self::Put(Box::new(contract)))
    }
}

impl Contract {
    /// The contract as if it had begun by a day, unless it begins earlier.
    #[must_use]
    pub fn begun_by(&self, day: LocalDate) -> Self {
        Self {
            from: self.from.min(day),
            ..self.clone()
        }
    }
}

impl Contracts {
    /// The contracts after a change that somebody asks for. A contract that does not say whether it
    /// continues the one before it does so: a new price is more frequent than a new supplier.
    ///
    /// # Errors
    /// As [`Self::changed`].
    pub fn asked(&self, change: ContractChange) -> Result<Self, ContractError> {
        let typed = match &change {
            ContractChange::Put(one) => Some(one.from()),
            ContractChange::Remove(_) => return self.changed(change),
            ContractChange::Replace(_) => None,
        };
        let first = self.all().first().map(Contract::from);
        let mut all = self.changed(change)?.all().to_vec();
        let mut before: Option<Label> = None;
        for one in &mut all {
            // Also one that had none before it until now.
            let is_asked = [Some(one.from), None].contains(&typed) || first == Some(one.from);
            let has_other = before
                .replace(one.name.clone())
                .is_some_and(|it| it != one.name);
            if one.continues.is_none() && has_other && is_asked {
                one.continues = Some(true);
            }
        }
        Self::new(all)
    }

    /// The contracts after a change.
    ///
    /// # Errors
    /// [`ContractError`] if there are too many then, if their currencies differ, or if there is
    /// none to remove.
    pub fn changed(&self, change: ContractChange) -> Result<Self, ContractError> {
        let others = |from: LocalDate| {
            let all = self.all().iter();
            all.filter(move |one| one.from() != from).cloned()
        };
        match change {
            ContractChange::Put(contract) => {
                Self::new(others(contract.from()).chain([*contract]).collect())
            }
            ContractChange::Remove(from) => {
                let left: Vec<Contract> = others(from).collect();
                if left.len() == self.all().len() {
                    let begins: Vec<String> = self
                        .all()
                        .iter()
                        .map(|one| one.from().to_string())
                        .collect();
                    let begins = match begins.as_slice() {
                        [] => "there are none".to_owned(),
                        begins => format!("expected one of {}", begins.join(", ")),
                    };
                    return Err(ContractError::new(
                        "remove",
                        format!("no contract begins on {from}; {begins}"),
                    ));
                }
                Self::new(left)
            }
            ContractChange::Replace(contracts) => Ok(contracts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::contract::{FlatContract, FlatTerms};

    fn contract(from: &str, price: &str, currency: &str) -> Contract {
        let terms = FlatTerms {
            from: Some(from),
            currency,
            price,
            ..FlatTerms::default()
        };
        FlatContract::new(terms).unwrap().contract()
    }

    fn put(contract: Contract) -> ContractChange {
        ContractChange::Put(Box::new(contract))
    }

    #[test]
    fn a_text_asks_for_a_change() {
        let one = contract("2026-01-01", "0.4", "EUR");
        assert_eq!(
            ContractChange::parse(&one.to_string()),
            Ok(put(one.clone()))
        );
        let all = Contracts::new(vec![one]).unwrap();
        let list = format!(" {all}");
        assert_eq!(
            ContractChange::parse(&list),
            Ok(ContractChange::Replace(all))
        );
        let day = LocalDate::parse("2026-01-01").unwrap();
        let removal = ContractChange::parse(r#"{"remove":"2026-01-01"}"#);
        assert_eq!(removal, Ok(ContractChange::Remove(day)));
        for (text, error) in [
            (
                r#"{"remove":"x"}"#,
                r#"remove: expected the first day of a contract such as "2026-01-01", not "x""#,
            ),
            (r#"{"from":1}"#, "currency: it is missing"),
            (
                r#"{"remove":"2026-01-01","from":"2026-01-01"}"#,
                "remove: unknown here",
            ),
        ] {
            let found = ContractChange::parse(text).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn a_contract_continues_unless_it_says_otherwise() {
        let text = |from: &str, name: &str, more: &str| {
            format!(
                r#"{{"from":"{from}","name":"{name}","currency":"EUR"{more},"components":[{{"energy":{{"price":0.3}}}}]}}"#
            )
        };
        let asked = |known: &Contracts, text: &str| {
            known.asked(ContractChange::parse(text).unwrap()).unwrap()
        };
        let continue_all = |contracts: &Contracts| -> Vec<bool> {
            let pairs = contracts.all().windows(2);
            pairs.map(|pair| pair[1].continues(&pair[0])).collect()
        };
        let (a, b) = (text("2026-01-01", "A", ""), text("2026-02-01", "B", ""));
        let no = text("2026-02-01", "B", r#","continues":false"#);
        let none = Contracts::default();
        assert_eq!(continue_all(&asked(&none, &format!("[{a},{b}]"))), [true]);
        assert_eq!(continue_all(&asked(&asked(&none, &b), &a)), [true]);
        assert_eq!(continue_all(&asked(&asked(&none, &a), &b)), [true]);
        assert_eq!(continue_all(&asked(&asked(&none, &a), &no)), [false]);
        // Those that are stored already only do so with one name.
        let stored = Contracts::parse(&format!("[{a},{b}]")).unwrap();
        assert_eq!(continue_all(&stored), [false]);
        let later = asked(&stored, &text("2026-03-01", "C", ""));
        assert_eq!(continue_all(&later), [false, true]);
    }

    #[test]
    fn contracts_are_put_replaced_and_removed() {
        let old = contract("2025-01-01", "0.3", "EUR");
        let new = contract("2026-01-01", "0.4", "EUR");
        let newer = contract("2026-01-01", "0.5", "EUR");
        let mut all = Contracts::default();
        for one in [&new, &old, &newer] {
            all = all.changed(put(one.clone())).unwrap();
        }
        assert_eq!(all.all(), [old.clone(), newer.clone()]);
        let error = all.changed(put(contract("2027-01-01", "1", "CHF")));
        let error = error.unwrap_err().to_string();
        assert!(error.ends_with("expected one currency"), "{error}");
        let day = |text| LocalDate::parse(text).unwrap();
        let error = all.changed(ContractChange::Remove(day("2025-01-02")));
        assert_eq!(
            error.unwrap_err().to_string(),
            "remove: no contract begins on 2025-01-02; expected one of 2025-01-01, 2026-01-01"
        );
        let left = all.changed(ContractChange::Remove(day("2025-01-01")));
        assert_eq!(left.unwrap().all(), [newer]);
        let other = Contracts::new(vec![contract("2020-01-01", "1", "CHF")]).unwrap();
        let replaced = all.changed(ContractChange::Replace(other.clone()));
        assert_eq!(replaced, Ok(other));
    }
}
