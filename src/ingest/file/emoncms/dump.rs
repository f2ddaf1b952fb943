//! A table in a dump of a `MySQL` database, as `mysqldump` writes it:
//!
//! ```text
//! CREATE TABLE `feeds` (
//!   `id` int(11) NOT NULL AUTO_INCREMENT,
//!   `name` text,
//! ) ENGINE=MyISAM;
//! INSERT INTO `feeds` VALUES (1,'use'),(2,'it''s \'this\'');
//! ```
//!
//! Columns are in any order, and each statement is on its own line.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::iter::Peekable;
use std::str::Chars;

use anyhow::{Result, bail};

/// The longest line read; longer ones belong to other tables.
const LINE_BYTES: u64 = 16 * 1024 * 1024;
/// The most rows.
const ROWS: usize = 20_000;

/// Returns the rows of a table, by column name, without NULL values.
///
/// # Errors
/// If the dump cannot be read, or the table's rows are not as expected.
pub(super) fn read_table(
    mut dump: impl BufRead,
    table: &str,
) -> Result<Vec<BTreeMap<String, String>>> {
    let create = format!("CREATE TABLE `{table}` (");
    let insert = format!("INSERT INTO `{table}` ");
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    let mut in_create = false;
    let (mut line, mut number) = (Vec::new(), 0_u64);
    while next_line(&mut dump, &mut line)? {
        number += 1;
        let text = String::from_utf8_lossy(&line);
        if text.starts_with(&create) {
            in_create = true;
        } else if in_create {
            match text
                .trim_start()
                .strip_prefix('`')
                .and_then(|it| it.split_once('`'))
            {
                Some((name, _)) => columns.push(name.to_owned()),
                // Keys, and the end of the table.
                None => in_create = !text.starts_with(')'),
            }
        } else if let Some(rest) = text.strip_prefix(&insert) {
            let Some(read) = SqlValues::read(rest, &columns) else {
                bail!("line {number}: expected the values of the table {table}");
            };
            rows.extend(read);
            if rows.len() > ROWS {
                bail!("line {number}: the table {table} has more than {ROWS} rows");
            }
        }
    }
    Ok(rows)
}

/// Reads the next line into `line`, or the beginning of one that is too long; returns false after
/// the last.
fn next_line(dump: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool> {
    line.clear();
    if io::Read::take(&mut *dump, LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if !line.ends_with(b"\n") {
        dump.skip_until(b'\n')?;
    }
    Ok(true)
}

/// A value, without its quotes.
enum SqlValue {
    Null,
    Text(String),
}

/// The values of an INSERT.
struct SqlValues<'a>(Peekable<Chars<'a>>);

impl<'a> SqlValues<'a> {
    /// Parses `(`columns`) VALUES (1,'x'),(..);`, where the columns may be missing; `None` if it
    /// has another form.
    fn read(text: &'a str, columns: &[String]) -> Option<Vec<BTreeMap<String, String>>> {
        let (named, text) = text.split_once("VALUES ")?;
        let named: Vec<String> = named
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        let columns = if named.is_empty() { columns } else { &named };
        let mut values = Self(text.chars().peekable());
        let mut rows = Vec::new();
        while rows.len() <= ROWS {
            rows.push(values.row(columns)?);
            match values.0.next()? {
                ',' => {}
                ';' => return Some(rows),
                _ => return None,
            }
        }
        Some(rows)
    }

    fn row(&mut self, columns: &[String]) -> Option<BTreeMap<String, String>> {
        self.0.next_if_eq(&'(')?;
        let mut row = BTreeMap::new();
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                self.0.next_if_eq(&',')?;
            }
            if let SqlValue::Text(value) = self.value()? {
                row.insert(column.clone(), value);
            }
        }
        self.0.next_if_eq(&')')?;
        Some(row)
    }

    fn value(&mut self) -> Option<SqlValue> {
        let mut text = String::new();
        if self.0.next_if_eq(&'\'').is_none() {
            while let Some(character) = self.0.next_if(|it| !matches!(it, ',' | ')')) {
                text.push(character);
            }
            return Some(match text.as_str() {
                "NULL" => SqlValue::Null,
                _ => SqlValue::Text(text),
            });
        }
        loop {
            match self.0.next()? {
                '\'' => match self.0.next_if_eq(&'\'') {
                    Some(quote) => text.push(quote),
                    None => return Some(SqlValue::Text(text)),
                },
                '\\' => text.push(match self.0.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    other => other,
                }),
                character => text.push(character),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DUMP: &str = "-- MySQL dump 10.19\n\
        CREATE TABLE `other` (\n  `id` int\n);\nINSERT INTO `other` VALUES (1);\n\
        CREATE TABLE `feeds` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `name` text,\n  `unit` varchar(10) DEFAULT '',\n  \
        PRIMARY KEY (`id`),\n  KEY `x` (`name`)\n) ENGINE=MyISAM;\n\
        INSERT INTO `feeds` VALUES (1,'use','W'),(2,'it''s \\'a\\', (b);\\n',NULL);\n\
        INSERT INTO `feeds` (`name`, `id`) VALUES ('solar',3);\n";

    #[test]
    fn columns_are_by_name_and_texts_are_unescaped() {
        let rows = read_table(DUMP.as_bytes(), "feeds").unwrap();
        let expected = [
            vec![("id", "1"), ("name", "use"), ("unit", "W")],
            vec![("id", "2"), ("name", "it's 'a', (b);\n")],
            vec![("id", "3"), ("name", "solar")],
        ];
        let expected = expected.map(|row| {
            let owned = row
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()));
            owned.collect::<BTreeMap<_, _>>()
        });
        assert_eq!(rows, expected);
        for cut in ["(1,'use'", "(1,'use','W',5);", "1", ""] {
            let dump = DUMP.replace("(1,'use','W')", cut);
            let error = read_table(dump.as_bytes(), "feeds")
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("line 13: expected the values"),
                "{cut}: {error}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_dump_is_an_error_or_rows_of_its_own(
            text in "(CREATE TABLE `feeds` \\(\n|  `[a-z]{1,2}` int,\n|\\);?\n|INSERT INTO `feeds` VALUES |[(),;'\\\\`]|NULL|[0-9]|\\PC|\n){0,40}",
            damage in proptest::collection::vec(
                (any::<proptest::sample::Index>(), proptest::sample::select(&b"(),;'`x\n"[..])),
                0..4,
            ),
        ) {
            let mut damaged = DUMP.as_bytes().to_vec();
            for (place, byte) in damage {
                let place = place.index(damaged.len());
                damaged[place] = byte;
            }
            for dump in [text, String::from_utf8(damaged).unwrap()] {
                let rows = read_table(dump.as_bytes(), "feeds").unwrap_or_default();
                prop_assert!(rows.len() <= dump.matches('(').count());
                let mut names = rows.iter().flat_map(BTreeMap::keys);
                prop_assert!(names.all(|name| dump.contains(name)));
            }
        }
    }
}
