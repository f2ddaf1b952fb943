//! Texts in other encodings, converted to UTF-8.

use std::io::{self, Read};

use encoding_rs::{
    CoderResult, Decoder, Encoding, ISO_8859_2, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252,
};

use crate::ingest::table::known_words;

const BUFFER: usize = 32 * 1024;
/// The length of an XML declaration that is searched for an encoding, in bytes.
const DECLARATION: usize = 200;

/// The encoding of a text that begins with `head`; `None` for UTF-8, and for data that is not text.
pub(super) fn encoding_of(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"\xff\xfe") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\xfe\xff") {
        return Some(UTF_16BE);
    }
    // Without a byte order mark: almost every character of a table has a zero byte, on the same
    // side.
    let zeros = |offset: usize| {
        head.iter()
            .take(512)
            .skip(offset)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let pairs = head.len().min(512) / 2;
    if pairs > 3 && zeros(1) * 4 > pairs * 3 && zeros(0) == 0 {
        return Some(UTF_16LE);
    }
    if pairs > 3 && zeros(0) * 4 > pairs * 3 && zeros(1) == 0 {
        return Some(UTF_16BE);
    }
    let is_text = !head.iter().any(|byte| *byte < 9);
    match std::str::from_utf8(head) {
        // The last character may be incomplete.
        Err(error) if error.error_len().is_some() && is_text => {
            Some(declared(head).unwrap_or_else(|| likely(head)))
        }
        _ => declared(head).filter(|_| is_text),
    }
}

/// The encoding that gives the most known words, and the fewest symbols inside words.
fn likely(head: &[u8]) -> &'static Encoding {
    let doubt = |encoding: &&'static Encoding| {
        let (text, ..) = encoding.decode(head);
        let letters: Vec<_> = text.chars().collect();
        let is_odd = |three: &&[char]| match three {
            [a, b, c] => {
                let is_symbol = |c: &char| !c.is_ascii() && !c.is_alphabetic();
                is_symbol(b) && a.is_alphabetic() && (c.is_alphabetic() || is_symbol(c))
            }
            _ => false,
        };
        let odd = letters.windows(3).filter(is_odd).count();
        (std::cmp::Reverse(known_words(&text)), odd)
    };
    let all = [WINDOWS_1252, WINDOWS_1250, ISO_8859_2];
    all.into_iter().min_by_key(doubt).unwrap_or(WINDOWS_1252)
}

/// The encoding that XML declares, unless it is UTF-8.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let start = head.get(..DECLARATION).unwrap_or(head);
    let text = String::from_utf8_lossy(start);
    let (declaration, _) = text.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, rest) = declaration.split_once("encoding=")?;
    let label = rest.get(1..)?.split(['"', '\'']).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    (encoding.is_ascii_compatible() && encoding != encoding_rs::UTF_8).then_some(encoding)
}

/// Converts a text from another encoding to UTF-8. Invalid bytes become `�`.
pub(super) struct Utf8Reader<R> {
    source: R,
    decoder: Decoder,
    input: Vec<u8>,
    /// Decoded bytes, and the number already read.
    output: Vec<u8>,
    at: usize,
    is_done: bool,
}

impl<R: Read> Utf8Reader<R> {
    pub(super) fn new(source: R, encoding: &'static Encoding) -> Self {
        Self {
            source,
            decoder: encoding.new_decoder_with_bom_removal(),
            input: Vec::new(),
            output: Vec::new(),
            at: 0,
            is_done: false,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        let count = self.source.read(&mut buffer)?;
        self.input
            .extend_from_slice(buffer.get(..count).unwrap_or_default());
        self.output.resize(4 * BUFFER, 0);
        let (result, read, written, _) =
            self.decoder
                .decode_to_utf8(&self.input, &mut self.output, count == 0);
        self.input.drain(..read);
        self.output.truncate(written);
        self.at = 0;
        self.is_done = count == 0 && result == CoderResult::InputEmpty;
        Ok(())
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.output.len() {
            if self.is_done {
                return Ok(0);
            }
            self.fill()?;
        }
        let count = self
            .output
            .get(self.at..)
            .unwrap_or_default()
            .read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_encodings() {
        let text = "time;Zähler (kWh)\n2026-01-05 10:00;1\u{a0}250,5\n";
        let utf16 =
            |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<_>>();
        let (latin, ..) = WINDOWS_1252.encode(text);
        for bytes in [
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
            latin.into_owned(),
        ] {
            let encoding = encoding_of(&bytes).unwrap();
            let mut read = String::new();
            Utf8Reader::new(bytes.as_slice(), encoding)
                .read_to_string(&mut read)
                .unwrap();
            assert_eq!(read, text);
        }
        for (text, encoding) in [
            ("Data;Zużycie energii [kWh]\n", WINDOWS_1250),
            ("Data;Zużycie;Początek\n", ISO_8859_2),
            ("Datum;Spotřeba (kWh)\n", WINDOWS_1250),
            ("Datum;Hodnota;naměřená\nČas;Začátek\n", WINDOWS_1250),
            ("data;pobór;przyłącze\n", WINDOWS_1250),
            ("Zeit;Gas (m³);Straße\n", WINDOWS_1252),
            ("Horodate;Énergie consommée\n", WINDOWS_1252),
            ("Dato;Måling\n", WINDOWS_1252),
        ] {
            let (bytes, _, has_fault) = encoding.encode(text);
            assert!(!has_fault, "{text}");
            let found = encoding_of(&bytes).unwrap();
            assert_eq!(found.decode(&bytes).0, text);
        }
        assert_eq!(encoding_of(text.as_bytes()), None);
        let cut = text.as_bytes().get(..7).unwrap();
        assert_eq!(encoding_of(cut), None);
        let xml = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>";
        assert_eq!(encoding_of(xml), Some(WINDOWS_1252));
        assert_eq!(encoding_of(b"SQLite format 3\0\x10\xff\xff\x00\x01"), None);
    }
}
