//! InfluxDB's line protocol, according to its
//! [reference](https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/):
//!
//! ```text
//! measurement,tag=value,tag=value field=1.5,field=2i,field="text" 1767607200
//! ```
//!
//! - A backslash escapes `,`, `=` and a space in names and tag values, and `"` and itself in a
//!   text. Before anything else it is an ordinary character.
//! - A value is a float, an integer (`2i`), an unsigned integer (`2u`), a boolean (`t`, `true`,
//!   `f`, ..) or a text in quotes, which may contain line feeds.
//! - A line that begins with `#` is a comment. Empty lines are ignored, and so is a carriage return
//!   before the line feed.
//! - An invalid line does not affect later ones.

use std::borrow::Cow;

use super::problem::{LineProblem, line_error};
use super::value::FieldValue;

/// The maximum number of tags in a line; InfluxDB's clients have a few.
const MAX_TAGS: usize = 256;
/// The maximum number of fields in a line; each may be looked up by each rule of the settings.
const MAX_FIELDS: usize = 1_024;

/// One line: a point of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct InfluxLine<'a> {
    /// The measurement's name.
    pub measurement: Cow<'a, str>,
    /// The tags with their values, in order.
    pub tags: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The fields with their values, in order; at least one.
    pub fields: Vec<(Cow<'a, str>, FieldValue<'a>)>,
    /// The time, in the precision of the request.
    pub timestamp: Option<i64>,
}

/// The lines of a body, each with its number from 1.
pub struct LineIter<'a> {
    rest: &'a [u8],
    /// The number of the line at the start of `rest`.
    number: usize,
}

/// The lines of `body`, without empty ones and comments.
#[must_use]
pub const fn lines(body: &[u8]) -> LineIter<'_> {
    LineIter {
        rest: body,
        number: 1,
    }
}

impl<'a> Iterator for LineIter<'a> {
    type Item = (usize, Result<InfluxLine<'a>, String>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut cursor = LineCursor { rest: self.rest };
            // A carriage return alone is also an empty line.
            cursor.skip(b" \t\r");
            let number = self.number;
            match cursor.peek()? {
                b'\n' => {}
                b'#' => cursor.skip_line(),
                _ => match cursor.line() {
                    Ok(line) => {
                        self.resume_at(cursor.rest);
                        return Some((number, Ok(line)));
                    }
                    Err(problem) => {
                        let error = line_error(number, problem, self.rest);
                        // Back to its start, because an apparent text with line feeds may be
                        // separate lines.
                        let mut cursor = LineCursor { rest: self.rest };
                        cursor.skip_line();
                        self.resume_at(cursor.rest);
                        return Some((number, Err(error)));
                    }
                },
            }
            self.resume_at(cursor.rest);
        }
    }
}

impl<'a> LineIter<'a> {
    /// Resumes after the line feed at the start of `rest`.
    fn resume_at(&mut self, rest: &'a [u8]) {
        let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        let passed = self.rest.len().saturating_sub(rest.len());
        let passed = self.rest.get(..passed).unwrap_or_default();
        // There is one more part than line feeds.
        self.number += passed.split(|&byte| byte == b'\n').count() - 1;
        self.rest = rest;
    }
}

struct LineCursor<'a> {
    rest: &'a [u8],
}

impl<'a> LineCursor<'a> {
    fn line(&mut self) -> Result<InfluxLine<'a>, LineProblem> {
        let measurement = name(self.take_until(b", \t", b", \t"), b", ")?;
        if measurement.is_empty() {
            return Err("missing measurement");
        }
        let mut tags = Vec::new();
        while self.take(b',') {
            if tags.len() == MAX_TAGS {
                return Err("too many tags (256 at most)");
            }
            tags.push(self.tag()?);
        }
        self.skip(b" \t");
        // For InfluxDB this is a different error from a field without a name.
        if matches!(self.peek(), None | Some(b'\n' | b'\r')) {
            return Err("missing fields");
        }
        let mut fields = Vec::new();
        loop {
            if fields.len() == MAX_FIELDS {
                return Err("too many fields (1024 at most)");
            }
            fields.push(self.field()?);
            if !self.take(b',') {
                break;
            }
        }
        Ok(InfluxLine {
            measurement,
            tags,
            fields,
            timestamp: self.timestamp()?,
        })
    }

    fn tag(&mut self) -> Result<(Cow<'a, str>, Cow<'a, str>), LineProblem> {
        let key = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if key.is_empty() {
            return Err("missing tag key");
        }
        if !self.take(b'=') {
            return Err("missing tag value");
        }
        let value = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if value.is_empty() {
            return Err("missing tag value");
        }
        if self.peek() == Some(b'=') {
            return Err("invalid tag format");
        }
        Ok((key, value))
    }

    fn field(&mut self) -> Result<(Cow<'a, str>, FieldValue<'a>), LineProblem> {
        let key = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if key.is_empty() {
            return Err("missing field key");
        }
        if !self.take(b'=') {
            return Err("missing field value");
        }
        if !self.take(b'"') {
            let value = self.take_until(b", \t\r", b"");
            return Ok((key, FieldValue::plain(value)?));
        }
        let text = name(self.take_text()?, b"\"\\")?;
        match self.peek() {
            None | Some(b',' | b' ' | b'\t' | b'\r' | b'\n') => Ok((key, FieldValue::Text(text))),
            Some(_) => Err("invalid field format"),
        }
    }

    /// Parses the rest of the line after the fields.
    fn timestamp(&mut self) -> Result<Option<i64>, LineProblem> {
        let text = self.take_until(b"", b"").trim_ascii();
        if text.is_empty() {
            return Ok(None);
        }
        let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or("bad timestamp")
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.advance(1);
        }
        is_next
    }

    fn skip(&mut self, bytes: &[u8]) {
        while self.peek().is_some_and(|byte| bytes.contains(&byte)) {
            self.advance(1);
        }
    }

    fn skip_line(&mut self) {
        self.take_until(b"", b"");
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Takes everything before one of `stops` or the end of the line. A backslash before one of
    /// `escaped` makes it ordinary.
    fn take_until(&mut self, stops: &[u8], escaped: &[u8]) -> &'a [u8] {
        let all = self.rest;
        let mut length = 0;
        while let Some(&byte) = all.get(length) {
            if byte == b'\n' || stops.contains(&byte) {
                break;
            }
            let takes_next = byte == b'\\'
                && all
                    .get(length + 1)
                    .is_some_and(|next| escaped.contains(next));
            length += if takes_next { 2 } else { 1 };
        }
        self.advance(length);
        all.get(..length).unwrap_or_default()
    }

    /// Takes the text before the closing quote, and skips the quote.
    fn take_text(&mut self) -> Result<&'a [u8], LineProblem> {
        let all = self.rest;
        let mut length = 0;
        loop {
            match all.get(length) {
                None => return Err("unbalanced quotes"),
                Some(b'"') => break,
                // This may go past the end of the body: `get` then finds nothing, and the quote is
                // missing.
                Some(b'\\') => length += 2,
                Some(_) => length += 1,
            }
        }
        self.advance(length + 1);
        Ok(all.get(..length).unwrap_or_default())
    }
}

/// A name or text, without the backslashes before one of `escaped`.
fn name<'a>(bytes: &'a [u8], escaped: &[u8]) -> Result<Cow<'a, str>, LineProblem> {
    let text = str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    if !bytes.contains(&b'\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.next_if(|&next| {
            character == '\\' && next.is_ascii() && escaped.contains(&(next as u8))
        });
        plain.push(next.unwrap_or(character));
    }
    Ok(Cow::Owned(plain))
}

#[cfg(test)]
mod tests;
