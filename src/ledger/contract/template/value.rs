//! Typed values of a tariff, and what stands for them in its contract.

use serde_json::Value;

use super::param::{ParamKind, ParamPath, ParamSource, TariffParam};
use crate::domain::{Currency, Decimal, LocalDate, SensorId};
use crate::ledger::contract::Label;
use crate::ledger::contract::percent::Percent;
use crate::ledger::contract::sets::ClockHours;

impl TariffParam {
    /// A typed number, without the digits that only percentages have.
    pub(super) fn size(&self, typed: &str) -> Option<Decimal> {
        let end = typed
            .find('.')
            .map_or(typed.len(), |at| typed.len().min(at + 7));
        let number = typed.get(..end).filter(|_| self.is_number())?;
        Decimal::parse(number).ok()
    }

    /// The value that stands in the contract, as people type it, with a decimal point.
    pub(super) fn value_in(&self, contract: &Value) -> Option<String> {
        let first = self.path.first()?;
        let found = contract.pointer(&first.pointer())?;
        let text = match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match self.kind() {
            ParamKind::Choice => {
                let mut options = self.options().iter();
                let chosen = options.find(|one| one.set.first() == Some(found))?;
                Some(chosen.value.clone())
            }
            ParamKind::Percent if matches!(first, ParamPath::Plain(_)) => Some(text),
            ParamKind::Days => Some(text.split(':').next()?.to_owned()),
            _ if self.is_number() => {
                let value = first.value(Decimal::parse(&text).ok()?)?;
                let scale = if self.hundredths().is_empty() { 1 } else { 100 };
                let typed = value.millionths().checked_mul(scale)?;
                Some(Decimal::from_millionths(typed).to_string())
            }
            _ => Some(text),
        }
    }

    /// What goes to each path for a typed value; `None` if it is none of its kind. `old` is what
    /// stands there.
    pub(super) fn json(&self, path: usize, typed: &str, old: &Value) -> Option<Value> {
        let at = self.path.get(path)?;
        let text = match self.kind() {
            ParamKind::EnergyPrice | ParamKind::Fee | ParamKind::PowerPrice => {
                let price = Decimal::parse_price(typed).ok()?;
                let scale = if self.hundredths().is_empty() { 1 } else { 100 };
                let is_exact = price.millionths() % scale == 0;
                let price = is_exact.then(|| Decimal::from_millionths(price.millionths() / scale));
                at.number(price?)?.to_string()
            }
            ParamKind::Percent if matches!(at, ParamPath::Plain(_)) => {
                Percent::parse(typed).ok()?.to_string()
            }
            ParamKind::Percent | ParamKind::Power | ParamKind::Energy => {
                let number = Decimal::parse_price(typed).ok()?;
                let is_possible = number >= Decimal::ZERO;
                at.number(is_possible.then_some(number)?)?.to_string()
            }
            ParamKind::Hours => {
                ClockHours::parse_list(typed)?;
                typed.to_owned()
            }
            ParamKind::Choice => {
                let mut options = self.options().iter();
                let chosen = options.find(|option| option.value == typed)?;
                return chosen.set.get(path).cloned();
            }
            ParamKind::Date => LocalDate::parse(typed).ok()?.to_string(),
            ParamKind::Sensor => SensorId::new(typed).ok()?.to_string(),
            ParamKind::Series => self.label_of(typed)?.to_string(),
            ParamKind::Days => {
                let (_, day) = old.as_str()?.split_once(':')?;
                format!("{}:{day}", self.label_of(typed)?)
            }
        };
        Some(Value::String(text))
    }

    /// The series or the day list that a typed value names: the one of a source, or another one.
    fn label_of(&self, typed: &str) -> Option<Label> {
        let source = self.source(typed).map(ParamSource::series);
        Label::new(source.as_deref().unwrap_or(typed)).ok()
    }

    /// The form of a value, for an error, with an example of what the template has.
    #[must_use]
    pub fn expected(&self, example: &str, currency: &Currency) -> String {
        let unit = self.unit(currency);
        let decimals = if self.hundredths().is_empty() { 6 } else { 4 };
        match self.kind() {
            ParamKind::EnergyPrice | ParamKind::Fee | ParamKind::PowerPrice => {
                format!("a price in {unit} with up to {decimals} decimals, such as {example}")
            }
            ParamKind::Percent => format!("a percentage, such as {example}"),
            ParamKind::Power | ParamKind::Energy => {
                format!("a number of {unit} that is not negative, such as {example}")
            }
            ParamKind::Hours => format!("hours such as {example}"),
            ParamKind::Choice => {
                let words = self.options().iter().map(|option| option.value.as_str());
                format!("one of {}", words.collect::<Vec<_>>().join(", "))
            }
            ParamKind::Date => format!("a date such as {example}"),
            ParamKind::Sensor => format!("the id of a sensor, such as {example}"),
            ParamKind::Series | ParamKind::Days => {
                let words = self.sources().iter().map(ParamSource::word);
                let mut words: Vec<String> = words.collect();
                words.push("a name of 1 to 64 bytes".to_owned());
                words.join(", ")
            }
        }
    }
}
