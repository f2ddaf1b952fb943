//! The known sources: the files in the folder `price-sources`. Adding a source means adding a file.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use toml::Table;

use super::fields::{FormError, FormFieldReader, wrong};
use super::form::SourceForm;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/price-sources");

static ALL: LazyLock<Vec<KnownSource>> = LazyLock::new(|| {
    let files = FILES.files().filter_map(|file| {
        let id = file.path().to_str()?.strip_suffix(".toml")?;
        // A test reads all of them.
        KnownSource::read(id, file.contents_utf8()?.parse().ok()?).ok()
    });
    let mut all: Vec<KnownSource> = files.collect();
    all.sort_by(|a, b| a.id.cmp(b.id));
    all
});

/// A source that many people use.
#[derive(Debug, PartialEq)]
pub struct KnownSource {
    id: &'static str,
    name: String,
    table: Table,
}

/// Fields that a file has in addition to those of a [`SourceForm`].
const OWN_FIELDS: [&str; 2] = ["name", "document"];

impl KnownSource {
    /// All of them, by id.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The source with an id.
    #[must_use]
    pub fn with_id(id: &str) -> Option<&'static Self> {
        ALL.iter().find(|source| source.id == id)
    }

    /// The name of its file, such as `energy-charts`.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Its name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its form with these fields instead of its own.
    ///
    /// # Errors
    /// A [`FormError`] that names the wrong field.
    pub fn form_with(&self, changed: &Table) -> Result<SourceForm, FormError> {
        let mut table = self.table.clone();
        table.extend(changed.clone());
        SourceForm::read(&table)
    }

    fn read(id: &'static str, table: Table) -> Result<Self, FormError> {
        SourceForm::read(&table)?;
        let fields = FormFieldReader(&table);
        let name = fields.text("name", "a text")?.unwrap_or_default();
        let is_known = |field: &String| {
            OWN_FIELDS.contains(&field.as_str()) || SourceForm::FIELDS.contains(&field.as_str())
        };
        if name.is_empty() || !table.keys().all(is_known) {
            return Err(wrong("name", "a name, and known fields"));
        }
        let name = name.to_owned();
        Ok(Self { id, name, table })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_valid_and_has_a_public_document() {
        let files = FILES.files().filter(|file| {
            file.path()
                .extension()
                .is_some_and(|ending| ending == "toml")
        });
        let mut count = 0;
        for file in files {
            let path = file.path().display();
            let id = file.path().file_stem().unwrap().to_str().unwrap();
            let table: Table = file.contents_utf8().unwrap().parse().unwrap();
            let document = table["document"].as_str().unwrap();
            assert!(document.starts_with("https://"), "{path}");
            let source = KnownSource::read(id, table);
            let source = source.unwrap_or_else(|error| panic!("{path}: {error}"));
            let form = source.form_with(&Table::new()).unwrap();
            assert!(form.url.is_encrypted(), "{path}");
            assert!(
                form.token_url.is_none_or(|url| url.is_encrypted()),
                "{path}"
            );
            count += 1;
        }
        assert_eq!(KnownSource::all().len(), count);
        assert!(count >= 7, "{count}");
    }

    #[test]
    fn fields_of_the_settings_replace_those_of_the_file() {
        let known = KnownSource::with_id("awattar-de").unwrap();
        let changed: Table = "url = \"https://mirror.example/{from}\"".parse().unwrap();
        let form = known.form_with(&changed).unwrap();
        assert_eq!(form.url.server(), "https://mirror.example");
        let own = known.form_with(&Table::new()).unwrap();
        assert_eq!(form.content, own.content);
        let wrong: Table = "unit = \"EUR\"".parse().unwrap();
        assert_eq!(known.form_with(&wrong).unwrap_err().field, "unit");
    }
}
