//! The contents of a file, in words.

use crate::chart::Wording;
use crate::http::pages::frame::figures;
use crate::ingest::file::TakenFile;

/// The number of bad rows shown.
const SHOWN: usize = 5;

/// A summary of a table, in words.
pub(super) struct TableWords {
    /// How many rows were read, and how many were left out.
    pub(super) rows: String,
    /// How the table is read, a sentence each.
    pub(super) plan: Vec<String>,
    pub(super) readings: String,
    pub(super) power: Option<String>,
    pub(super) energy: Option<String>,
    pub(super) bad: Option<String>,
    /// The first bad rows, in English.
    pub(super) bad_rows: Vec<String>,
    /// Remarks about the file, in English.
    pub(super) remarks: Vec<String>,
    pub(super) duplicates: Option<String>,
    /// The energy of all intervals, and of each month.
    pub(super) total: Option<String>,
    pub(super) months: Vec<(String, String)>,
}

impl TableWords {
    pub(super) fn new(checked: &TakenFile, wording: Wording<'_>) -> Self {
        let language = wording.language;
        let summary = &checked.values.summary;
        let count = |count: u64| figures::count(count, language);
        let readings = match summary.times {
            None => language.say("history-no-readings"),
            Some((from, to)) => {
                let [from, to] = [from, to].map(|time| wording.date_and_clock(time));
                let shown = count(summary.readings);
                let values = [
                    ("count", shown.as_str().into()),
                    ("from", from.as_str().into()),
                    ("to", to.as_str().into()),
                ];
                language.fill("history-found", values)
            }
        };
        let power = summary.watts.map(|range| {
            let [low, high] =
                [range.lowest, range.highest].map(|value| figures::power(value, language));
            let values = [("low", low.as_str().into()), ("high", high.as_str().into())];
            language.fill("history-power-range", values)
        });
        let energy = summary.watthours.map(|range| {
            let [low, high] =
                [range.lowest, range.highest].map(|value| figures::energy(value, language));
            let values = [("low", low.as_str().into()), ("high", high.as_str().into())];
            match summary.total() {
                Some(_) => language.fill("history-interval-range", values),
                None => language.fill("history-energy-range", values),
            }
        });
        let bad = (checked.tally.bad > 0).then(|| {
            let shown = count(checked.tally.bad);
            language.fill("history-bad", [("count", shown.as_str().into())])
        });
        let duplicates = (summary.duplicates > 0).then(|| {
            let shown = count(summary.duplicates);
            language.fill("history-duplicates", [("count", shown.as_str().into())])
        });
        let tally = &checked.tally;
        let [read, empty, other] = [tally.read, tally.no_value, tally.other].map(count);
        let rows = [
            ("count", read.as_str().into()),
            ("empty", empty.as_str().into()),
            ("other", other.as_str().into()),
        ];
        let months = summary.months.iter();
        let months = months.map(|it| (it.month.clone(), figures::energy(it.watthours, language)));
        let plan = checked.plan.iter().map(|part| part.text(language));
        Self {
            plan: plan.collect(),
            remarks: checked.remarks.clone(),
            duplicates,
            total: summary
                .total()
                .map(|energy| figures::energy(energy, language)),
            months: months.collect(),
            rows: language.fill("history-rows-read", rows),
            readings,
            power,
            energy,
            bad,
            bad_rows: checked.tally.shown.iter().take(SHOWN).cloned().collect(),
        }
    }
}
