//! A language and its texts.

use std::fmt;
use std::iter::once;
use std::sync::{Arc, LazyLock};

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use include_dir::{Dir, include_dir};

use super::region::Region;
use crate::domain::WeekStart;

/// A value in a text: a number, which also chooses between singular and plural, or a text.
pub use fluent_bundle::FluentValue as TextValue;

/// One file for each language, such as `de.ftl`.
static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/web/texts");

/// The language of those who ask for none that is there, and of all that is no page.
static ENGLISH: LazyLock<Language> = LazyLock::new(|| {
    let texts = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/texts/en.ftl"));
    Language::new(ENGLISH_TAG, texts)
});

const ENGLISH_TAG: &str = "en";

/// The other languages, by tag.
static OTHERS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let others = FILES.files().filter_map(|file| {
        let tag = file.path().file_stem()?.to_str()?;
        (tag != ENGLISH_TAG).then_some(Language::new(tag, file.contents_utf8()?))
    });
    let mut others: Vec<Language> = others.collect();
    others.sort_by(|a, b| a.tag.cmp(&b.tag));
    others
});

/// Each language in each region.
static IN_REGIONS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let of = |language: &'static Language| Region::ALL.map(|region| language.within(region));
    Language::all().flat_map(of).collect()
});

/// A language, with all texts of the pages, as it is written in a region or everywhere.
pub struct Language {
    tag: String,
    region: Option<Region>,
    /// Read when the first one is asked for: most households read one language.
    texts: Arc<LazyLock<Texts, Box<dyn FnOnce() -> Texts + Send>>>,
}

/// All texts of a language.
type Texts = FluentBundle<FluentResource>;

impl Language {
    fn new(tag: &str, file: &'static str) -> Self {
        let of = tag.to_owned();
        Self {
            tag: tag.to_owned(),
            region: None,
            texts: Arc::new(LazyLock::new(Box::new(move || texts_of(&of, file)))),
        }
    }

    fn within(&self, region: Region) -> Self {
        Self {
            tag: self.tag.clone(),
            region: Some(region),
            texts: Arc::clone(&self.texts),
        }
    }

    /// The same language as it is written in a region; without one, as it is usual.
    #[must_use]
    pub fn in_region(&self, region: Option<Region>) -> &'static Self {
        let mut all = Self::all().chain(IN_REGIONS.iter());
        let found = all.find(|it| it.tag == self.tag && it.region == region);
        found.unwrap_or(Self::english())
    }

    /// The region that it is written in.
    #[must_use]
    pub const fn region(&self) -> Option<Region> {
        self.region
    }

    /// The first day of a week.
    #[must_use]
    pub fn week_start(&self) -> WeekStart {
        self.region.map(Region::week_start).unwrap_or_default()
    }

    /// The tag for browsers, so that they write dates and numbers in the same way: `de-AT`.
    #[must_use]
    pub fn locale(&self) -> String {
        self.region.map_or_else(
            || self.say("date-locale"),
            |region| format!("{}-{}", self.tag, region.as_str()),
        )
    }

    /// All languages, English first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        once(Self::english()).chain(OTHERS.iter())
    }

    /// English, also the language of the API and the commands.
    #[must_use]
    pub fn english() -> &'static Self {
        &ENGLISH
    }

    /// The language of a tag, such as `de`.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<&'static Self> {
        Self::all().find(|language| language.tag.eq_ignore_ascii_case(tag))
    }

    /// The language that suits a browser's `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.5`;
    /// English if none does.
    #[must_use]
    pub fn accepted(header: &str) -> &'static Self {
        let mut best = (0.0, Self::english());
        for range in header.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            let weight: f64 = weight.map_or(1.0, |text| text.parse().unwrap_or(0.0));
            // German as in Austria is German.
            let whole = tag.split('-').next().unwrap_or_default();
            let language = Self::of_tag(tag).or_else(|| Self::of_tag(whole));
            // Of equal weight, the first one.
            if let Some(language) = language.filter(|_| weight > best.0) {
                best = (weight, language);
            }
        }
        best.1
    }

    /// Its tag, such as `de`.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The text of this name.
    #[must_use]
    pub fn say(&self, name: &str) -> String {
        self.filled(name, None)
    }

    /// The text of this name with values in it, each by its own name.
    #[must_use]
    pub fn fill<'a>(&self, name: &str, values: impl AsRef<[(&'a str, TextValue<'a>)]>) -> String {
        let values: FluentArgs<'a> = values.as_ref().iter().cloned().collect();
        self.filled(name, Some(&values))
    }

    /// The text of a word: with `role` and the word `grid` the one of `role-grid`. To be called as
    /// `word("role", Role::as_str(role))`, so that a test sees which words there are.
    #[must_use]
    pub fn word(&self, of: &str, word: &str) -> String {
        self.say(&format!("{of}-{word}"))
    }

    fn filled(&self, name: &str, values: Option<&FluentArgs<'_>>) -> String {
        let text = self.texts.get_message(name).and_then(|text| text.value());
        // Tests find names without a text and texts without their values.
        text.map_or_else(
            || name.to_owned(),
            |text| {
                let filled = self.texts.format_pattern(text, values, &mut Vec::new());
                filled.into_owned()
            },
        )
    }
}

fn texts_of(tag: &str, file: &str) -> Texts {
    // A test refuses files with errors and names that are no tags.
    let (Ok(texts) | Err((texts, _))) = FluentResource::try_new(file.to_owned());
    let mut bundle = FluentBundle::new_concurrent(vec![tag.parse().unwrap_or_default()]);
    // Else each value would stand between two characters that no reader sees, and that copying
    // takes along.
    bundle.set_use_isolating(false);
    bundle.add_resource_overriding(texts);
    bundle
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Language").field(&self.tag).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_chooses() {
        for (header, tag) in [
            ("", "en"),
            ("de", "de"),
            ("DE-at", "de"),
            ("de-AT,de;q=0.9,en;q=0.5", "de"),
            ("en-GB, de;q=0.9", "en"),
            ("sv, tlh;q=0.9, de;q=0.3, en;q=0.2", "de"),
            ("fr-BE,fr;q=0.9,nl;q=0.8", "fr"),
            ("nl, en;q=0.5", "nl"),
            ("de;q=0.2, en ; q=0.3", "en"),
            ("de;q=0, *", "en"),
            ("de;q=NaN", "en"),
            (";;,,q=", "en"),
        ] {
            assert_eq!(Language::accepted(header).tag(), tag, "{header}");
        }
        assert_eq!(Language::all().next().map(Language::tag), Some("en"));
        assert!(Language::of_tag("../de").is_none());
    }

    #[test]
    fn texts_have_values() {
        let english = Language::new(
            "en",
            "a = A { $x }\nb = { $n ->\n  [one] one\n *[other] { $n }\n }\nc-d = D",
        );
        assert_eq!(english.fill("a", [("x", "<b>".into())]), "A <b>");
        assert_eq!(english.fill("b", [("n", 1.into())]), "one");
        assert_eq!(english.fill("b", [("n", 12_345.into())]), "12345");
        assert_eq!(english.word("c", "d"), "D");
        assert_eq!(english.say("missing"), "missing");
    }
}
