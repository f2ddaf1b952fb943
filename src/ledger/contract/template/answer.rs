//! A template as the API and the commands answer it.

use serde::Serialize;

use super::param::TariffParam;
use super::{ContractTemplate, TemplateFile, TemplateSource};

/// A tariff that a contract can start from. Texts are in English.
#[derive(Debug, Serialize)]
pub struct TariffAnswer {
    template: &'static str,
    #[serde(flatten)]
    file: &'static TemplateFile,
    currency: &'static str,
    placeholders: Vec<&'static str>,
    source: &'static str,
    /// The values that a household fills in.
    pub params: Vec<ParamAnswer>,
}

/// A value of a tariff.
#[derive(Debug, Serialize)]
pub struct ParamAnswer {
    /// Its texts, its kind and what it is chosen from.
    #[serde(flatten)]
    pub param: &'static TariffParam,
    /// The unit of a number, else empty.
    pub unit: String,
    /// Whether it has to be filled in.
    pub needed: bool,
    /// The value that it has otherwise; null if there is none.
    pub value: Option<String>,
    /// A value such as it may have.
    pub example: Option<String>,
}

impl TariffAnswer {
    /// The answer about a template.
    #[must_use]
    pub fn of(template: &'static ContractTemplate) -> Self {
        let params = template.params().iter();
        Self {
            template: template.id(),
            file: &template.file,
            currency: template.contract().currency().as_str(),
            placeholders: template.placeholders().collect(),
            source: source(template.source()),
            params: params.map(|param| answer(template, param)).collect(),
        }
    }

    /// Its name in commands and requests, its country, its kind and its title.
    #[must_use]
    pub fn title(&self) -> [&str; 4] {
        let file = self.file;
        let (country, kind) = (file.country.as_str(), file.kind.as_str());
        [self.template, country, kind, &file.name]
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
    ParamAnswer {
        param,
        unit: param.unit(template.contract().currency()),
        needed: param.is_own(),
        value: template.initial(param),
        example: template.example(param),
    }
}
