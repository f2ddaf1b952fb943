//! Numbers in the notations of other systems. The column and the file decide the meaning of a comma
//! or a point, never a single cell: `1,250` may be one and a quarter, or more than a thousand.

use std::str::FromStr;

use crate::domain::words::UnknownWord;

/// The content of a cell in a measure's column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number, as the file has it.
    Value(f64),
    /// Nothing at all.
    Empty,
    /// A word for a missing value, such as Home Assistant's `unavailable`.
    NoValue,
}

impl Cell {
    pub(crate) const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Empty | Self::NoValue => None,
        }
    }
}

/// Words for a missing value.
const NO_VALUE: [&str; 9] = [
    "null",
    "none",
    "nan",
    "unknown",
    "unavailable",
    "n/a",
    "na",
    "-",
    "--",
];

/// Whether a cell is empty, or a word for a missing value.
pub(crate) fn is_without_value(cell: &[u8]) -> bool {
    let is_word = |word: &&str| cell.eq_ignore_ascii_case(word.as_bytes());
    cell.is_empty() || NO_VALUE.iter().any(is_word)
}

/// The character before decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecimalMark {
    Point,
    Comma,
}

impl FromStr for DecimalMark {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "point" => Ok(Self::Point),
            "comma" => Ok(Self::Comma),
            _ => Err(UnknownWord {
                expected: "point or comma",
            }),
        }
    }
}

impl DecimalMark {
    /// The word of the option.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }

    const fn of(mark: u8) -> Self {
        if mark == b',' {
            Self::Comma
        } else {
            Self::Point
        }
    }
}

/// Evidence for the notation of a column or a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NotationSeen {
    /// Whether a comma, and a point, certainly preceded decimals.
    comma: bool,
    point: bool,
    /// The separator in doubtful numbers.
    doubtful: Option<DecimalMark>,
    doubtful_both: bool,
}

/// A number, and whether its only separator may separate thousands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReadNumber {
    pub(crate) cell: Cell,
    pub(crate) is_doubtful: bool,
}

impl NotationSeen {
    /// Reads a cell, and learns from it. The separator of a doubtful number is read as the decimal
    /// mark.
    ///
    /// # Errors
    /// The expected value, if the cell is neither a number nor a word for a missing value.
    pub(crate) fn read(&mut self, cell: &[u8]) -> Result<ReadNumber, &'static str> {
        let plain = |cell| ReadNumber {
            cell,
            is_doubtful: false,
        };
        let cell = cell.trim_ascii();
        let Some(first) = cell.first() else {
            return Ok(plain(Cell::Empty));
        };
        if !first.is_ascii_digit() && is_without_value(cell) {
            return Ok(plain(Cell::NoValue));
        }
        // Rust would read `nan` and `infinity` as numbers.
        if first.is_ascii_alphabetic() {
            return Err("expected a number");
        }
        // Almost all numbers of almost all files are plain.
        if !cell.contains(&b',')
            && cell.is_ascii()
            && !cell.contains(&b' ')
            && !cell.contains(&b'\'')
        {
            let text = std::str::from_utf8(cell).map_err(|_| "expected a number")?;
            if let Ok(number) = parse(text) {
                let is_doubtful = self.learn(text);
                return Ok(ReadNumber {
                    cell: Cell::Value(number),
                    is_doubtful,
                });
            }
        }
        let text = std::str::from_utf8(cell).map_err(|_| "expected a number")?;
        self.grouped(text)
    }

    /// Reads a number that may have separators of thousands.
    fn grouped(&mut self, text: &str) -> Result<ReadNumber, &'static str> {
        let expected = "expected a number";
        let text = text.trim_matches(is_space);
        if text.is_empty() {
            return Ok(ReadNumber {
                cell: Cell::Empty,
                is_doubtful: false,
            });
        }
        // Spaces and apostrophes always separate thousands.
        let spaced = |c: char| is_space(c) || c == '\'' || c == '’';
        if text.contains(spaced) {
            let whole = text.split([',', '.']).next().unwrap_or_default();
            if !is_grouped(whole.split(spaced)) {
                return Err(expected);
            }
        }
        let mut text: String = text.chars().filter(|c| !spaced(*c)).collect();
        let is_doubtful = self.learn(&text);
        let count = |mark: char| text.matches(mark).count();
        let (commas, points) = (count(','), count('.'));
        let last = text
            .rfind([',', '.'])
            .and_then(|at| text.as_bytes().get(at).copied());
        let thousands = match (commas, points, last) {
            (0, 0 | 1, _) | (1, 0, _) => None,
            (0, _, _) | (1.., 1, Some(b'.')) => Some(if commas > 0 { ',' } else { '.' }),
            (_, 0, _) => Some(','),
            (1, 1.., Some(b',')) => Some('.'),
            _ => return Err(expected),
        };
        if let Some(mark) = thousands {
            let decimal = if mark == ',' { '.' } else { ',' };
            let whole = text.split(decimal).next().unwrap_or_default();
            if !is_grouped(whole.split(mark)) {
                return Err(expected);
            }
            text.retain(|c| c != mark);
        }
        let number = parse(&text.replace(',', "."))?;
        Ok(ReadNumber {
            cell: Cell::Value(number),
            is_doubtful,
        })
    }

    /// Learns from the separators of a number; returns whether their meaning is doubtful.
    fn learn(&mut self, text: &str) -> bool {
        let mut marks = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| matches!(byte, b',' | b'.'));
        let Some((at, mark)) = marks.next() else {
            return false;
        };
        // The last of two different separators precedes decimals; equal ones separate thousands.
        if let Some((_, last)) = marks.next_back() {
            self.see(match (last == mark, mark) {
                (true, b',') => b'.',
                (true, _) => b',',
                (false, _) => last,
            });
            return false;
        }
        let whole = text.get(..at).unwrap_or_default();
        let whole = whole.trim_start_matches(['-', '+']);
        let after = text.get(at + 1..).unwrap_or_default();
        let is_group = after.len() == 3 && after.bytes().all(|byte| byte.is_ascii_digit());
        if is_group && (1..=3).contains(&whole.len()) && !whole.starts_with('0') {
            let mark = DecimalMark::of(mark);
            self.doubtful_both |= self.doubtful.is_some_and(|known| known != mark);
            self.doubtful = Some(mark);
            return true;
        }
        self.see(mark);
        false
    }

    fn see(&mut self, decimal: u8) {
        match DecimalMark::of(decimal) {
            DecimalMark::Comma => self.comma = true,
            DecimalMark::Point => self.point = true,
        }
    }

    /// Whether the separators in doubtful numbers separate thousands. `file` is the evidence of the
    /// other columns, `usual` the decimal mark of such files, and `asked` the user's choice.
    ///
    /// # Errors
    /// The question, if nothing decides.
    pub(crate) fn thousands(
        self,
        file: Self,
        usual: Option<DecimalMark>,
        asked: Option<DecimalMark>,
    ) -> Result<bool, String> {
        let Some(doubtful) = self.doubtful else {
            return Ok(false);
        };
        let own = self.certain().or_else(|| file.certain());
        if let Some(decimal) = asked.or(own).or(usual).filter(|_| !self.doubtful_both) {
            return Ok(decimal != doubtful);
        }
        let example = match doubtful {
            DecimalMark::Comma => "1,250",
            DecimalMark::Point => "1.250",
        };
        Err(format!(
            "its numbers such as {example} may mean one and a quarter, or more than a thousand: add --decimals comma if decimals follow a comma, or --decimals point"
        ))
    }

    const fn certain(self) -> Option<DecimalMark> {
        match (self.comma, self.point) {
            (true, false) => Some(DecimalMark::Comma),
            (false, true) => Some(DecimalMark::Point),
            _ => None,
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Whether the first of these parts has one to three digits, and the others have three.
fn is_grouped<'a>(parts: impl Iterator<Item = &'a str>) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.enumerate().all(|(index, part)| {
        let part = if index == 0 {
            part.trim_start_matches(['-', '+'])
        } else {
            part
        };
        let length = if index == 0 { 1..=3 } else { 3..=3 };
        is_number(part) && length.contains(&part.len())
    })
}

fn parse(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) => Ok(number),
        Ok(_) => Err("expected a finite number"),
        Err(_) => Err("expected a number"),
    }
}

/// Reads a number whose decimals follow a point.
///
/// # Errors
/// The expected value, if it is neither a number nor a word for a missing value.
pub(crate) fn plain_number(cell: &[u8]) -> Result<Cell, &'static str> {
    if cell.contains(&b',') {
        return Err("expected a number");
    }
    Ok(NotationSeen::default().read(cell)?.cell)
}

/// Whether a cell has a number.
pub(crate) fn is_number(cell: &[u8]) -> bool {
    matches!(NotationSeen::default().read(cell), Ok(read) if matches!(read.cell, Cell::Value(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: &str) -> Result<Cell, &'static str> {
        NotationSeen::default()
            .read(cell.as_bytes())
            .map(|it| it.cell)
    }

    #[test]
    fn numbers() {
        for (cell, number) in [
            ("234", 234.0),
            (" -0.5 ", -0.5),
            ("1e3", 1_000.0),
            ("+7", 7.0),
            (".25", 0.25),
            ("70.3", 70.3),
            ("1,5", 1.5),
            ("1.234,5", 1_234.5),
            ("1,234.5", 1_234.5),
            ("1.234.567", 1_234_567.0),
            ("1 234,5", 1_234.5),
            ("1\u{a0}234\u{202f}567,5", 1_234_567.5),
            ("-1'234.5", -1_234.5),
            ("0.1000000000000000055511151231257827", 0.1),
        ] {
            assert_eq!(read(cell), Ok(Cell::Value(number)), "{cell}");
        }
        for cell in [
            "1 5", "0x10", "12W", "abc", "-inf", "1.2.3", "1,2,3", "1.23,4.5", "\"1\"", "１",
            "12.34,5",
        ] {
            assert!(read(cell).is_err(), "{cell}");
        }
        assert_eq!(read("1e999"), Err("expected a finite number"));
        assert_eq!(read(&format!("{:.400}", 1e-300)), Ok(Cell::Value(1e-300)));
    }

    #[test]
    fn no_value() {
        assert_eq!(read(""), Ok(Cell::Empty));
        assert_eq!(read("  "), Ok(Cell::Empty));
        for cell in ["unknown", "unavailable", "null", "NaN", "None", "NULL", "-"] {
            assert_eq!(read(cell), Ok(Cell::NoValue), "{cell}");
        }
        assert!(read("inf").is_err());
    }

    /// Whether the doubtful numbers of a column with these cells have separators of thousands.
    fn thousands(cells: &[&str], usual: Option<DecimalMark>) -> Result<bool, String> {
        let mut seen = NotationSeen::default();
        for cell in cells {
            seen.read(cell.as_bytes()).unwrap();
        }
        seen.thousands(NotationSeen::default(), usual, None)
    }

    #[test]
    fn the_column_says_what_a_separator_is() {
        for (cells, is_thousands) in [
            (&["1.001", "999,5"][..], true),
            (&["1,250", "0.5"], true),
            (&["1,250", "0,250"], false),
            (&["1.250", "12345.678"], false),
            (&["1.250", "1,250.5"], false),
            (&["1.250", "1.250.000"], true),
            (&["850", "1e3"], false),
        ] {
            assert_eq!(thousands(cells, None), Ok(is_thousands), "{cells:?}");
        }
        assert!(
            thousands(&["850", "1,250", "2,400"], None)
                .unwrap_err()
                .contains("--decimals comma")
        );
        assert_eq!(thousands(&["1,250"], Some(DecimalMark::Point)), Ok(true));
        assert!(thousands(&["1.250", "1,250"], Some(DecimalMark::Point)).is_err());
        let mut column = NotationSeen::default();
        column.read(b"1,250").unwrap();
        let mut file = NotationSeen::default();
        file.read(b"0,31").unwrap();
        assert_eq!(column.thousands(file, None, None), Ok(false));
        assert_eq!(
            column.thousands(file, None, Some(DecimalMark::Point)),
            Ok(true)
        );
    }
}
