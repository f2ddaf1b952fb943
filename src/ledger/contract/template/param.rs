//! What a household knows about its tariff: the values that a form asks for, and where each goes in
//! the template's contract. `contracts/README.md` describes the fields.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::words::words;
use crate::domain::{Currency, Decimal, LocalDate, SensorId};
use crate::ledger::contract::percent::Percent;
use crate::ledger::contract::sets::ClockHours;
use crate::ledger::contract::{Label, Period};

/// A value of a tariff as a household knows it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TariffParam {
    name: String,
    label: String,
    #[serde(default)]
    help: String,
    kind: ParamKind,
    #[serde(default)]
    hundredths: String,
    #[serde(default, deserialize_with = "period")]
    per: Option<Period>,
    #[serde(default)]
    own: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    usual: Option<[DecimalText; 2]>,
    #[serde(default)]
    options: Vec<ParamOption>,
    #[serde(default)]
    sources: Vec<ParamSource>,
    pub(super) path: Vec<ParamPath>,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParamKind {
    /// The price of a kilowatt-hour.
    EnergyPrice,
    /// The price of a period.
    Fee,
    /// The price of a kilowatt.
    PowerPrice,
    /// A percentage.
    Percent,
    /// A power, in kW.
    Power,
    /// An amount of energy, in kWh.
    Energy,
    /// Hours of the day.
    Hours,
    /// One of some options.
    Choice,
    /// A date.
    Date,
    /// A sensor of the house.
    Sensor,
    /// A price series.
    Series,
    /// A day list.
    Days,
}

words! {
    ParamKind: EnergyPrice "energy-price", Fee "fee", PowerPrice "power-price", Percent "percent",
    Power "power", Energy "energy", Hours "hours", Choice "choice", Date "date", Sensor "sensor",
    Series "series", Days "days";
    "energy-price, fee, power-price, percent, power, energy, hours, choice, date, sensor, series or days"
}

/// An option of a choice.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamOption {
    /// The word that stands for it.
    pub value: String,
    /// Its text, in English.
    pub label: String,
    /// What goes to each path.
    pub(super) set: Vec<Value>,
}

/// A source that fills a series or a day list by itself (docs/PRICE-SOURCES.md).
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSource {
    /// Its name.
    pub source: String,
    /// Its zone; empty if it has none.
    #[serde(default)]
    pub zone: String,
}

/// A place in the contract. A number there is the value `times` a factor, `plus` another number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ParamPath {
    Plain(String),
    Scaled {
        at: String,
        times: DecimalText,
        #[serde(default)]
        plus: DecimalText,
    },
}

/// A decimal, written as a text so that no digit is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecimalText(pub(super) Decimal);

impl Default for DecimalText {
    fn default() -> Self {
        Self(Decimal::ZERO)
    }
}

impl<'de> Deserialize<'de> for DecimalText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let decimal = Decimal::parse(&text);
        decimal.map(Self).map_err(serde::de::Error::custom)
    }
}

fn period<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Period>, D::Error> {
    let text = String::deserialize(from)?;
    let period = text.parse::<Period>();
    period.map(Some).map_err(serde::de::Error::custom)
}

const MILLION: i128 = 1_000_000;

impl ParamPath {
    /// Its place, such as `components[0].energy.price`.
    pub(super) fn place(&self) -> &str {
        match self {
            Self::Plain(place) | Self::Scaled { at: place, .. } => place,
        }
    }

    /// The place as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        format!(
            "/{}",
            self.place().replace(['.', '['], "/").replace(']', "")
        )
    }

    /// The number that stands there for a value; `None` if it does not fit.
    fn number(&self, value: Decimal) -> Option<Decimal> {
        let Self::Scaled { times, plus, .. } = self else {
            return Some(value);
        };
        let product = i128::from(value.millionths()) * i128::from(times.0.millionths());
        let half = MILLION / 2 * product.signum();
        let number = (product + half) / MILLION + i128::from(plus.0.millionths());
        let number = i64::try_from(number).ok().map(Decimal::from_millionths);
        number.filter(|number| number.is_price())
    }

    /// The value for a number that stands there.
    fn value(&self, number: Decimal) -> Option<Decimal> {
        let Self::Scaled { times, plus, .. } = self else {
            return Some(number);
        };
        let number = i128::from(number.millionths()) - i128::from(plus.0.millionths());
        let value = (number * MILLION).checked_div(i128::from(times.0.millionths()))?;
        i64::try_from(value).ok().map(Decimal::from_millionths)
    }
}

impl ParamSource {
    /// The way people name it in a command: `energy-charts/DE-LU`.
    #[must_use]
    pub fn word(&self) -> String {
        if self.zone.is_empty() {
            self.source.clone()
        } else {
            format!("{}/{}", self.source, self.zone)
        }
    }

    /// The name of the series or of the day list that it fills.
    #[must_use]
    pub fn series(&self) -> String {
        self.word().replace('/', "-").to_lowercase()
    }
}

impl TariffParam {
    /// Its name, as in a command.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text beside its field, in English.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// A hint, in English; empty if there is none.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> ParamKind {
        self.kind
    }

    /// Hundredths of the currency in which it is typed, such as `ct`; empty for the currency.
    #[must_use]
    pub fn hundredths(&self) -> &str {
        &self.hundredths
    }

    /// The period of a fee, of a price of power or of an amount of energy.
    #[must_use]
    pub const fn per(&self) -> Option<Period> {
        self.per
    }

    /// Whether each household has its own value, which it has to fill in.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        self.own && !self.optional
    }

    /// Whether the contract can do without it.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.optional
    }

    /// The options of a choice.
    #[must_use]
    pub fn options(&self) -> &[ParamOption] {
        &self.options
    }

    /// The sources that can fill the series or the day list.
    #[must_use]
    pub fn sources(&self) -> &[ParamSource] {
        &self.sources
    }

    /// The places of the value in the contract.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.path.iter().map(ParamPath::place)
    }

    /// The usual values, from the least to the most.
    #[must_use]
    pub fn usual(&self) -> Option<[Decimal; 2]> {
        self.usual
            .map(|usual| usual.map(|DecimalText(decimal)| decimal))
    }

    /// Whether it is a number.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        use ParamKind::{Energy, EnergyPrice, Fee, Percent, Power, PowerPrice};
        matches!(
            self.kind,
            EnergyPrice | Fee | PowerPrice | Percent | Power | Energy
        )
    }

    /// A typed number, without the digits that only percentages have.
    pub(super) fn size(&self, typed: &str) -> Option<Decimal> {
        let end = typed
            .find('.')
            .map_or(typed.len(), |at| typed.len().min(at + 7));
        let number = typed.get(..end).filter(|_| self.is_number())?;
        Decimal::parse(number).ok()
    }

    /// The unit of a number, with words in English: `ct/kWh`, `EUR a month`.
    #[must_use]
    pub fn unit(&self, currency: &Currency) -> String {
        let money = if self.hundredths.is_empty() {
            currency.as_str()
        } else {
            &self.hundredths
        };
        let per = self.per.map_or("", Period::as_str);
        let per = match per {
            "" => String::new(),
            "billing" => " a billing period".to_owned(),
            per => format!(" a {per}"),
        };
        match self.kind {
            ParamKind::EnergyPrice => format!("{money}/kWh"),
            ParamKind::Fee => format!("{money}{per}"),
            ParamKind::PowerPrice => format!("{money}/kW{per}"),
            ParamKind::Percent => "%".to_owned(),
            ParamKind::Power => "kW".to_owned(),
            ParamKind::Energy => format!("kWh{per}"),
            _ => String::new(),
        }
    }

    /// The source with this word: `energy-charts/DE-LU`.
    #[must_use]
    pub fn source(&self, word: &str) -> Option<&ParamSource> {
        self.sources.iter().find(|source| source.word() == word)
    }

    /// The value that stands in the contract, as people type it, with a decimal point.
    pub(super) fn value_in(&self, contract: &Value) -> Option<String> {
        let first = self.path.first()?;
        let found = contract.pointer(&first.pointer())?;
        let text = match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match self.kind {
            ParamKind::Choice => {
                let mut options = self.options.iter();
                let chosen = options.find(|one| one.set.first() == Some(found))?;
                Some(chosen.value.clone())
            }
            ParamKind::Percent if matches!(first, ParamPath::Plain(_)) => Some(text),
            ParamKind::Days => Some(text.split(':').next()?.to_owned()),
            _ if self.is_number() => {
                let value = first.value(Decimal::parse(&text).ok()?)?;
                let scale = if self.hundredths.is_empty() { 1 } else { 100 };
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
        let text = match self.kind {
            ParamKind::EnergyPrice | ParamKind::Fee | ParamKind::PowerPrice => {
                let price = Decimal::parse_price(typed).ok()?;
                let scale = if self.hundredths.is_empty() { 1 } else { 100 };
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
                let mut options = self.options.iter();
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
        let decimals = if self.hundredths.is_empty() { 6 } else { 4 };
        match self.kind {
            ParamKind::EnergyPrice | ParamKind::Fee | ParamKind::PowerPrice => {
                format!("a price in {unit} with up to {decimals} decimals, such as {example}")
            }
            ParamKind::Percent => format!("a percentage, such as {example}"),
            ParamKind::Power | ParamKind::Energy => {
                format!("a number of {unit} that is not negative, such as {example}")
            }
            ParamKind::Hours => format!("hours such as {example}"),
            ParamKind::Choice => {
                let words = self.options.iter().map(|option| option.value.as_str());
                format!("one of {}", words.collect::<Vec<_>>().join(", "))
            }
            ParamKind::Date => format!("a date such as {example}"),
            ParamKind::Sensor => format!("the id of a sensor, such as {example}"),
            ParamKind::Series | ParamKind::Days => {
                let words = self.sources.iter().map(ParamSource::word);
                let mut words: Vec<String> = words.collect();
                words.push("a name of 1 to 64 bytes".to_owned());
                words.join(", ")
            }
        }
    }
}
