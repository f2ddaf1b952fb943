//! Numbers and energies as people type them in forms, read by the language of the page.
//!
//! `12.345,6` and `12,345.6` mean the same in any language. With one kind of mark, that of the
//! language's decimals is a decimal mark. The other one stands between thousands where it can:
//! `15.363` on a German page is read as 15363, and the reader is asked, because others mean 15,363.

use std::cell::RefCell;

use crate::domain::{Decimal, MicroWh};
use crate::texts::Language;

/// Reads the numbers of a form.
pub(crate) struct Numbers {
    language: &'static Language,
    /// The numbers that may mean another one: as typed, and as read.
    doubts: RefCell<Vec<[String; 2]>>,
}

impl Numbers {
    pub(crate) fn new(language: &'static Language) -> Self {
        Self {
            language,
            doubts: RefCell::default(),
        }
    }

    /// A typed number in plain form: without spaces and marks between thousands, and with a decimal
    /// point.
    pub(crate) fn plain(&self, text: &str) -> String {
        let (plain, is_doubtful) = read(text, &self.language.say("number-decimal"));
        if is_doubtful {
            let doubt = [text.trim().to_owned(), plain.clone()];
            let mut doubts = self.doubts.borrow_mut();
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
        plain
    }

    /// The number in a field; `None` if the field contains none.
    pub(crate) fn decimal(&self, text: &str) -> Option<Decimal> {
        Decimal::parse(&self.plain(text)).ok()
    }

    /// The energy in a field, in kilowatt-hours; `None` if the field contains none.
    pub(crate) fn kilowatthours(&self, text: &str) -> Option<MicroWh> {
        let number = self.decimal(text)?;
        // A millionth of a kilowatt-hour is a thousand millionths of a watt-hour.
        Some(MicroWh::new(number.millionths().saturating_mul(1_000)))
    }

    /// A question for each number that may mean another one.
    pub(crate) fn questions(&self) -> Vec<String> {
        let doubts = self.doubts.borrow();
        let asked = doubts.iter().map(|[typed, read]| {
            let values = [
                ("typed", typed.as_str().into()),
                ("read", read.as_str().into()),
            ];
            self.language.fill("sure-number", values)
        });
        asked.collect()
    }
}

/// A typed number in plain form, and whether it may mean another one. `decimal` is the decimal mark
/// of the language.
fn read(text: &str, decimal: &str) -> (String, bool) {
    let is_space = |c: char| c.is_whitespace() || c == '\'' || c == '\u{2019}';
    let text: String = text.chars().filter(|c| !is_space(*c)).collect();
    let is_mark = |c: char| c == '.' || c == ',';
    let marks: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| is_mark(*c)).collect();
    let (Some(&(first, mark)), Some(&(last, last_mark))) = (marks.first(), marks.last()) else {
        return (plain(&text, None), false);
    };
    let group = |at: usize| {
        let digits = text.get(at + 1..).unwrap_or_default();
        let digits = digits.split(is_mark).next().unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let whole = text.get(..first).unwrap_or_default();
    let whole = whole.trim_start_matches(['-', '\u{2212}', '+']);
    let begins = !whole.is_empty() && whole.len() <= 3 && !whole.starts_with('0');
    if mark != last_mark {
        return (plain(&text, Some(last)), false);
    }
    let can_group = begins && marks.iter().all(|(at, _)| group(*at));
    let is_decimal = decimal.starts_with(mark);
    match (can_group, marks.len()) {
        // Several marks of one kind: `1.234.567`, or no number.
        (true, 2..) => (plain(&text, None), false),
        (false, 2..) => (text, false),
        (true, _) if !is_decimal => (plain(&text, None), true),
        _ => (plain(&text, Some(last)), false),
    }
}

/// The number whose decimal mark is at `decimal`, without other marks.
fn plain(text: &str, decimal: Option<usize>) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '.' | ',' if Some(at) == decimal => plain.push('.'),
            '.' | ',' => {}
            '\u{2212}' => plain.push('-'),
            c => plain.push(c),
        }
    }
    plain
}

/// An energy as a field shows it: in kilowatt-hours, to a millionth, with the decimal mark of the
/// language.
pub(crate) fn kilowatthours_text(energy: MicroWh, language: &Language) -> String {
    let rounded = (energy.millionths().saturating_add(500)).div_euclid(1_000);
    let number = Decimal::from_millionths(rounded).to_string();
    field_text(&number, language)
}

/// A plain number as a field shows it: without marks between thousands, which would be asked about.
pub(crate) fn field_text(plain: &str, language: &Language) -> String {
    plain.replace('.', &language.say("number-decimal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(tag: &str) -> Numbers {
        Numbers::new(Language::of_tag(tag).unwrap())
    }

    #[test]
    fn numbers_are_read_by_the_language_of_the_page() {
        // As typed; in English and in German, with a `?` if the reader is asked.
        for (text, english, german) in [
            ("12345.6", "12345.6", "12345.6"),
            ("12345,6", "12345.6", "12345.6"),
            ("12 345,6", "12345.6", "12345.6"),
            ("12\u{202F}345.6", "12345.6", "12345.6"),
            ("12.345,6", "12345.6", "12345.6"),
            ("12,345.6", "12345.6", "12345.6"),
            ("1'234.5", "1234.5", "1234.5"),
            ("1.234.567", "1234567", "1234567"),
            ("1,234,567.8", "1234567.8", "1234567.8"),
            ("15.363", "15.363", "15363?"),
            ("15,363", "15363?", "15.363"),
            ("-15.363", "-15.363", "-15363?"),
            ("\u{2212}1", "-1", "-1"),
            // No thousands begin with 0, or have another number of digits.
            ("0.321", "0.321", "0.321"),
            ("0,321", "0.321", "0.321"),
            ("0.32", "0.32", "0.32"),
            ("32.15", "32.15", "32.15"),
            ("1234.567", "1234.567", "1234.567"),
            ("15.3631", "15.3631", "15.3631"),
            (".5", ".5", ".5"),
            ("12345", "12345", "12345"),
        ] {
            for (tag, expected) in [("en", english), ("de", german)] {
                let numbers = numbers(tag);
                let read = numbers.plain(text);
                let is_asked = expected.ends_with('?');
                assert_eq!(read, expected.trim_end_matches('?'), "{text} {tag}");
                assert_eq!(numbers.questions().len(), usize::from(is_asked), "{text}");
            }
        }
        for wrong in [
            "",
            "1.2.3",
            "1,2,3.4,5",
            "1e3",
            "12 kWh",
            "0.0000001",
            "1.23.456",
        ] {
            assert_eq!(numbers("en").kilowatthours(wrong), None, "{wrong}");
            assert_eq!(numbers("de").kilowatthours(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_doubtful_number_is_asked_about_once() {
        let numbers = numbers("de");
        for _ in 0..2 {
            assert_eq!(
                numbers.kilowatthours("15.363"),
                Some(MicroWh::new(15_363_000_000_000))
            );
        }
        let [asked] = &*numbers.questions() else {
            panic!("{:?}", numbers.questions());
        };
        assert!(
            asked.contains("15.363") && asked.contains("15363"),
            "{asked}"
        );
    }

    #[test]
    fn what_a_field_shows_is_read_without_a_question() {
        for tag in ["en", "de"] {
            let language = Language::of_tag(tag).unwrap();
            for millionths in [15_363_000_000_000, 345_678_000_000, 1_000, -2_500_000_000] {
                let energy = MicroWh::new(millionths);
                let numbers = numbers(tag);
                let text = kilowatthours_text(energy, language);
                assert_eq!(numbers.kilowatthours(&text), Some(energy), "{text}");
                assert_eq!(numbers.questions(), Vec::<String>::new(), "{text}");
            }
        }
        let shown = MicroWh::from_watthours(12_345_600.000_4);
        assert_eq!(kilowatthours_text(shown, Language::english()), "12345.6");
    }
}
