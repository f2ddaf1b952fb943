//! Corrections that were made, in words.

use std::ops::Range;

use crate::chart::Wording;
use crate::domain::{Account, SensorId, Timestamp};
use crate::ledger::{Author, Correction, Corrections, Fact, Made, Spread};
use crate::store::Registry;
use crate::texts::Language;

/// A correction, for `meters/made.html`.
pub(crate) struct MadeView {
    pub(crate) account: String,
    pub(crate) number: u32,
    /// The sensor's name.
    pub(crate) sensor: String,
    pub(crate) sentence: String,
    pub(crate) note: String,
    /// The time and the author.
    pub(crate) made: String,
    /// The time and the author of its revocation.
    pub(crate) revoked: Option<String>,
}

impl MadeView {
    /// A correction of an account.
    pub(crate) fn new(
        registry: &Registry,
        account: &Account,
        one: &Correction,
        wording: Wording<'_>,
    ) -> Self {
        let sensor = registry.sensor(one.sensor());
        let revoked = one.revoked();
        Self {
            account: account.name.to_string(),
            number: one.number(),
            sensor: sensor.map_or_else(|| one.sensor().to_string(), |it| it.name.clone()),
            sentence: sentence(one.fact(), wording),
            note: one.made().note().to_owned(),
            made: by(one.made(), wording),
            revoked: revoked.map(|made| by(made, wording)),
        }
    }
}

/// The newest corrections of an account, at most `most`: of a sensor and a range, if given.
/// Readings of the utility's meter are left out, because they change nothing.
pub(super) fn made(
    registry: &Registry,
    account: &Account,
    (sensor, range): (Option<&SensorId>, Option<&Range<Timestamp>>),
    (wording, most): (Wording<'_>, usize),
) -> Vec<MadeView> {
    let corrections = registry.corrections(&account.name);
    let all: Vec<&Correction> = corrections
        .into_iter()
        .flat_map(Corrections::iter)
        .collect();
    let is_asked = |one: &&&Correction| {
        sensor.is_none_or(|sensor| one.sensor() == sensor)
            && range.is_none_or(|range| one.fact().touches(range))
            && !matches!(one.fact(), Fact::Utility(..))
    };
    let newest_first = all.iter().rev().filter(is_asked).take(most);
    newest_first
        .map(|one| MadeView::new(registry, account, one, wording))
        .collect()
}

fn sentence(fact: &Fact, wording: Wording<'_>) -> String {
    let language = wording.language;
    match fact {
        Fact::MeterChanged(at, change) => {
            let values = [
                ("time", wording.to_the_second(*at).into()),
                ("old", wording.register(change.old_end).into()),
                ("new", wording.register(change.new_start).into()),
            ];
            language.fill("events-made-change", values)
        }
        Fact::Event(at, counts) => {
            let values = [("time", wording.to_the_second(*at).into())];
            if *counts {
                language.fill("events-made-counts", values)
            } else {
                language.fill("events-made-ignored", values)
            }
        }
        Fact::Energy(range, energy, spread) => {
            let values = [
                ("from", wording.to_the_second(range.from()).into()),
                ("to", wording.to_the_second(range.to()).into()),
                ("energy", wording.register(*energy).into()),
            ];
            match spread {
                Spread::Even => language.fill("events-made-energy", values),
                Spread::LikeWeekday => language.fill("events-made-energy-weekday", values),
            }
        }
        Fact::Wrong(range) => {
            let values = [
                ("from", wording.to_the_second(range.from()).into()),
                ("to", wording.to_the_second(range.to()).into()),
            ];
            language.fill("events-made-wrong", values)
        }
        Fact::Calibrate(range, factor) => {
            let factor = language.number(&factor.decimal().to_string()).into();
            let from = wording.to_the_second(range.from()).into();
            let Some(to) = range.to() else {
                return language.fill("events-made-factor", [("factor", factor), ("from", from)]);
            };
            let to = wording.to_the_second(to).into();
            language.fill(
                "events-made-factor-until",
                [("factor", factor), ("from", from), ("to", to)],
            )
        }
        Fact::Utility(at, shown) => {
            let values = [
                ("time", wording.to_the_second(*at).into()),
                ("shown", wording.register(*shown).into()),
            ];
            language.fill("events-made-utility", values)
        }
    }
}

/// The time and the author, in words.
fn by(made: &Made, wording: Wording<'_>) -> String {
    let values = [
        ("time", wording.to_the_second(made.at()).into()),
        ("author", author(made.by(), wording.language).into()),
    ];
    wording.language.fill("events-made-by", values)
}

pub(super) fn author(author: &Author, language: &Language) -> String {
    match author {
        Author::SettingsPage => language.say("events-by-administrator"),
        Author::Person(name) => name.to_string(),
        Author::CommandLine => language.say("events-by-command"),
        Author::Credential(id) => {
            language.fill("events-by-credential", [("id", id.to_string().into())])
        }
    }
}
