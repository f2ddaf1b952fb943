//! Templates of contracts: the tariffs in the folder `contracts`, each with a contract to start
//! from.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde_json::value::RawValue;

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

/// A tariff, and a contract to start from.
#[derive(Debug)]
pub struct ContractTemplate {
    id: &'static str,
    file: TemplateFile,
    contract: Contract,
}

/// The kind of a tariff: what people choose by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateKind {
    /// One price.
    Flat,
    /// Prices by hours and days.
    TimeOfUse,
    /// Prices by the energy drawn so far.
    Tiers,
    /// The prices of a market.
    Series,
    /// A price for the highest power.
    Demand,
    /// Drawn and fed-in energy are netted.
    NetMetering,
    /// A price for energy that is fed in.
    Export,
    /// Another, such as a price for each meter.
    Other,
}

words! {
    TemplateKind: Flat "flat", TimeOfUse "time-of-use", Tiers "tiers", Series "series",
    Demand "demand", NetMetering "net-metering", Export "export", Other "other";
    "flat, time-of-use, tiers, series, demand, net-metering, export or other"
}

/// A file of the folder, as `contracts/README.md` describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateFile {
    country: Country,
    name: String,
    kind: TemplateKind,
    about: String,
    source: TemplateSource,
    placeholders: Vec<String>,
    needs: Vec<String>,
    contract: Box<RawValue>,
}

/// Where a template's structure and prices come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSource {
    /// The title of the document.
    pub title: String,
    /// Who published it.
    pub publisher: String,
    /// Its address.
    pub url: String,
    /// When it was published, if that is known.
    #[serde(default)]
    pub published: Option<String>,
    /// The date when it was read.
    pub seen: String,
}

impl ContractTemplate {
    /// All of them, by country.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The one with this id.
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

    /// What it is, for whom, and what to fill in.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.file.about
    }

    /// Where its structure and prices come from.
    #[must_use]
    pub const fn source(&self) -> &TemplateSource {
        &self.file.source
    }

    /// The places in the contract that everybody has to fill in.
    #[must_use]
    pub fn placeholders(&self) -> &[String] {
        &self.file.placeholders
    }

    /// What the account needs besides the meter at the grid.
    #[must_use]
    pub fn needs(&self) -> &[String] {
        &self.file.needs
    }

    /// Its contract.
    #[must_use]
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Its contract from another day on.
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
