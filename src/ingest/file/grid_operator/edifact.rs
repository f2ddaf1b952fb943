//! Segments of [EDIFACT](https://en.wikipedia.org/wiki/EDIFACT): a name, then elements of parts.
//!
//! ```text
//! UNA:+.? 'QTY+220:0.25:KWH'DTM+163:202601050000?+00:303'
//! ```

use std::io::{BufRead as _, BufReader};

use anyhow::{Result, bail};

use crate::ingest::file::source::{ImportSource, RowBytes};
use crate::ingest::table::TableBytes as _;

/// The longest segment, in bytes: real ones have some dozens.
const SEGMENT: usize = 64 * 1024;
/// The length of the segment that names the marks.
const MARKS: usize = 9;

/// Whether a text that begins with `head` has segments of EDIFACT.
pub(in crate::ingest::file) fn begins_with_edifact(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let rest = match (head.starts_with(b"UNA"), head.get(MARKS..)) {
        (true, Some(rest)) => rest.trim_ascii_start(),
        _ => head,
    };
    rest.starts_with(b"UNB") && rest.get(3).is_some_and(u8::is_ascii_punctuation)
}

/// The characters between the parts of segments.
#[derive(Clone, Copy)]
struct ServiceMarks {
    part: u8,
    element: u8,
    /// The one before a mark that is none.
    release: u8,
    end: u8,
}

/// Segments that are being read.
pub(super) struct EdiSegments {
    source: BufReader<RowBytes>,
    marks: ServiceMarks,
    number: u64,
    bytes: Vec<u8>,
}

/// A segment.
pub(super) struct EdiSegment {
    /// Its number, from 1, without that of the marks.
    pub(super) number: u64,
    elements: Vec<Vec<String>>,
}

impl EdiSegment {
    /// The part of an element, both counted from 0; the first element is the name. Empty if it is
    /// not there.
    pub(super) fn part(&self, element: usize, part: usize) -> &str {
        let element = self.elements.get(element);
        let part = element.and_then(|element| element.get(part));
        part.map_or("", |part| part.trim())
    }
}

impl EdiSegments {
    pub(super) fn open(source: ImportSource) -> Self {
        let head = source.head.trim_ascii_start();
        let given = match head.get(3..MARKS) {
            Some(&[part, element, _, release, _, end]) if head.starts_with(b"UNA") => {
                Some([part, element, release, end])
            }
            _ => None,
        };
        let [part, element, release, end] = given.unwrap_or(*b":+?'");
        Self {
            marks: ServiceMarks {
                part,
                element,
                release,
                end,
            },
            source: BufReader::with_capacity(64 * 1024, source.rows()),
            number: 0,
            bytes: Vec::new(),
        }
    }

    /// The next segment; `None` after the last.
    ///
    /// # Errors
    /// If it cannot be read, or ends within a segment.
    pub(super) fn next(&mut self) -> Result<Option<EdiSegment>> {
        loop {
            if !self.read_bytes()? {
                return Ok(None);
            }
            // Its marks are no elements.
            if !self.bytes.trim_ascii_start().starts_with(b"UNA") {
                break;
            }
        }
        self.number += 1;
        Ok(Some(EdiSegment {
            number: self.number,
            elements: self.marks.elements(self.bytes.trim_ascii_start()),
        }))
    }

    fn read_bytes(&mut self) -> Result<bool> {
        self.bytes.clear();
        self.source.get_mut().row_ended();
        loop {
            // `RowBytes` bounds the segment, too.
            let read = self.source.read_until(self.marks.end, &mut self.bytes)?;
            if read == 0 && self.bytes.trim_ascii().is_empty() {
                return Ok(false);
            }
            let number = self.number + 1;
            if read == 0 {
                bail!("segment {number} has no end: the file is incomplete");
            }
            if self.bytes.len() > SEGMENT {
                bail!("segment {number} has more than {} KiB", SEGMENT >> 10);
            }
            let is_end = self.bytes.last() == Some(&self.marks.end);
            let before = self.bytes.iter().rev().skip(1);
            let released = before.take_while(|byte| **byte == self.marks.release);
            // The marks themselves begin with the release mark and a space.
            if is_end && released.count() % 2 == 0 {
                self.bytes.pop();
                return Ok(true);
            }
        }
    }
}

impl ServiceMarks {
    fn elements(self, segment: &[u8]) -> Vec<Vec<String>> {
        let (mut elements, mut parts, mut part) = (Vec::new(), Vec::new(), Vec::new());
        let text = |part: &mut Vec<u8>| String::from_utf8_lossy(&std::mem::take(part)).into_owned();
        let mut bytes = segment.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                _ if byte == self.release => part.extend(bytes.next()),
                _ if byte == self.part => parts.push(text(&mut part)),
                _ if byte == self.element => {
                    parts.push(text(&mut part));
                    elements.push(std::mem::take(&mut parts));
                }
                _ => part.push(byte),
            }
        }
        parts.push(text(&mut part));
        elements.push(parts);
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Vec<Vec<String>>>> {
        let mut segments = EdiSegments::open(ImportSource::of_bytes(text.into()).unwrap());
        let mut found = Vec::new();
        while let Some(segment) = segments.next()? {
            found.push(segment.elements);
        }
        Ok(found)
    }

    #[test]
    fn segments_with_any_marks() {
        let expected = [
            vec![vec!["UNB"], vec!["UNOC", "3"]],
            vec![vec!["PIA"], vec!["5"], vec!["1-1:1.29.0", "SRW"]],
        ];
        for text in [
            "UNB+UNOC:3'PIA+5+1-1?:1.29.0:SRW'",
            "UNA:+.? 'UNB+UNOC:3'\r\nPIA+5+1-1?:1.29.0:SRW'\r\n",
            "UNA|!,\\ ~UNB!UNOC|3~PIA!5!1-1:1.29.0|SRW~",
        ] {
            assert!(begins_with_edifact(text.as_bytes()), "{text}");
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert_eq!(read("UNB+a?'b??'").unwrap(), [[["UNB"], ["a'b?"]]]);
        assert!(!begins_with_edifact(b"UNBOUND;1"));
        let cut = read("UNB+1'QTY+2").unwrap_err().to_string();
        assert_eq!(cut, "segment 2 has no end: the file is incomplete");
        assert!(read(&format!("UNB+{}'", "x".repeat(SEGMENT))).is_err());
    }
}
