//! The other columns of a file's rows, with a byte for the value in each: enough to name a column
//! that distinguishes two rows of the same time.

use super::number::is_number;
use super::times::TimeReader;
use super::unit::with_unit;
use super::wishes::where_option;
use super::words::{Meaning, means, unit_in};

/// The maximum number of columns, and of distinguished values in each.
const COLUMNS: usize = 8;
const VALUES: usize = 254;
/// The maximum length of a kept value, in bytes.
const LONGEST: usize = 100;
/// The maximum number of values in a column that distinguishes series.
const SERIES: usize = 20;

/// The columns, each with its name and the values found so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowTraits {
    columns: Vec<(String, Vec<Vec<u8>>)>,
}

impl RowTraits {
    /// The traits of a row with these columns. All rows have the same columns in the same order.
    pub(crate) fn of<'a>(&mut self, columns: impl Iterator<Item = (&'a str, &'a [u8])>) -> u64 {
        let mut traits = 0;
        for (index, (name, value)) in columns.take(COLUMNS).enumerate() {
            if self.columns.len() == index {
                self.columns.push((name.to_owned(), Vec::new()));
            }
            let Some((_, values)) = self.columns.get_mut(index) else {
                break;
            };
            let known = values.iter().position(|known| known == value);
            let number = known.or_else(|| {
                let is_kept = values.len() < VALUES && value.len() <= LONGEST;
                is_kept.then(|| {
                    values.push(value.to_vec());
                    values.len() - 1
                })
            });
            // The last number is for all other values.
            let number = number
                .and_then(|it| u64::try_from(it + 1).ok())
                .unwrap_or(255);
            traits |= number << (8 * index);
        }
        traits
    }

    /// The condition that chooses one of two rows with these traits; `None` if they are alike.
    pub(crate) fn difference(&self, one: u64, other: u64) -> Option<String> {
        let byte = |traits: u64, index: usize| usize::try_from(traits >> (8 * index) & 255).ok();
        let found = self
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, (name, values))| {
                let number = |traits| byte(traits, index)?.checked_sub(1);
                let (one, other) = (number(one)?, number(other)?);
                let text = |number: usize| Some(String::from_utf8_lossy(values.get(number)?));
                let (one, other) = (text(one)?, text(other)?);
                let is_of_series = values.len() <= SERIES
                    && (is_index(values) || values.iter().all(|it| is_name(name, it)));
                (one != other && is_of_series).then(|| {
                    let option = where_option(name, &one);
                    let said = format!("{name} is {one}, then {other}; choose one with {option}");
                    (values.len(), said)
                })
            });
        found.min_by_key(|(count, _)| *count).map(|(_, said)| said)
    }
}

/// Whether values are the numbers from 1 on, as of the elements of an array.
fn is_index(values: &[Vec<u8>]) -> bool {
    let mut numbers = values.iter().zip(1..);
    numbers.all(|(value, number)| *value == number.to_string().as_bytes())
}

/// Whether a value in a column of that name can be the name of a series. Most numbers are measured,
/// and times pass.
fn is_name(column: &str, value: &[u8]) -> bool {
    if value.iter().all(u8::is_ascii_digit) {
        return means(column, Meaning::Id) && unit_in(column).is_none();
    }
    let is_number = is_number(value) || with_unit(value).is_some();
    !is_number && !TimeReader::looks_like_one(value) && !TimeReader::is_clock(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_that_differs_is_named() {
        let mut traits = RowTraits::default();
        let mut row = |meter: &str, kind: &str| {
            traits.of([("meter", meter.as_bytes()), ("kind", kind.as_bytes())].into_iter())
        };
        let rows = [
            row("1", "gas"),
            row("1", "power"),
            row(&"x".repeat(101), "gas"),
        ];
        let said = traits.difference(rows[0], rows[1]).unwrap();
        assert_eq!(
            said,
            "kind is gas, then power; choose one with --where 'kind=gas'"
        );
        assert_eq!(traits.difference(rows[0], rows[2]), None);
        assert_eq!(traits.difference(rows[0], rows[0]), None);
    }

    #[test]
    fn what_is_measured_or_passes_is_no_series() {
        let one = |values: [&str; 2]| {
            let mut traits = RowTraits::default();
            let rows = values.map(|value| traits.of([("x", value.as_bytes())].into_iter()));
            traits.difference(rows[0], rows[1])
        };
        for values in [
            ["6,5", "7,5"],
            ["0.000", "453"],
            ["1.5 kWh", "2 kWh"],
            ["10:00", "10:15"],
            ["10:00 Uhr", "10:15 Uhr"],
            ["2026-01-05", "2026-01-06"],
            ["7", "8"],
            ["", "a remark"],
        ] {
            assert_eq!(one(values), None, "{values:?}");
        }
        for values in [["high", "low"], ["1", "2"]] {
            assert!(one(values).is_some(), "{values:?}");
        }
        let mut many = RowTraits::default();
        let mut row = |value: &str| many.of([("remark", value.as_bytes())].into_iter());
        let rows = [row("x"), row("y")];
        for n in 0..300 {
            row(&format!("z{n}"));
        }
        assert_eq!(many.difference(rows[0], rows[1]), None);
    }
}
