//! A template with a household's values becomes a contract. The template's own JSON is changed at
//! the places of the values, and read like any other contract.

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::ContractTemplate;
use super::param::TariffParam;
use crate::domain::{Currency, LocalDate};
use crate::ledger::contract::{Contract, ContractError, Label, MoneyDoubt};

/// What a filled-in template begins with.
#[derive(Clone, Debug)]
pub struct TariffStart {
    /// Its first day.
    pub first_day: LocalDate,
    /// Its name; `None` for that of the template.
    pub name: Option<Label>,
    /// The currency of the account's other contracts, which may be written in another way.
    pub account_currency: Option<Currency>,
    /// Whether it changes the prices of the contract before; `None` if it does not say it.
    pub continues: Option<bool>,
}

/// Why values do not fit a template.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}: {fault}")]
pub struct TariffError {
    /// The value at fault; `contract` if only all of them together are.
    pub name: String,
    /// What is wrong with it.
    pub fault: TariffFault,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TariffFault {
    /// The template has no such value.
    #[error("this tariff has no such value; expected one of {0}")]
    Unknown(String),
    /// The household has to fill it in.
    #[error("it is missing; expected {0}")]
    Missing(String),
    /// It is none of its kind.
    #[error("expected {0}")]
    Wrong(String),
    /// All together are no contract.
    #[error("{0}")]
    Contract(ContractError),
}

impl ContractTemplate {
    /// The value with this name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&TariffParam> {
        self.params().iter().find(|param| param.name() == name)
    }

    /// The value that the template has, as people type it; `None` if each household has its own.
    #[must_use]
    pub fn initial(&self, param: &TariffParam) -> Option<String> {
        (!param.is_own() && !param.is_optional())
            .then(|| self.example(param))
            .flatten()
    }

    /// A value such as people type for it.
    #[must_use]
    pub fn example(&self, param: &TariffParam) -> Option<String> {
        param.value_in(&self.json())
    }

    /// The contract with a household's values, each by its name and with a decimal point. A missing
    /// value is that of the template; an empty or missing optional one leaves its component out.
    ///
    /// # Errors
    /// [`TariffError`] with the value at fault and the expected form.
    pub fn fill(
        &self,
        start: &TariffStart,
        values: &BTreeMap<String, String>,
    ) -> Result<Contract, TariffError> {
        if let Some(unknown) = values.keys().find(|name| self.param(name).is_none()) {
            let known = self.params().iter().map(TariffParam::name);
            return Err(TariffError {
                name: unknown.clone(),
                fault: TariffFault::Unknown(known.collect::<Vec<_>>().join(", ")),
            });
        }
        let mut json = self.json();
        let mut without: Vec<String> = Vec::new();
        for param in self.params() {
            let typed = values.get(param.name()).map(|typed| typed.trim());
            match typed.filter(|typed| !typed.is_empty()) {
                Some(typed) => self.put(param, typed, &mut json)?,
                None if param.is_optional() => without.extend(param.pointers()),
                None if param.is_own() => {
                    return Err(TariffError::of(
                        param,
                        TariffFault::Missing(self.expected(param)),
                    ));
                }
                None => {}
            }
        }
        leave_out(&mut json, &without);
        begin(&mut json, self.contract().from(), start);
        Contract::parse(&json.to_string()).map_err(|error| TariffError {
            name: "contract".to_owned(),
            fault: TariffFault::Contract(error),
        })
    }

    /// What may not be meant so in these values, beside [`Contract::doubts`].
    #[must_use]
    pub fn unusual(&self, values: &BTreeMap<String, String>) -> Vec<(&TariffParam, MoneyDoubt)> {
        let currency = self.contract().currency();
        let doubt = |param: &TariffParam| {
            let typed = values.get(param.name())?.trim();
            let (usual, value) = (param.usual()?, param.size(typed)?);
            let is_usual = usual[0] <= value && value <= usual[1];
            (!is_usual).then(|| MoneyDoubt::Unusual {
                name: param.label().to_owned(),
                typed: typed.to_owned(),
                unit: param.unit(currency),
                usual,
            })
        };
        let params = self.params().iter();
        params
            .filter_map(|param| Some((param, doubt(param)?)))
            .collect()
    }

    fn put(&self, param: &TariffParam, typed: &str, json: &mut Value) -> Result<(), TariffError> {
        for (index, pointer) in param.pointers().enumerate() {
            // A test proves that each path leads somewhere.
            let Some(old) = json.pointer_mut(&pointer) else {
                continue;
            };
            let wrong = || TariffError::of(param, TariffFault::Wrong(self.expected(param)));
            *old = param.json(index, typed, old).ok_or_else(wrong)?;
        }
        Ok(())
    }

    /// The form of a value, with the template's own as an example.
    #[must_use]
    pub fn expected(&self, param: &TariffParam) -> String {
        let example = self.example(param).unwrap_or_default();
        param.expected(&example, self.contract().currency())
    }

    /// Its contract as a tree: it is one of our own files.
    fn json(&self) -> Value {
        serde_json::from_str(self.file.contract.get()).unwrap_or_default()
    }
}

impl TariffError {
    fn of(param: &TariffParam, fault: TariffFault) -> Self {
        Self {
            name: param.name().to_owned(),
            fault,
        }
    }
}

impl TariffParam {
    fn pointers(&self) -> impl Iterator<Item = String> + '_ {
        self.path.iter().map(super::param::ParamPath::pointer)
    }
}

/// Sets the first day, also of advance payments from the same day, the name, the currency, and
/// whether it continues the contract before.
fn begin(json: &mut Value, old: LocalDate, start: &TariffStart) {
    let from = Value::String(start.first_day.to_string());
    let advances = json.get_mut("advances").and_then(Value::as_array_mut);
    for advance in advances.into_iter().flatten() {
        if advance.get("from").and_then(Value::as_str) == Some(&old.to_string()) {
            set(advance, "from", from.clone());
        }
    }
    set(json, "from", from);
    if let Some(name) = &start.name {
        set(json, "name", Value::String(name.to_string()));
    }
    let own = json.get("currency").and_then(Value::as_str);
    let own = own.and_then(|own| Currency::new(own).ok());
    if let (Some(own), Some(currency)) = (own, &start.account_currency)
        && own.may_be(currency)
    {
        set(
            json,
            "currency",
            Value::String(currency.as_str().to_owned()),
        );
    }
    if let Some(continues) = start.continues {
        set(json, "continues", Value::Bool(continues));
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

/// Leaves out the components and advance payments in which these places are, and their names in
/// taxes and other lists of names.
fn leave_out(json: &mut Value, pointers: &[String]) {
    let mut names: Vec<String> = Vec::new();
    for list in ["components", "advances"] {
        let mut gone: Vec<usize> = pointers
            .iter()
            .filter_map(|pointer| {
                let rest = pointer.strip_prefix('/')?.strip_prefix(list)?;
                rest.split('/').nth(1)?.parse().ok()
            })
            .collect();
        gone.sort_unstable();
        gone.dedup();
        let Some(items) = json.get_mut(list).and_then(Value::as_array_mut) else {
            continue;
        };
        for index in gone.into_iter().rev() {
            if index < items.len() {
                names.extend(name_of(&items.remove(index)));
            }
        }
        if items.is_empty()
            && let Some(json) = json.as_object_mut()
        {
            json.remove(list);
        }
    }
    let kept = json.get("components").and_then(Value::as_array);
    let kept: Vec<String> = kept.into_iter().flatten().filter_map(name_of).collect();
    names.retain(|name| !kept.contains(name));
    let components = json.get_mut("components").and_then(Value::as_array_mut);
    for terms in components.into_iter().flatten().filter_map(terms_of) {
        if let Some(on) = terms.get_mut("on").and_then(Value::as_array_mut) {
            on.retain(|one| {
                one.as_str()
                    .is_none_or(|one| !names.iter().any(|it| it == one))
            });
        }
    }
}

/// The terms of a component: it has one member, by its kind.
fn terms_of(component: &mut Value) -> Option<&mut Value> {
    component.as_object_mut()?.values_mut().next()
}

fn name_of(component: &Value) -> Option<String> {
    let terms = component.as_object()?.values().next()?;
    Some(terms.get("name")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests;
