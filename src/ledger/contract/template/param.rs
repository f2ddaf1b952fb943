//! What a household knows about its tariff: the values that a form asks for, and where each goes in
//! the template's contract. `contracts/README.md` describes the fields.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::domain::words::words;
use crate::domain::{Currency, Decimal};
use crate::ledger::contract::Period;

/// A value of a tariff as a household knows it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TariffParam {
    name: String,
    label: String,
    #[serde(default)]
    help: String,
    kind: ParamKind,
    #[serde(default, skip_serializing)]
    hundredths: String,
    #[serde(default, deserialize_with = "period", skip_serializing)]
    per: Option<Period>,
    #[serde(default, skip_serializing)]
    own: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    usual: Option<[DecimalText; 2]>,
    #[serde(default)]
    options: Vec<ParamOption>,
    #[serde(default)]
    sources: Vec<ParamSource>,
    #[serde(skip_serializing)]
    pub(super) path: Vec<ParamPath>,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParamOption {
    /// The word that stands for it.
    pub value: String,
    /// Its text, in English.
    pub label: String,
    /// What goes to each path.
    #[serde(skip_serializing)]
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

impl Serialize for DecimalText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl Serialize for ParamSource {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.word())
    }
}

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
    pub(super) fn number(&self, value: Decimal) -> Option<Decimal> {
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
    pub(super) fn value(&self, number: Decimal) -> Option<Decimal> {
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
}
