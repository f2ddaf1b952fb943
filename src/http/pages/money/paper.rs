//! The statement of a sub-meter on paper: its lines, sums and gaps.

use std::ops::Range;

use askama::Template;

use super::bill_words::{AmountText, BillWords, LineText};
use crate::chart::Wording;
use crate::domain::{Account, Currency, MicroWh, Timestamp};
use crate::house::{EnergySource, SensorStatement, SourceLine};
use crate::http::pages::frame::figures;
use crate::http::pages::frame::range::RangeCalendar;
use crate::http::pages::meters::made::MadeView;
use crate::ledger::contract::BilledQuantity;
use crate::ledger::{Flow, TouchCount};
use crate::store::Store;
use crate::texts::Language;

/// The statement of a sub-meter, as a part of a page.
#[derive(Template)]
#[template(path = "money/paper.html")]
pub(crate) struct SensorPaper {
    language: &'static Language,
    name: String,
    currency: String,
    /// Each line, and its contract if there is something to say.
    lines: Vec<(String, LineText)>,
    total: Option<AmountText>,
    /// The gap of the total, and whether that is more than half.
    gap: Option<(String, bool)>,
    is_complete: bool,
    /// Whether a tenancy has an agreed price.
    is_agreed: bool,
    /// The energy that the total leaves out, as a sentence.
    left_out: Option<String>,
    facts: Vec<(String, String)>,
    /// The first times without readings, and how many more there are.
    gaps: Vec<String>,
    more_gaps: Option<String>,
    corrections: Vec<MadeView>,
    more_corrections: Option<String>,
}

/// The listed corrections of a statement, in words.
pub(super) fn made(
    store: &Store,
    account: &Account,
    found: &SensorStatement,
    wording: Wording<'_>,
) -> Vec<MadeView> {
    let registry = store.registry();
    let (_, corrections) = &found.corrections;
    let made = corrections.iter();
    made.map(|one| MadeView::new(&registry, account, one, wording))
        .collect()
}

/// The same for a tenant, who learns what was corrected in their statement, but nobody's name or
/// words, and nothing of the time of another tenant.
pub(crate) fn made_for_tenant(
    store: &Store,
    account: &Account,
    found: &SensorStatement,
    wording: Wording<'_>,
) -> Vec<MadeView> {
    let (start, end) = (found.range.start(), found.range.end());
    let others = [Timestamp::MIN..start, end..Timestamp::MAX];
    let (_, corrections) = &found.corrections;
    let all = made(store, account, found, wording).into_iter();
    let all = all.zip(corrections).map(|(view, one)| {
        let is_within = !others.iter().any(|time| one.fact().touches(time));
        let across = || wording.language.say("tenancy-correction");
        MadeView {
            sentence: if is_within { view.sentence } else { across() },
            note: String::new(),
            made: String::new(),
            ..view
        }
    });
    all.collect()
}

impl SensorPaper {
    /// A statement, with its corrections.
    pub(crate) fn of(
        found: &SensorStatement,
        corrections: Vec<MadeView>,
        calendar: &RangeCalendar,
    ) -> Self {
        let (language, wording) = (calendar.language(), calendar.wording());
        let currency = found.currency.as_ref().map_or("", Currency::as_str);
        let words = BillWords { language, currency };
        let charged = found.charged.as_ref();
        let is_agreed = charged.is_some_and(|it| it.tenancy.price.is_some());
        let gap_text = |gap: &Range<Timestamp>| {
            let [from, to] = [gap.start, gap.end].map(|time| wording.date_and_clock(time));
            let values = [("from", from.into()), ("to", to.into())];
            language.fill("contract-from-to", values)
        };
        Self {
            language,
            name: found.sensor.name.clone(),
            currency: figures::currency_sign(currency).to_owned(),
            lines: words.of_paper(found),
            total: found.total().map(|total| words.amount(total)),
            gap: found.gap().map(|gap| (words.without(gap), gap.is_most)),
            is_complete: found.is_complete(),
            is_agreed,
            left_out: Some(found.left_out())
                .filter(|left_out| *left_out != MicroWh::ZERO)
                .map(|left_out| {
                    let energy = words.kilowatthours(left_out);
                    language.fill("sensor-costs-left-out", [("energy", energy.into())])
                }),
            facts: words.of_sensor(found),
            gaps: found.gaps.1.iter().map(gap_text).collect(),
            more_gaps: more_of((found.gaps.0, found.gaps.1.len()), language),
            more_corrections: more_of((found.corrections.0, corrections.len()), language),
            corrections,
        }
    }

    /// Whether the total leaves out more than half: then it is not set off.
    fn is_mostly_unknown(&self) -> bool {
        self.gap.as_ref().is_some_and(|(_, is_most)| *is_most)
    }
}

/// How many of them are not listed, as a sentence.
fn more_of((count, listed): (usize, usize), language: &Language) -> Option<String> {
    let more = count.checked_sub(listed).filter(|more| *more > 0)?;
    Some(language.fill("sensor-costs-more", [("count", more.into())]))
}

impl BillWords<'_> {
    /// The lines of a statement, of energy and of a base fee, each with its contract. An agreed price
    /// has no contract but the tenancy.
    pub(super) fn of_paper(&self, found: &SensorStatement) -> Vec<(String, LineText)> {
        let charged = found.charged.as_ref();
        let is_agreed = charged.is_some_and(|it| it.tenancy.price.is_some());
        let contract = |line: &SourceLine| match &line.contract {
            _ if is_agreed => String::new(),
            Some((name, _)) => name.to_string(),
            None => figures::UNKNOWN.to_owned(),
        };
        let lines = found.lines.iter();
        let lines = lines.map(|line| (contract(line), self.source(line)));
        let fees = found.fees().iter().map(|fee| {
            let what = self.language.say("tenancy-base-fee");
            (
                String::new(),
                LineText {
                    what,
                    ..self.line(fee)
                },
            )
        });
        lines.chain(fees).collect()
    }

    fn source(&self, line: &SourceLine) -> LineText {
        let quantity = BilledQuantity::Energy(line.energy);
        let unknown = || AmountText {
            exact: String::new(),
            shown: figures::UNKNOWN.to_owned(),
        };
        LineText {
            what: self
                .language
                .word("sensor-costs-source", EnergySource::as_str(line.source)),
            quantity: self.kilowatthours(line.energy),
            price: line
                .price
                .map_or_else(String::new, |price| self.price(price, &quantity)),
            amount: line.amount.map_or_else(unknown, |amount| self.cell(amount)),
        }
    }

    pub(super) fn of_sensor(&self, found: &SensorStatement) -> Vec<(String, String)> {
        let language = self.language;
        let energy = found
            .measured
            .flow
            .map(|flow| self.kilowatthours(Flow::net(flow)));
        let energy = energy.unwrap_or_else(|| figures::UNKNOWN.to_owned());
        let share = found.sources.own_share();
        let share = share.map(|share| figures::share(share, language));
        let touched = TouchCount {
            events: found.events,
            corrections: found.corrections.0,
        };
        let own = share.map(|share| (language.say("energy-own_share"), share));
        let energy = [(language.say("energy-energy"), energy)];
        let known = self.known(found.coverage(), touched);
        energy.into_iter().chain(own).chain(known).collect()
    }
}
