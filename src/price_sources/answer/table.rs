//! CSV: a header, and a row for each price.

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord, Trim};

use super::others::OtherRates;
use super::{AnswerEntry, MOST_ENTRIES};
use crate::price_sources::error::SourceError;
use crate::price_sources::form::SourceForm;

/// The longest line, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The entries of an answer. Columns are separated by the most frequent of these in the header:
/// a semicolon, a tab or a comma.
pub(super) fn entries(
    form: &SourceForm,
    body: &[u8],
    others: &mut OtherRates,
) -> Result<Vec<AnswerEntry>, SourceError> {
    let not_csv = |_| SourceError::Format("CSV");
    let text = std::str::from_utf8(body).map_err(|_| SourceError::Format("CSV in UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    // A separator takes eight times as much memory as in the text.
    if text.lines().any(|line| line.len() > LONGEST_LINE) {
        return Err(SourceError::Format("CSV with lines of at most 64 KiB"));
    }
    let header = text.lines().next().unwrap_or_default();
    let separators = [b',', b'\t', b';'].into_iter();
    let separator = separators.max_by_key(|separator| {
        let bytes = header.bytes();
        bytes.filter(|byte| byte == separator).count()
    });
    let mut table = ReaderBuilder::new()
        .delimiter(separator.unwrap_or(b','))
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let header = table.headers().map_err(not_csv)?.clone();
    let column = |name: &str| {
        let at = header.iter().position(|column| column == name);
        at.ok_or_else(|| SourceError::Missing(name.to_owned()))
    };
    let (time, price) = (column(&form.time)?, column(&form.price)?);
    let end = if form.end.is_empty() {
        None
    } else {
        Some(column(&form.end)?)
    };
    let filters = form.filters.keys().map(|name| Ok((name, column(name)?)));
    let filters = filters.collect::<Result<BTreeMap<_, _>, SourceError>>()?;
    let mut entries = Vec::new();
    for row in table.records() {
        let row = row.map_err(|_| SourceError::Entry(entries.len() + 1, "columns"))?;
        if entries.len() == MOST_ENTRIES {
            return Err(SourceError::TooMany(MOST_ENTRIES));
        }
        let value = |name: &str| row.get(*filters.get(&name.to_owned())?).map(str::to_owned);
        if !others.is_taken(form, value) {
            continue;
        }
        entries.push(AnswerEntry {
            time: row.get(time).unwrap_or_default().to_owned(),
            end: end.and_then(|end| cell(&row, end)),
            value: cell(&row, price).map(|price| point(form, price)),
        });
    }
    Ok(entries)
}

fn cell(row: &StringRecord, column: usize) -> Option<String> {
    let cell = row.get(column).filter(|cell| !cell.is_empty());
    cell.map(str::to_owned)
}

/// A decimal with a point.
fn point(form: &SourceForm, price: String) -> String {
    if form.has_comma {
        // A point then only groups digits.
        price.replace('.', "").replace(',', ".")
    } else {
        price
    }
}
