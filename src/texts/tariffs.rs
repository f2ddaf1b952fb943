//! The texts of tariffs: templates of contracts are written in English, and each other language has
//! a file `web/texts/tariffs/TAG.json` with the English text of each and its own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use super::Language;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/web/texts/tariffs");

/// The texts by language and by their English ones.
static ALL: LazyLock<BTreeMap<String, BTreeMap<String, String>>> = LazyLock::new(|| {
    let files = FILES.files().filter_map(|file| {
        let tag = file.path().file_stem()?.to_str()?.to_owned();
        // A test reads all of them.
        let texts = serde_json::from_str(file.contents_utf8()?).ok()?;
        Some((tag, texts))
    });
    files.collect()
});

impl Language {
    /// A text of a tariff: the one in this language, else the English one.
    #[must_use]
    pub fn tariff<'a>(&self, english: &'a str) -> &'a str
    where
        Self: 'a,
    {
        let found = ALL.get(self.tag()).and_then(|texts| texts.get(english));
        found.map_or(english, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tariffs_have_texts_in_other_languages() {
        let german = Language::of_tag("de").unwrap();
        assert_eq!(german.tariff("Contracted power"), "Vereinbarte Leistung");
        assert_eq!(german.tariff("unheard of"), "unheard of");
        assert_eq!(Language::english().tariff("VAT"), "VAT");
    }
}
