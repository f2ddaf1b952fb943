//! The form that adds a price source.

use toml::{Table, Value};

use crate::config::{ConfigError, NewPriceSource};
use crate::domain::{LocalDate, Secret};
use crate::http::pages::frame::{PageError, Visit};
use crate::price_sources::SourceForm;
use crate::texts::Language;

/// The fields of the form, without the key, which is never sent back.
#[derive(Default)]
pub(in crate::http::pages) struct SourceFields {
    /// The id of a known source; empty for one that `mapping` describes.
    pub(in crate::http::pages) source: String,
    pub(in crate::http::pages) zone: String,
    pub(in crate::http::pages) account: String,
    pub(in crate::http::pages) series: String,
    pub(in crate::http::pages) since: String,
    /// Further lines of the section, as in the configuration file.
    pub(in crate::http::pages) mapping: String,
    pub(in crate::http::pages) key: Secret,
}

/// The longest text of `mapping`, in bytes.
const LONGEST_MAPPING: usize = 4_096;

impl SourceFields {
    /// The fields as the page shows them.
    pub(in crate::http::pages) fn shown(visit: &Visit) -> Result<Self, PageError> {
        if visit.is_again() {
            return Self::typed(visit);
        }
        Ok(Self {
            source: "energy-charts".to_owned(),
            account: visit.param("account")?,
            series: "day-ahead".to_owned(),
            ..Self::default()
        })
    }

    /// The fields as they were typed.
    pub(in crate::http::pages) fn typed(visit: &Visit) -> Result<Self, PageError> {
        Ok(Self {
            source: visit.trimmed("source")?,
            zone: visit.trimmed("zone")?,
            account: visit.trimmed("account")?,
            series: visit.trimmed("series")?,
            since: visit.trimmed("since")?,
            mapping: visit.trimmed("mapping")?,
            key: Secret::new(visit.trimmed("key")?),
        })
    }

    /// The source to be added.
    pub(in crate::http::pages) fn source(
        self,
        language: &Language,
    ) -> Result<NewPriceSource, PageError> {
        let mut section = self.mapping_table(language)?;
        let since = match self.since.as_str() {
            "" => String::new(),
            typed => LocalDate::typed(typed)
                .map_err(|_| PageError::mistake("sources-wrong-since", "since"))?
                .to_string(),
        };
        let texts = [
            ("source", self.source),
            ("zone", self.zone),
            ("account", self.account),
            ("series", self.series),
            ("since", since),
        ];
        for (name, text) in texts {
            if !text.is_empty() {
                section.insert(name.to_owned(), Value::String(text));
            }
        }
        let key = self.key;
        Ok(NewPriceSource { section, key })
    }

    /// The lines of `mapping`. A place of a key is none of them: a page must not send files of this
    /// machine elsewhere.
    fn mapping_table(&self, language: &Language) -> Result<Table, PageError> {
        let wrong = |field: &str| wrong_line(field, language);
        if self.mapping.len() > LONGEST_MAPPING {
            return Err(PageError::mistake("sources-wrong-mapping", "mapping"));
        }
        let table: Result<Table, _> = self.mapping.parse();
        let table = table.map_err(|_| PageError::mistake("sources-wrong-mapping", "mapping"))?;
        let is_known = |name: &str| name == "allow_private" || SourceForm::FIELDS.contains(&name);
        match table.keys().find(|name| !is_known(name)) {
            Some(unknown) => Err(wrong(unknown)),
            None => Ok(table),
        }
    }
}

/// The reason why a source of the form cannot be one, at its field.
pub(in crate::http::pages) fn wrong(error: &ConfigError, language: &Language) -> PageError {
    let name = match error {
        ConfigError::Invalid { key, .. } => key.rsplit('.').next().unwrap_or_default(),
        _ => "",
    };
    match name {
        "source" => PageError::mistake("sources-no-source", "source"),
        "zone" => PageError::mistake("sources-wrong-zone", "zone"),
        "account" => PageError::mistake("sources-no-account", "account"),
        "series" => PageError::mistake("sources-wrong-series", "series"),
        "since" => PageError::mistake("sources-wrong-since", "since"),
        "key_file" => PageError::mistake("sources-no-key", "key"),
        field => wrong_line(field, language),
    }
}

fn wrong_line(field: &str, language: &Language) -> PageError {
    let values = [("field", field.to_owned().into())];
    PageError::form("mapping", language.fill("sources-wrong-line", values))
}
