//! Numbers as a language writes them.

use super::language::Language;
use super::region::Region;

impl Language {
    /// The mark before the decimals of a number.
    #[must_use]
    pub fn decimal_mark(&self) -> String {
        let marks = self.region().map(Region::marks);
        marks.map_or_else(|| self.say("number-decimal"), |(point, _)| point.to_owned())
    }

    /// A number as Rust prints it, such as `12345.6`, as this language writes it. Thousands are set
    /// apart if there are four or more digits before the point: English `12 345.6`, with thin
    /// no-break spaces; German `12.345,6`.
    #[must_use]
    pub fn number(&self, plain: &str) -> String {
        let (whole, decimals) = match plain.split_once('.') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (plain, None),
        };
        let digits = whole.bytes().filter(u8::is_ascii_digit).count();
        let mut text = String::with_capacity(plain.len() + 12);
        let marks = self.region().map(Region::marks);
        let group = marks.map_or_else(|| self.say("number-group"), |(_, group)| group.to_owned());
        let mut left = digits;
        for c in whole.chars() {
            let is_digit = c.is_ascii_digit();
            if is_digit && digits >= 4 && left < digits && left.is_multiple_of(3) {
                text.push_str(&group);
            }
            left -= usize::from(is_digit);
            text.push(c);
        }
        if let Some(decimals) = decimals {
            text.push_str(&self.decimal_mark());
            text.push_str(decimals);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_region_has_its_marks_in_any_language() {
        let german = Language::of_tag("de").unwrap();
        for (header, written) in [
            ("en-US,en;q=0.9", "1,234.5"),
            ("de-CH", "1\u{2019}234.5"),
            ("de-AT", "1\u{202F}234,5"),
            ("de-Latn-DE", "1.234,5"),
            // Of no region that is known.
            ("de", "1.234,5"),
            ("de-XX", "1.234,5"),
        ] {
            let language = german.in_region(Region::accepted(header));
            assert_eq!(language.number("1234.5"), written, "{header}");
            assert_eq!(language.say("energy-sum"), "Summe");
        }
    }

    #[test]
    fn each_language_has_its_marks() {
        let german = Language::of_tag("de").unwrap();
        for (plain, in_english, in_german) in [
            ("0", "0", "0"),
            ("999.25", "999.25", "999,25"),
            ("1000.25", "1\u{202F}000.25", "1.000,25"),
            ("12345", "12\u{202F}345", "12.345"),
            ("-2075259.5", "-2\u{202F}075\u{202F}259.5", "-2.075.259,5"),
            ("1.80e305", "1.80e305", "1,80e305"),
        ] {
            assert_eq!(Language::english().number(plain), in_english);
            assert_eq!(german.number(plain), in_german);
        }
    }
}
