//! Structs that repeat the fields of another one: a value that is copied at a boundary, where it
//! could cross as itself.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::source::{Source, Token};

/// Structs with fewer fields say little.
const FEWEST_FIELDS: usize = 4;
/// In tenths of the fields of the smaller one.
const SHARED_TENTHS: usize = 6;

/// A struct with named fields.
struct FieldNames<'a> {
    place: String,
    name: &'a str,
    names: BTreeSet<&'a str>,
}

impl FieldNames<'_> {
    fn shared_with(&self, other: &Self) -> usize {
        self.names.intersection(&other.names).count()
    }

    fn mirrors(&self, other: &Self) -> bool {
        self.shared_with(other) * 10 >= self.names.len() * SHARED_TENTHS
    }
}

/// The structs that mirror a larger one, each with the one that it shares most fields with. Of two
/// with as many fields, the later one is the mirror.
pub(crate) fn mirrors(files: &[Source]) -> Vec<String> {
    let mut all: Vec<FieldNames<'_>> = files.iter().flat_map(structs).collect();
    all.sort_by_key(|one| Reverse(one.names.len()));
    let found = all.iter().enumerate().filter_map(|(place, one)| {
        let larger = all[..place].iter().filter(|other| one.mirrors(other));
        let most = larger.max_by_key(|other| one.shared_with(other))?;
        Some(format!(
            "{}: `{}` mirrors `{}` of {}",
            one.place, one.name, most.name, most.place
        ))
    });
    let mut found: Vec<String> = found.collect();
    found.sort();
    found
}

/// The structs of a file that have enough named fields.
fn structs(file: &Source) -> Vec<FieldNames<'_>> {
    let tokens = file.production();
    let starts = tokens.iter().enumerate();
    let starts = starts.filter(|(_, token)| token.is_word("struct"));
    let found = starts.filter_map(|(start, _)| {
        let name = tokens.get(start + 1)?;
        let rest = tokens.get(start + 2..)?;
        let open = rest
            .iter()
            .position(|it| ['{', '(', ';'].iter().any(|mark| it.is_mark(*mark)))?;
        rest.get(open)?.is_mark('{').then(|| FieldNames {
            place: format!("{}:{}", file.path, name.line),
            name: name.word().unwrap_or_default(),
            names: names(&rest[open..]),
        })
    });
    found.filter(|it| it.names.len() >= FEWEST_FIELDS).collect()
}

/// The names of the fields in the braces that open at the first token: the words before a single
/// colon, outside of inner brackets.
fn names(tokens: &[Token]) -> BTreeSet<&str> {
    let (mut depth, mut found) = (0_usize, BTreeSet::new());
    for window in tokens.windows(3) {
        let [token, next, after] = window else {
            continue;
        };
        if ['{', '(', '['].iter().any(|mark| token.is_mark(*mark)) {
            depth += 1;
        } else if ['}', ')', ']'].iter().any(|mark| token.is_mark(*mark)) {
            depth -= 1;
        }
        if depth == 0 {
            break;
        }
        let is_path = after.is_mark(':');
        if depth == 1
            && next.is_mark(':')
            && !is_path
            && let Some(name) = token.word()
        {
            found.insert(name);
        }
    }
    found
}

#[cfg(test)]
mod samples {
    use super::*;

    #[test]
    fn structs_that_share_most_fields_are_mirrors() {
        let files = [
            Source::new(
                "src/a.rs",
                "pub struct Meter { #[serde(default)] id: a::Id, pub name: Text, unit: F<(u8, [u8; 4])>, sign: Sign }",
            ),
            Source::new(
                "src/b.rs",
                "struct Row<T: Copy> { id: String, name: String, unit: T, zone: String, at: u8 }\nstruct Pair(u8, u8);",
            ),
            Source::new(
                "src/c.rs",
                "struct Small { id: u8, name: u8, unit: u8 }\nstruct Other { a: u8, b: u8, id: u8, name: u8 }",
            ),
        ];
        assert_eq!(
            mirrors(&files),
            ["src/a.rs:1: `Meter` mirrors `Row` of src/b.rs:1"]
        );
    }
}
