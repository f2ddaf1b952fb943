//! A template as the API and the commands answer it.

use serde::Serialize;

use super::param::{ParamOption, ParamSource, TariffParam};
use super::{ContractTemplate, TemplateSource};

/// A tariff that a contract can start from. Texts are in English.
#[derive(Debug, Serialize)]
pub struct TariffAnswer {
    /// Its name in commands and requests.
    pub template: &'static str,
    /// The two letters of its country.
    pub country: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its title.
    pub name: &'static str,
    about: &'static str,
    /// The currency of its contract.
    pub currency: &'static str,
    needs: &'static [String],
    placeholders: Vec<&'static str>,
    source: &'static str,
    /// The values that a household fills in.
    pub params: Vec<ParamAnswer>,
}

/// A value of a tariff.
#[derive(Debug, Serialize)]
pub struct ParamAnswer {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub label: &'static str,
    help: &'static str,
    kind: &'static str,
    /// The unit of a number, else empty.
    pub unit: String,
    /// Whether it has to be filled in.
    pub needed: bool,
    /// The value that it has otherwise; null if there is none.
    pub value: Option<String>,
    /// A value such as it may have.
    pub example: Option<String>,
    usual: Option<[String; 2]>,
    options: Vec<&'static str>,
    sources: Vec<String>,
}

impl TariffAnswer {
    /// The answer about a template.
    #[must_use]
    pub fn of(template: &'static ContractTemplate) -> Self {
        let params = template.params().iter();
        Self {
            template: template.id(),
            country: template.country().as_str(),
            kind: template.kind().as_str(),
            name: template.name(),
            about: template.about(),
            currency: template.contract().currency().as_str(),
            needs: template.needs(),
            placeholders: template.placeholders().collect(),
            source: source(template.source()),
            params: params.map(|param| answer(template, param)).collect(),
        }
    }
}

fn source(source: &'static TemplateSource) -> &'static str {
    if source.url.is_empty() {
        &source.title
    } else {
        &source.url
    }
}

fn answer(template: &'static ContractTemplate, param: &'static TariffParam) -> ParamAnswer {
    let options = param.options().iter();
    ParamAnswer {
        name: param.name(),
        label: param.label(),
        help: param.help(),
        kind: param.kind().as_str(),
        unit: param.unit(template.contract().currency()),
        needed: param.is_own(),
        value: template.initial(param),
        example: template.example(param),
        usual: param.usual().map(|usual| usual.map(|it| it.to_string())),
        options: options.map(|option: &ParamOption| &*option.value).collect(),
        sources: param.sources().iter().map(ParamSource::word).collect(),
    }
}
