//! JSON as a person typed it: each value with its place, so that a refusal can say where. Numbers
//! are read by their digits.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

use super::Label;
use super::percent::Percent;
use crate::domain::Decimal;
use crate::domain::words::UnknownWord;

/// Why a text is not a contract: the place, and the expected form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct ContractError {
    /// Where in the text.
    pub place: String,
    /// The expected form.
    pub problem: String,
}

impl ContractError {
    pub(super) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

/// A JSON value and its place, such as `components[0].energy`.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    place: String,
    json: &'a str,
}

/// The name of a component, and whether it continues the one of the contract before.
pub(super) type Heading = (Option<Label>, Option<bool>);

/// The members of a JSON object, each name once.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    place: String,
    members: Vec<(String, &'a RawValue)>,
}

impl<'a> Node<'a> {
    /// Parses a value. `name` is its place in errors.
    pub(super) fn parse(text: &'a str, name: &str) -> Result<Self, ContractError> {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(json) => Ok(Self {
                place: String::new(),
                json: json.get(),
            }),
            Err(error) => Err(ContractError::new(
                name,
                format!("this is no JSON: {error}"),
            )),
        }
    }

    pub(super) fn place(&self) -> &str {
        if self.place.is_empty() {
            "the whole"
        } else {
            &self.place
        }
    }

    /// The error that something else was expected here.
    pub(super) fn refused(&self, expected: impl fmt::Display) -> ContractError {
        let shown = shortened(self.json, 40);
        ContractError::new(self.place(), format!("expected {expected}, not {shown}"))
    }

    /// The members of an object; all their names must be known.
    pub(super) fn fields(
        &self,
        known: &[&str],
        example: &str,
    ) -> Result<Fields<'a>, ContractError> {
        let members: Members<'a> = serde_json::from_str(self.json)
            .map_err(|_| self.refused(format_args!("an object such as {example}")))?;
        let fields = Fields {
            place: self.place.clone(),
            members: members.0,
        };
        fields.check_known(known)?;
        for (index, (name, _)) in fields.members.iter().enumerate() {
            if fields
                .members
                .iter()
                .skip(index + 1)
                .any(|(other, _)| other == name)
            {
                return Err(ContractError::new(
                    fields.place_of(name),
                    "it is given twice",
                ));
            }
        }
        Ok(fields)
    }

    /// The values of a list of 1 to `most`.
    pub(super) fn list(&self, most: usize, example: &str) -> Result<Vec<Self>, ContractError> {
        let expected = || self.refused(format_args!("a list of 1 to {most}, such as {example}"));
        let values: Vec<&RawValue> = serde_json::from_str(self.json).map_err(|_| expected())?;
        if values.is_empty() || values.len() > most {
            return Err(expected());
        }
        let nodes = values.iter().enumerate().map(|(index, json)| Self {
            place: format!("{}[{index}]", self.place),
            json: json.get(),
        });
        Ok(nodes.collect())
    }

    pub(super) fn is_null(&self) -> bool {
        self.json == "null"
    }

    pub(super) fn is_empty_list(&self) -> bool {
        serde_json::from_str::<[(); 0]>(self.json).is_ok()
    }

    /// A text, or a number as its digits: `"months": 7` needs no quotes.
    pub(super) fn text(&self, example: &str) -> Result<String, ContractError> {
        if self
            .json
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
        {
            return Ok(self.json.to_owned());
        }
        serde_json::from_str(self.json)
            .map_err(|_| self.refused(format_args!("a text such as {example}")))
    }

    pub(super) fn label(&self) -> Result<Label, ContractError> {
        let text: Option<String> = serde_json::from_str(self.json).ok();
        let label = text.and_then(|text| Label::new(&text).ok());
        label.ok_or_else(|| {
            self.refused(
                "a text of 1 to 64 bytes without control characters, such as \"Day and night\"",
            )
        })
    }

    /// One of an enum's words.
    pub(super) fn word<T: FromStr<Err = UnknownWord>>(&self) -> Result<T, ContractError> {
        let text: String = serde_json::from_str(self.json).unwrap_or_default();
        text.parse()
            .map_err(|UnknownWord { expected }| self.refused(expected))
    }

    pub(super) fn flag(&self) -> Result<bool, ContractError> {
        serde_json::from_str(self.json).map_err(|_| self.refused("true or false"))
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(&self, least: u8, most: u8) -> Result<u8, ContractError> {
        let number = serde_json::from_str(self.json).ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            self.refused(format_args!(
                "a whole number from {least} to {most}, such as {least}"
            ))
        })
    }

    /// An amount per unit, in either direction.
    pub(super) fn price(&self) -> Result<Decimal, ContractError> {
        self.decimal().ok_or_else(|| {
            self.refused(
                "a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215",
            )
        })
    }

    /// The factor of prices.
    pub(super) fn factor(&self) -> Result<Decimal, ContractError> {
        self.decimal().ok_or_else(|| {
            self.refused("a factor from -999999.999999 to 999999.999999 with up to six decimals, such as 1.21")
        })
    }

    /// A percentage.
    pub(super) fn percent(&self) -> Result<Percent, ContractError> {
        let percent = Percent::parse(self.bare());
        percent.map_err(|_| {
            self.refused(
                "a percentage from 0 to 999999.99999999 with up to eight decimals, such as 19",
            )
        })
    }

    /// A decimal that is not negative; `what` is the expected form, with an example.
    pub(super) fn not_negative(&self, what: &str) -> Result<Decimal, ContractError> {
        let decimal = self.decimal().filter(|decimal| *decimal >= Decimal::ZERO);
        decimal.ok_or_else(|| self.refused(what))
    }

    /// An energy of more than nothing.
    pub(super) fn kilowatthours(&self) -> Result<Decimal, ContractError> {
        let expected =
            "more than 0 and at most 999999.999999 kWh, with up to six decimals, such as 200";
        let kwh = self.not_negative(expected)?;
        if kwh == Decimal::ZERO {
            return Err(self.refused(expected));
        }
        Ok(kwh)
    }

    /// The decimal of a JSON number, or of a text with one, by its digits: a binary number would
    /// not have all of them.
    fn decimal(&self) -> Option<Decimal> {
        Decimal::parse_price(self.bare()).ok()
    }

    /// The digits of a number, or of a text that contains one.
    fn bare(&self) -> &'a str {
        let bare = self.json.strip_prefix('"');
        let bare = bare.and_then(|json| json.strip_suffix('"'));
        bare.unwrap_or(self.json)
    }
}

impl<'a> Fields<'a> {
    /// Refuses a member that is not among `known`, and names the one that is most like it.
    pub(super) fn check_known(&self, known: &[&str]) -> Result<(), ContractError> {
        let Some((name, _)) = self
            .members
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()))
        else {
            return Ok(());
        };
        let likeness = |other: &str| strsim::jaro_winkler(other, name);
        let closest = known
            .iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let hint = match closest {
            Some(closest) if likeness(closest) > 0.8 => format!("did you mean {closest}?"),
            _ => format!("expected {}", known.join(", ")),
        };
        let shown = shortened(name, 40);
        Err(ContractError::new(
            self.place_of(&shown),
            format!("unknown here; {hint}"),
        ))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(other, _)| other == name)
    }

    pub(super) fn get(&self, name: &str) -> Option<Node<'a>> {
        let (_, json) = self.members.iter().find(|(other, _)| other == name)?;
        Some(Node {
            place: self.place_of(name),
            json: json.get(),
        })
    }

    /// A member that must be there.
    pub(super) fn need(&self, name: &str, example: &str) -> Result<Node<'a>, ContractError> {
        self.get(name).ok_or_else(|| {
            ContractError::new(
                self.place_of(name),
                format!("it is missing; expected such as {example}"),
            )
        })
    }

    /// The error for a member with another form than expected.
    pub(super) fn refused(&self, name: &str, expected: &str) -> ContractError {
        ContractError::new(self.place_of(name), format!("expected {expected}"))
    }

    /// The name of a component, and whether it continues the one of the contract before, as far as
    /// they are there.
    pub(super) fn heading(&self) -> Result<Heading, ContractError> {
        let name = self.get("name").map(|node| node.label()).transpose()?;
        let continues = self.get("continues").map(|node| node.flag());
        Ok((name, continues.transpose()?))
    }

    /// The names of the members.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    fn place_of(&self, name: &str) -> String {
        if self.place.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.place)
        }
    }
}

/// The members of a JSON object in their order, the same name perhaps twice.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// The beginning of a text, in one line: errors quote the refused text, but not all of a large
/// upload.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let shown = text.chars().take(most);
    let mut shown: String = shown
        .map(|shown| if shown.is_control() { ' ' } else { shown })
        .collect();
    if shown.len() < text.len() {
        shown.push_str("..");
    }
    shown
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An object of values that are JSON; absent ones are left out.
pub(super) fn object<const N: usize>(all: [(&str, Option<String>); N]) -> String {
    members(all.into_iter())
}

/// Formats any number of members.
pub(super) fn members<'a>(all: impl Iterator<Item = (&'a str, Option<String>)>) -> String {
    let members = all.filter_map(|(name, value)| Some(format!("\"{name}\":{}", value?)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// A list of values that are JSON.
pub(super) fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}
