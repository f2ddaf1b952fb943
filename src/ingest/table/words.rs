//! The meanings of column names, in several languages: the lists of `imports/words.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::unit::SeriesUnit;

/// The lists by meaning; each word belongs to one of the file's languages.
const WORDS: &str = include_str!("../../../imports/words.toml");
/// The minimum length of a word that may be part of a longer word, as in `Energieverbrauch`.
const PART: usize = 6;

/// A meaning of a column.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Meaning {
    /// The beginning of an interval, and its end.
    Start,
    End,
    /// A date, a time of day, or both.
    Date,
    Clock,
    Time,
    /// The length of intervals.
    Length,
    /// Energy of an interval; a meter's register; power.
    Energy,
    Register,
    Power,
    /// The unit of the row's value.
    Unit,
    /// Energy to the grid, whose sign may be negative.
    Export,
    /// The name of a row with sums.
    Sum,
    /// Money, even if the name also contains a word for energy.
    Money,
}

type Lists = BTreeMap<Meaning, Vec<Vec<String>>>;

fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| {
        let by_language: BTreeMap<Meaning, BTreeMap<String, Vec<String>>> =
            toml::from_str(WORDS).unwrap_or_default();
        let phrases = by_language.into_iter().map(|(meaning, languages)| {
            let words = languages.into_values().flatten();
            (meaning, words.map(|word| tokens(&word)).collect())
        });
        phrases.collect()
    })
}

/// The words of a name, in lower case.
fn tokens(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_alphanumeric() && !matches!(c, '€' | '£' | '$'));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether the name of a column has a meaning.
pub(crate) fn means(name: &str, meaning: Meaning) -> bool {
    let tokens = tokens(&spaced(name));
    let is_word = |word: &String, token: &String| {
        word == token
            || (word.chars().count() >= PART
                && (token.starts_with(word.as_str()) || token.ends_with(word.as_str())))
    };
    let phrases = lists().get(&meaning).map(Vec::as_slice).unwrap_or_default();
    phrases.iter().any(|phrase| {
        // A word of two letters, such as `de` or `do`, only counts at the end.
        let is_short = phrase.iter().all(|word| word.chars().count() <= 2);
        let skipped = if is_short {
            tokens.len().saturating_sub(phrase.len())
        } else {
            0
        };
        let mut windows = tokens.windows(phrase.len().max(1)).skip(skipped);
        windows.any(|window| {
            window
                .iter()
                .zip(phrase)
                .all(|(token, word)| is_word(word, token))
        })
    })
}

/// The number of known words in a text that have letters beyond ASCII.
pub(crate) fn known_words(text: &str) -> usize {
    const MOST: usize = 2_000;
    let tokens = tokens(text).into_iter().take(MOST);
    let is_known = |token: &String| {
        let words = lists().values().flatten().flatten();
        let mut words = words.filter(|word| !word.is_ascii());
        words.any(|word| token == word || (word.chars().count() >= PART && token.contains(word)))
    };
    tokens
        .filter(|token| !token.is_ascii())
        .filter(is_known)
        .count()
}

/// Splits a name such as `consumptionUnit` into words.
fn spaced(name: &str) -> String {
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut was_small = false;
    for c in name.chars() {
        if was_small && c.is_uppercase() {
            spaced.push(' ');
        }
        was_small = c.is_lowercase();
        spaced.push(c);
    }
    spaced
}

/// Units that are written out.
const SPELLED: [(&str, &str); 8] = [
    ("kilowatt-hours", "kwh"),
    ("kilowatt hours", "kwh"),
    ("kilowatthours", "kwh"),
    ("kilowattstunden", "kwh"),
    ("kilowattuur", "kwh"),
    ("kilowatts", "kw"),
    ("watt_hours", "wh"),
    ("watt-hours", "wh"),
];

/// The unit of power or energy in a name, such as `Verbrauch [kWh]` or `usage_kwh`; `None` for money.
pub(crate) fn unit_in(name: &str) -> Option<&'static str> {
    const UNITS: [&str; 9] = ["kWh", "Wh", "MWh", "kW", "W", "MW", "GWh", "kVArh", "kvar"];
    if means(name, Meaning::Money) {
        return None;
    }
    let mut name = name.to_lowercase();
    for (long, unit) in SPELLED {
        name = name.replace(long, unit);
    }
    let found = tokens(&name).iter().rev().find_map(|token| {
        UNITS
            .iter()
            .find(|unit| unit.to_lowercase() == *token)
            .copied()
    });
    let unit = found.filter(|unit| SeriesUnit::parse(unit).is_some())?;
    // A price in `ct/kWh`, or a radiation in `W/m²`; but `Verbrauch/kWh` is an energy.
    let (before, after) = name.rsplit_once(&unit.to_lowercase())?;
    let per = before.trim_end().strip_suffix('/').unwrap_or_default();
    let word = per.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next();
    let is_per = (1..=2).contains(&word.unwrap_or_default().chars().count());
    (!is_per && !after.trim_start().starts_with('/')).then_some(unit)
}

/// Whether the name of a column of times says that they are in UTC.
pub(crate) fn says_utc(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_one = |(at, utc): (usize, &str)| {
        let (before, after) = (name.get(..at), name.get(at + utc.len()..));
        let ends = before.is_none_or(|it| !it.ends_with(char::is_alphanumeric));
        // Not `UTC+1`.
        ends && after.is_none_or(|it| {
            !it.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '+' | '-'))
        })
    };
    ["utc", "gmt"]
        .iter()
        .any(|utc| name.match_indices(utc).any(is_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_eleven_languages() {
        assert_eq!(lists().len(), 13, "a list is missing, or the file is wrong");
        for (name, meaning) in [
            ("Date and Time", Meaning::Time),
            ("Startzeit", Meaning::Start),
            ("Zeit von", Meaning::Start),
            ("Ende Ablesezeitraum", Meaning::End),
            ("Energieverbrauch [kWh]", Meaning::Energy),
            ("Zählerstand", Meaning::Register),
            ("Van", Meaning::Start),
            ("Tot", Meaning::End),
            ("Verbruik", Meaning::Energy),
            ("Horodate", Meaning::Time),
            ("Début", Meaning::Start),
            ("Consommation (kWh)", Meaning::Energy),
            ("Fecha", Meaning::Date),
            ("Consumo_kWh", Meaning::Energy),
            ("Ora", Meaning::Clock),
            ("Forbrug", Meaning::Energy),
            ("Förbrukning", Meaning::Energy),
            ("Til", Meaning::End),
            ("Strømforbruk", Meaning::Energy),
            ("Zużycie", Meaning::Energy),
            ("Datum a čas", Meaning::Time),
            ("Spotřeba", Meaning::Energy),
            ("Consumption Cost (GBP)", Meaning::Money),
            ("consumptionUnit", Meaning::Unit),
        ] {
            assert!(means(name, meaning), "{name}");
        }
        for (name, meaning) in [
            ("Total", Meaning::End),
            ("Wert", Meaning::Energy),
            ("Status", Meaning::Start),
        ] {
            assert!(!means(name, meaning), "{name}");
        }
    }

    #[test]
    fn the_unit_in_a_name_is_one_of_power_or_energy() {
        for (name, unit) in [
            ("Verbrauch [kWh]", Some("kWh")),
            ("USAGE_KWH", Some("kWh")),
            ("Leistung <kW>", Some("kW")),
            ("Consumption Cost (GBP)", None),
            ("Price per kWh (GBP)", None),
            ("Why", None),
            ("Blindarbeit (kvarh)", None),
            ("Hinta (c/kWh)", None),
            ("CO2 (g/kWh)", None),
            ("Verbrauch / kWh", Some("kWh")),
            ("Radiation (W/m²)", None),
            ("Usage(Real energy in kilowatt-hours)", Some("kWh")),
            ("watt_hours", Some("Wh")),
        ] {
            assert_eq!(unit_in(name), unit, "{name}");
        }
    }
}
