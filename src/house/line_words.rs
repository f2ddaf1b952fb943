//! How lines of a statement are called: by wattkeeper's own words, and in each language of the
//! pages.

use crate::domain::Decimal;
use crate::ledger::contract::{BillLine, LineKind, LinePart, Period};
use crate::ledger::utility::LineWords;
use crate::texts::Language;

/// The name of a zone, a tier or another part of a component.
#[must_use]
pub fn part_text(part: &LinePart, language: &Language) -> String {
    let kwh = |kwh: &Decimal| [("kwh", language.number(&kwh.to_string()).into())];
    match part {
        LinePart::Named(name) => name.clone(),
        LinePart::UpTo {
            kwh: end,
            per_day: false,
        } => language.fill("statement-tier-up-to", kwh(end)),
        LinePart::UpTo {
            kwh: end,
            per_day: true,
        } => language.fill("statement-tier-up-to-a-day", kwh(end)),
        LinePart::Over {
            kwh: end,
            per_day: false,
        } => language.fill("statement-tier-over", kwh(end)),
        LinePart::Over {
            kwh: end,
            per_day: true,
        } => language.fill("statement-tier-over-a-day", kwh(end)),
        LinePart::All => language.say("statement-tier-all"),
        LinePart::OfSeason(season, part) => format!("{season}, {}", part_text(part, language)),
        LinePart::Cap => language.say("statement-cap"),
        LinePart::Surplus => language.say("statement-surplus"),
        LinePart::AtMostEnergy => language.say("statement-at-most-energy"),
    }
}

/// The words for a line, those of `shown` first: the words of a language, or without one
/// wattkeeper's own.
pub(super) fn words_of(line: &BillLine, shown: Option<&Language>) -> Vec<LineWords> {
    let own = || LineWords {
        kind: line.kind.as_str().to_owned(),
        part: line.part.as_ref().map(ToString::to_string),
    };
    let shown = shown.map_or_else(own, |language| statement_words(line, language));
    let all = Language::all().flat_map(|language| {
        [statement_words(line, language)]
            .into_iter()
            .chain(contract_words(line, language))
    });
    [shown, own()].into_iter().chain(all).collect()
}

/// As the page of a statement shows it.
fn statement_words(line: &BillLine, language: &Language) -> LineWords {
    LineWords {
        kind: language.word("statement-kind", LineKind::as_str(line.kind)),
        part: line.part.as_ref().map(|part| part_text(part, language)),
    }
}

/// As the pages of contracts and comparisons show it, and as bills usually call a tax.
fn contract_words(line: &BillLine, language: &Language) -> Vec<LineWords> {
    let say = |name: &str| language.say(name);
    let kinds = match line.kind {
        LineKind::Energy => vec![
            say("contract-energy"),
            say("contract-energy-title"),
            say("compare-energy"),
        ],
        LineKind::Export => vec![say("contract-feed-in"), say("compare-credits")],
        LineKind::Fixed => vec![say("contract-fixed"), say("compare-standing")],
        LineKind::Minimum | LineKind::Maximum | LineKind::Discount => {
            vec![say("compare-standing")]
        }
        LineKind::Demand => vec![say("compare-demand")],
        LineKind::Tax => {
            let usual = language.say("bill-usual-taxes");
            let usual = usual.split(", ").map(str::to_owned);
            let shown = [
                say("contract-tax"),
                say("statement-taxes"),
                say("compare-taxes"),
            ];
            shown.into_iter().chain(usual).collect()
        }
    };
    let parts = line.part.as_ref().map(|part| part_words(part, language));
    let parts: Vec<Option<String>> = match parts {
        Some(parts) => parts.into_iter().map(Some).collect(),
        None => vec![None],
    };
    let words = kinds.into_iter().flat_map(|kind| {
        parts.iter().map(move |part| LineWords {
            kind: kind.clone(),
            part: part.clone(),
        })
    });
    words.collect()
}

/// The words of a part on the page of a contract. A season is also called by itself.
fn part_words(part: &LinePart, language: &Language) -> Vec<String> {
    match part {
        LinePart::UpTo {
            kwh,
            per_day: false,
        } => {
            let kwh = language.number(&kwh.to_string());
            let up_to = |period: &Period| {
                let per = language.word("contract-a", Period::as_str(*period));
                let values = [("kwh", kwh.as_str().into()), ("per", per.as_str().into())];
                language.fill("contract-up-to", values)
            };
            Period::ALL.iter().map(up_to).collect()
        }
        LinePart::Over { per_day: false, .. } => vec![language.say("contract-above")],
        LinePart::OfSeason(season, inner) => {
            let inner = part_words(inner, language).into_iter();
            let inner = inner.map(|inner| format!("{season}, {inner}"));
            [season.clone()].into_iter().chain(inner).collect()
        }
        part => vec![part_text(part, language)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{LocalDate, MicroWh};
    use crate::ledger::contract::{BilledQuantity, Label};

    fn line(kind: LineKind, part: Option<LinePart>) -> BillLine {
        BillLine {
            contract: Label::new("A").unwrap(),
            contract_from: LocalDate::parse("2026-01-01").unwrap(),
            kind,
            name: None,
            part,
            quantity: BilledQuantity::Energy(MicroWh::ZERO),
            price: None,
            amount: Decimal::ZERO,
        }
    }

    #[test]
    fn each_language_has_words_for_a_line() {
        let german = Language::of_tag("de").unwrap();
        let kwh = Decimal::parse("1200.5").unwrap();
        let tier = LinePart::UpTo {
            kwh,
            per_day: false,
        };
        let line = line(LineKind::Energy, Some(tier));
        let words = words_of(&line, Some(german));
        assert_eq!(words[0].kind, "Bezug");
        assert_eq!(words_of(&line, None)[0].kind, "energy");
        for (kind, part) in [
            ("Bezug", "bis 1.200,5 kWh"),
            ("Energy", "up to 1 200.5 kWh"),
            ("Bezug", "Bis 1.200,5 kWh im Monat"),
            ("Energy", "Up to 1 200.5 kWh a year"),
            ("Bezug aus dem Netz", "Bis 1.200,5 kWh im Jahr"),
        ] {
            let is_there = words.iter().any(|it| {
                let found = it.part.as_ref().map(|part| part.replace('\u{202f}', " "));
                it.kind == kind && found.as_deref() == Some(part)
            });
            assert!(is_there, "{kind} {part} in {words:?}");
        }
    }

    #[test]
    fn a_tax_is_called_as_on_bills() {
        let words = words_of(&line(LineKind::Tax, None), None);
        for kind in ["tax", "Taxes", "VAT", "Steuer", "Mehrwertsteuer", "MwSt."] {
            assert!(words.iter().any(|it| it.kind == kind), "{kind}");
        }
    }

    /// Each word that a page shows for a line names it, in each language and in any capitals.
    #[test]
    fn a_line_is_found_by_every_word_of_the_pages() {
        let kwh = Decimal::parse("250").unwrap();
        let tier = LinePart::UpTo {
            kwh,
            per_day: false,
        };
        let parts = [
            None,
            Some(LinePart::Named("Nacht".into())),
            Some(LinePart::All),
            Some(LinePart::Cap),
            Some(LinePart::Surplus),
            Some(LinePart::AtMostEnergy),
            Some(LinePart::Over { kwh, per_day: true }),
            Some(LinePart::OfSeason("Summer".into(), Box::new(tier))),
        ];
        for kind in LineKind::ALL {
            for part in &parts {
                let line = line(kind, part.clone());
                let words = words_of(&line, None);
                for language in Language::all() {
                    let heading = match kind {
                        LineKind::Energy => language.say("compare-energy"),
                        LineKind::Demand => language.say("compare-demand"),
                        LineKind::Export => language.say("compare-credits"),
                        LineKind::Tax => language.say("compare-taxes"),
                        _ => language.say("compare-standing"),
                    };
                    let own = language.word("statement-kind", LineKind::as_str(kind));
                    for expected in [heading, own] {
                        let is_named = words.iter().any(|it| it.kind == expected);
                        assert!(is_named, "{expected} {part:?}");
                    }
                    if let Some(part) = part {
                        let text = part_text(part, language);
                        let is_named = words.iter().any(|it| it.part.as_ref() == Some(&text));
                        assert!(is_named, "{text}");
                    }
                }
                if let Some(LinePart::OfSeason(season, _)) = part {
                    let is_named = words.iter().any(|it| it.part.as_ref() == Some(season));
                    assert!(is_named, "{season}");
                }
            }
        }
    }
}
