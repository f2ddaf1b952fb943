//! JSON: a list of objects, an object whose names are times, or two lists beside each other.

use serde_json::Value;

use super::{AnswerEntry, MOST_ENTRIES};
use crate::price_sources::error::SourceError;
use crate::price_sources::form::SourceForm;

/// The entries of an answer.
pub(super) fn entries(form: &SourceForm, body: &[u8]) -> Result<Vec<AnswerEntry>, SourceError> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| SourceError::Format("JSON"))?;
    let Some(items) = &form.items else {
        return beside(form, &answer);
    };
    match at(&answer, items)? {
        Value::Array(items) => {
            check_count(items.len())?;
            let items = items.iter().enumerate();
            items
                .map(|(index, item)| entry(form, index, item))
                .collect()
        }
        Value::Object(items) => {
            check_count(items.len())?;
            let items = items.iter().enumerate();
            let entry = |(index, (time, item)): (usize, (&String, &Value))| {
                Ok(AnswerEntry {
                    time: time.clone(),
                    end: None,
                    value: text(item.pointer(&form.price), index, "price")?,
                })
            };
            items.map(entry).collect()
        }
        _ => Err(SourceError::Missing(items.clone())),
    }
}

/// The entries of two lists beside each other.
fn beside(form: &SourceForm, answer: &Value) -> Result<Vec<AnswerEntry>, SourceError> {
    let list = |place: &String| {
        let list = at(answer, place)?.as_array();
        list.ok_or_else(|| SourceError::Missing(place.clone()))
    };
    let (times, prices) = (list(&form.time)?, list(&form.price)?);
    check_count(times.len())?;
    if times.len() != prices.len() {
        return Err(SourceError::Entry(
            times.len().min(prices.len()) + 1,
            "time and price",
        ));
    }
    let pairs = times.iter().zip(prices).enumerate();
    let entry = |(index, (time, price)): (usize, (&Value, &Value))| {
        Ok(AnswerEntry {
            time: required(text(Some(time), index, "time")?, index, "time")?,
            end: None,
            value: text(Some(price), index, "price")?,
        })
    };
    pairs.map(entry).collect()
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

fn at<'v>(answer: &'v Value, place: &str) -> Result<&'v Value, SourceError> {
    let found = answer.pointer(place);
    found.ok_or_else(|| SourceError::Missing(place.to_owned()))
}

fn check_count(count: usize) -> Result<(), SourceError> {
    if count > MOST_ENTRIES {
        return Err(SourceError::TooMany(MOST_ENTRIES));
    }
    Ok(())
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
    Ok(Some(match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.to_string(),
            // `Display` of Rust has no exponent.
            (None, Some(number)) => number.to_string(),
            (None, None) => return Err(SourceError::Entry(index + 1, what)),
        },
        Some(_) => return Err(SourceError::Entry(index + 1, what)),
    }))
}
