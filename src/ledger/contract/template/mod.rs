//! Templates of contracts: the tariffs in the folder `contracts`.
//!
//! - `param`: the values that a household fills in; `value`: what is typed for them; `fill`: a template with them becomes a contract;
//!   `answer`: both for the API and the commands

mod answer;
mod fill;
mod param;
mod value;

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use self::answer::TariffAnswer;
pub use self::fill::{TariffError, TariffFault, TariffStart};
pub use self::param::{ParamKind, ParamSource, TariffParam};
use super::Contract;
use super::country::Country;
use crate::domain::LocalDate;
use crate::domain::words::words;

/// One file for each tariff, such as `be-capacity.json`.
static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/contracts");

static ALL: LazyLock<Vec<ContractTemplate>> = LazyLock::new(|| {
    let files = FILES.files().filter_map(|file| {
        let id = file.path().to_str()?.strip_suffix(".json")?;
        // A test reads all of them.
        let template: TemplateFile = serde_json::from_str(file.contents_utf8()?).ok()?;
        let contract = Contract::parse(template.contract.get()).ok()?;
        Some(ContractTemplate {
            id,
            file: template,
            contract,
        })
    });
    let mut all: Vec<ContractTemplate> = files.collect();
    all.sort_by(|a, b| a.id.cmp(b.id));
    all
});

/// A tariff with a contract to start from.
#[derive(Debug)]
pub struct ContractTemplate {
    id: &'static str,
    file: TemplateFile,
    contract: Contract,
}

/// The kind of a tariff, for people to choose by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateKind {
    /// One price.
    Flat,
    /// Prices by hours and days.
    TimeOfUse,
    /// Prices by the energy drawn so far.
    Tiers,
    /// Market prices.
    Series,
    /// A price for the highest power.
    Demand,
    /// Drawn and fed-in energy are netted.
    NetMetering,
    /// A price for energy that is fed in.
    Export,
    /// Any other kind, such as a price for each meter.
    Other,
}

words! {
    TemplateKind: Flat "flat", TimeOfUse "time-of-use", Tiers "tiers", Series "series",
    Demand "demand", NetMetering "net-metering", Export "export", Other "other";
    "flat, time-of-use, tiers, series, demand, net-metering, export or other"
}

/// A file of the folder; `contracts/README.md` describes it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TemplateFile {
    country: Country,
    name: String,
    kind: TemplateKind,
    about: String,
    #[serde(skip_serializing)]
    source: TemplateSource,
    #[serde(default, skip_serializing)]
    params: Vec<TariffParam>,
    needs: Vec<String>,
    #[serde(skip_serializing)]
    contract: Box<RawValue>,
}

/// The source of a template's structure and prices.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSource {
    /// The title of the document.
    pub title: String,
    /// The publisher.
    pub publisher: String,
    /// Its address.
    pub url: String,
    /// The date of publication, if known.
    #[serde(default)]
    pub published: Option<String>,
    /// The date when it was read.
    pub seen: String,
}

impl ContractTemplate {
    /// All templates, by country.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The template with an id.
    #[must_use]
    pub fn with_id(id: &str) -> Option<&'static Self> {
        ALL.iter().find(|template| template.id == id)
    }

    /// The name of its file, such as `be-capacity`.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Its country.
    #[must_use]
    pub const fn country(&self) -> Country {
        self.file.country
    }

    /// Its title, in English.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> TemplateKind {
        self.file.kind
    }

    /// A description: the tariff, its customers, and the values to fill in.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.file.about
    }

    /// The source of its structure and prices.
    #[must_use]
    pub const fn source(&self) -> &TemplateSource {
        &self.file.source
    }

    /// The values that a household fills in.
    #[must_use]
    pub fn params(&self) -> &[TariffParam] {
        &self.file.params
    }

    /// The places in the contract that everybody has to fill in: those of values that each household
    /// has for itself.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        let own = self.file.params.iter().filter(|param| param.is_own());
        own.flat_map(TariffParam::places)
    }

    /// Requirements besides the meter at the grid, such as a sensor or a price series.
    #[must_use]
    pub fn needs(&self) -> &[String] {
        &self.file.needs
    }

    /// The contract.
    #[must_use]
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The contract, starting on another day.
    #[must_use]
    pub fn contract_from(&self, from: LocalDate) -> Contract {
        Contract {
            from,
            ..self.contract.clone()
        }
    }
}

#[cfg(test)]
mod tests;
