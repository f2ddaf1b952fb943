//! JSON: a list of objects, an object whose names are times, or two lists beside each other.

use serde_json::Value;

use super::others::OtherRates;
use super::{AnswerEntry, MOST_ENTRIES};
use crate::domain::Currency;
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};
use crate::price_sources::error::SourceError;
use crate::price_sources::form::SourceForm;

/// The longest text of an entry, in bytes. Times and prices are much shorter.
const LONGEST_TEXT: usize = 128;

/// The entries of an answer.
pub(super) fn entries(
    form: &SourceForm,
    body: &[u8],
    others: &mut OtherRates,
) -> Result<Vec<AnswerEntry>, SourceError> {
    if form.items.is_empty() {
        return beside(form, body);
    }
    let mut all = Vec::new();
    for items in &form.items {
        all.extend(of_list(form, (body, items), others)?);
        if all.len() > MOST_ENTRIES {
            return Err(SourceError::TooMany(MOST_ENTRIES));
        }
    }
    Ok(all)
}

/// The currency that an answer names.
pub(super) fn currency(form: &SourceForm, body: &[u8]) -> Result<Option<Currency>, SourceError> {
    if form.currency.is_empty() {
        return Ok(None);
    }
    let found = WantedPlaces::at([&form.currency]).read(body);
    let found = found.map_err(|_| SourceError::Format("JSON"))?;
    let found = found.pointer(&form.currency).and_then(Value::as_str);
    let found = found.and_then(|text| Currency::new(text).ok());
    let missing = || SourceError::Missing(form.currency.clone());
    found.map(Some).ok_or_else(missing)
}

fn of_list(
    form: &SourceForm,
    (body, items): (&[u8], &str),
    others: &mut OtherRates,
) -> Result<Vec<AnswerEntry>, SourceError> {
    let wanted = [&form.time, &form.end, &form.price];
    let places = WantedPlaces::at(wanted.into_iter().chain(form.filters.keys()));
    let entries = list(body, items, &places, |index, name, item| match name {
        _ if !is_taken(form, &item, others) => Ok(None),
        Some(time) => Ok(Some(AnswerEntry {
            time: time.to_owned(),
            end: None,
            value: text(item.pointer(&form.price), index, "price")?,
        })),
        None => entry(form, index, &item).map(Some),
    });
    Ok(entries?.into_iter().flatten().collect())
}

/// Whether an item is of the rate that the form names.
fn is_taken(form: &SourceForm, item: &Value, others: &mut OtherRates) -> bool {
    others.is_taken(form, |place| text(item.pointer(place), 0, "where").ok()?)
}

/// The entries of two lists beside each other.
fn beside(form: &SourceForm, body: &[u8]) -> Result<Vec<AnswerEntry>, SourceError> {
    let texts = |place: &str, what| {
        list(
            body,
            place,
            &WantedPlaces::default(),
            |index, name, value| match name {
                Some(_) => Err(SourceError::Missing(place.to_owned())),
                None => text(Some(&value), index, what),
            },
        )
    };
    let (times, prices) = (texts(&form.time, "time")?, texts(&form.price, "price")?);
    if times.len() != prices.len() {
        return Err(SourceError::Entry(
            times.len().min(prices.len()) + 1,
            "time and price",
        ));
    }
    let pairs = times.into_iter().zip(prices).enumerate();
    let entry = |(index, (time, value))| {
        Ok(AnswerEntry {
            time: required(time, index, "time")?,
            end: None,
            value,
        })
    };
    pairs.map(entry).collect()
}

/// What `take` makes of each element or member of the list or object at `place`, of which it gets
/// the position, the name, and the values at `places`.
fn list<T>(
    body: &[u8],
    place: &str,
    places: &WantedPlaces,
    mut take: impl FnMut(usize, Option<&str>, Value) -> Result<T, SourceError>,
) -> Result<Vec<T>, SourceError> {
    let mut found = Vec::new();
    let walked = places.each(body, place, |name, value| {
        if found.len() == MOST_ENTRIES {
            return Err(SourceError::TooMany(MOST_ENTRIES));
        }
        found.push(take(found.len(), name, value)?);
        Ok(())
    });
    match walked {
        Ok(true) => Ok(found),
        Ok(false) => Err(SourceError::Missing(place.to_owned())),
        Err(StoppedWalk::NotJson) => Err(SourceError::Format("JSON")),
        Err(StoppedWalk::By(error)) => Err(error),
    }
}

fn entry(form: &SourceForm, index: usize, item: &Value) -> Result<AnswerEntry, SourceError> {
    let place = |place: &str, what| text(item.pointer(place), index, what);
    let has_price = item.pointer(&form.price).is_some();
    Ok(AnswerEntry {
        time: required(place(&form.time, "time")?, index, "time")?,
        end: if form.end.is_empty() {
            None
        } else {
            place(&form.end, "end")?
        },
        // A price may be null, but a place that is missing is a mistake in the form.
        value: if has_price {
            place(&form.price, "price")?
        } else {
            return Err(SourceError::Missing(form.price.clone()));
        },
    })
}

fn required(text: Option<String>, index: usize, what: &'static str) -> Result<String, SourceError> {
    text.ok_or(SourceError::Entry(index + 1, what))
}

/// A value as text: of a number, its shortest decimal. `None` for null.
fn text(
    value: Option<&Value>,
    index: usize,
    what: &'static str,
) -> Result<Option<String>, SourceError> {
    let text = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Some(whole.to_string()),
            // `Display` of Rust has no exponent.
            (None, number) => number.map(|number| number.to_string()),
        },
        Some(_) => None,
    };
    let text = text.filter(|text| text.len() <= LONGEST_TEXT);
    text.map(Some).ok_or(SourceError::Entry(index + 1, what))
}
