//! Entries -> prices or days.

use std::collections::BTreeMap;

use super::length::{TimedPrice, with_ends};
use super::others::OtherRates;
use super::time::AnswerClock;
use super::{AnswerEntry, entsoe, json, table};
use crate::domain::{Currency, Decimal, LocalDate, TimeRange};
use crate::ledger::contract::{Label, PriceUnit, SeriesPrice};
use crate::price_sources::error::SourceError;
use crate::price_sources::form::{AnswerFormat, SourceContent, SourceForm};

/// The content of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::price_sources) enum SourceAnswer {
    /// Prices, in order, and what else the answer says.
    Prices(Vec<SeriesPrice>, AnswerTerms),
    /// Types of days.
    Days(BTreeMap<LocalDate, Label>),
}

/// What an answer says of its prices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::price_sources) struct AnswerTerms {
    /// Their currency, if it is known.
    pub(in crate::price_sources) currency: Option<Currency>,
    /// The rates that were not taken.
    pub(in crate::price_sources) others: OtherRates,
}

impl SourceAnswer {
    /// An answer without prices or days.
    pub(in crate::price_sources) fn nothing(form: &SourceForm) -> Self {
        match &form.content {
            SourceContent::Prices(_) => Self::Prices(Vec::new(), AnswerTerms::default()),
            SourceContent::Days(_) => Self::Days(BTreeMap::new()),
        }
    }
}

/// The prices or days of an answer that belong to `range`; sources may send more.
///
/// # Errors
/// A [`SourceError`] if any entry cannot be read: an answer that is wrong in one place is not
/// trusted in others.
pub(in crate::price_sources) fn read(
    form: &SourceForm,
    body: &[u8],
    range: TimeRange,
) -> Result<SourceAnswer, SourceError> {
    if is_page(form.format, body) {
        return Err(SourceError::Html(form.format.as_str()));
    }
    let mut others = OtherRates::default();
    let (entries, currency) = match form.format {
        AnswerFormat::Json => {
            let entries = json::entries(form, body, &mut others)?;
            (entries, json::currency(form, body)?)
        }
        AnswerFormat::Csv => (table::entries(form, body, &mut others)?, None),
        AnswerFormat::Entsoe => entsoe::entries(body)?,
    };
    match &form.content {
        SourceContent::Prices(unit) => {
            let prices = prices(form, unit, entries, range)?;
            let currency = currency.or_else(|| unit.currency());
            Ok(SourceAnswer::Prices(
                prices,
                AnswerTerms { currency, others },
            ))
        }
        SourceContent::Days(types) => days(form, types, entries, range).map(SourceAnswer::Days),
    }
}

/// Whether an answer is a web page, as a server or a network that asks for a sign-in sends it.
fn is_page(format: AnswerFormat, body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    let begins = |with: &[u8]| {
        let begin = body.get(..with.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(with))
    };
    let is_markup = format != AnswerFormat::Entsoe && begins(b"<");
    is_markup || begins(b"<!doctype html") || begins(b"<html")
}

fn prices(
    form: &SourceForm,
    unit: &PriceUnit,
    entries: Vec<AnswerEntry>,
    range: TimeRange,
) -> Result<Vec<SeriesPrice>, SourceError> {
    let mut clock = AnswerClock::new(form);
    let mut ends = AnswerClock::new(form);
    let timed = entries.into_iter().enumerate().map(|(index, entry)| {
        let wrong = |what| SourceError::Entry(index + 1, what);
        let time = clock.read(&entry.time).ok_or_else(|| wrong("time"))?;
        let end = entry.end.as_deref();
        let end = end.map(|end| {
            let end = ends.read(end).filter(|end| time < *end);
            end.ok_or_else(|| wrong("end"))
        });
        let price = entry.value.as_deref();
        let price = price.map(|price| unit.price(price).ok_or_else(|| wrong("price")));
        Ok((time, end.transpose()?, price.transpose()?))
    });
    let timed = timed.collect::<Result<Vec<_>, SourceError>>()?;
    if unit.is_rate() {
        return rates(form, &timed, range);
    }
    // A rate in force has no end yet, where rates have one.
    let open = Some(range.end()).filter(|_| !form.end.is_empty());
    let mut prices = with_ends(timed, open)?;
    prices.retain(|price| price.from < range.end() && range.start() < price.to);
    Ok(prices)
}

/// The exchange rates of the days of a range. A day of a weekend, and one before a later rate, has
/// the rate before it; a day that may still get one has none.
fn rates(
    form: &SourceForm,
    timed: &[TimedPrice],
    range: TimeRange,
) -> Result<Vec<SeriesPrice>, SourceError> {
    let mut known: BTreeMap<LocalDate, Decimal> = BTreeMap::new();
    for (time, _, price) in timed {
        let date = LocalDate::at(*time, &form.clock);
        let Some(price) = price.filter(|price| *price > Decimal::ZERO) else {
            continue;
        };
        if known
            .insert(date, price)
            .is_some_and(|other| other != price)
        {
            return Err(SourceError::Twice(form.start_of(date)));
        }
    }
    let mut found = Vec::new();
    let mut date = LocalDate::at(range.start(), &form.clock);
    while form.start_of(date) < range.end() {
        let Some(next) = date.plus_days(1) else { break };
        let is_weekend = date.weekday().days_after_monday() > 4;
        let is_final = is_weekend || known.range(date..).next().is_some();
        let rate = known.range(..=date).next_back().filter(|_| is_final);
        found.extend(rate.map(|(_, rate)| SeriesPrice {
            from: form.start_of(date),
            to: form.start_of(next),
            price: *rate,
        }));
        date = next;
    }
    Ok(found)
}

fn days(
    form: &SourceForm,
    types: &BTreeMap<String, Label>,
    entries: Vec<AnswerEntry>,
    range: TimeRange,
) -> Result<BTreeMap<LocalDate, Label>, SourceError> {
    let mut clock = AnswerClock::new(form);
    let mut days: BTreeMap<LocalDate, Label> = BTreeMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let wrong = |what| SourceError::Entry(index + 1, what);
        let date = clock.read_date(&entry.time).ok_or_else(|| wrong("time"))?;
        let Some(word) = entry.value.filter(|word| !word.is_empty()) else {
            continue;
        };
        let label = types.get(&word).ok_or_else(|| wrong("type of day"))?;
        let before = days.insert(date, label.clone());
        if before.is_some_and(|before| before != *label) {
            return Err(SourceError::Twice(form.start_of(date)));
        }
    }
    days.retain(|date, _| {
        let start = form.start_of(*date);
        range.start() <= start && start < range.end()
    });
    Ok(days)
}
