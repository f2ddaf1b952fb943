//! InfluxDB's line protocol, as its
//! [reference](https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/) has it:
//!
//! ```text
//! measurement,tag=value,tag=value field=1.5,field=2i,field="text" 1767607200
//! ```
//!
//! - A backslash stands before `,`, `=` and a space in names and tag values, before `"` and itself in a text; before anything else
//!   it is an ordinary character.
//! - A value is a float, an integer (`2i`), an unsigned integer (`2u`), a boolean (`t`, `true`, `f`, ..) or a text in quotes,
//!   which may have line feeds in it.
//! - A line that begins with `#` is a comment. Empty lines count for nothing; a carriage return before the line feed neither.
//! - What comes after a line that cannot be read is read all the same.

use std::borrow::Cow;

use thiserror::Error;

use super::value::Value;

/// One line: a point of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// The measurement's name.
    pub measurement: Cow<'a, str>,
    /// The tags with their values, in the order in which they came.
    pub tags: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The fields with their values, in the order in which they came; at least one.
    pub fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// The time, in the precision that the request names.
    pub timestamp: Option<i64>,
}

/// What is wrong with a line, in the words of InfluxDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// Nothing comes before the first comma or space.
    #[error("missing measurement")]
    Measurement,
    /// A tag has no name.
    #[error("missing tag key")]
    TagKey,
    /// A tag has no value.
    #[error("missing tag value")]
    TagValue,
    /// A second `=` in a tag.
    #[error("invalid tag format")]
    TagFormat,
    /// The line ends before its fields.
    #[error("missing fields")]
    Fields,
    /// A field has no name.
    #[error("missing field key")]
    FieldKey,
    /// A field has no value.
    #[error("missing field value")]
    FieldValue,
    /// A value is neither a number nor a boolean nor a text in quotes.
    #[error("invalid number or boolean")]
    Number,
    /// A text has no end.
    #[error("unbalanced quotes")]
    Quotes,
    /// Something follows a text's end.
    #[error("invalid field format")]
    FieldFormat,
    /// What follows the fields is no integer.
    #[error("bad timestamp")]
    Timestamp,
    /// The bytes are no UTF-8.
    #[error("not UTF-8")]
    Encoding,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unable to parse '{text}': {problem} (line {number})")]
pub struct LineError {
    /// Which line of the body, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub problem: Problem,
    /// How it begins.
    text: String,
}

/// The lines of a body, each with its number from 1.
pub struct Lines<'a> {
    rest: &'a [u8],
    /// Of the line that `rest` begins with.
    number: usize,
}

/// The lines of `body`, but for empty ones and comments.
#[must_use]
pub const fn lines(body: &[u8]) -> Lines<'_> {
    Lines {
        rest: body,
        number: 1,
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, Result<Line<'a>, LineError>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut cursor = Cursor { rest: self.rest };
            cursor.skip(b" \t\r");
            let number = self.number;
            match cursor.peek()? {
                b'\n' => {}
                b'#' => {
                    cursor.take_until(b"", b"");
                }
                _ => match cursor.line() {
                    Ok(line) => {
                        self.go_on_at(cursor.rest);
                        return Some((number, Ok(line)));
                    }
                    Err(problem) => {
                        let text = begin_of(self.rest);
                        // From where it began: what looked like a text with line feeds in it may be lines.
                        let mut cursor = Cursor { rest: self.rest };
                        cursor.skip_line();
                        self.go_on_at(cursor.rest);
                        let error = LineError {
                            number,
                            problem,
                            text,
                        };
                        return Some((number, Err(error)));
                    }
                },
            }
            self.go_on_at(cursor.rest);
        }
    }
}

impl<'a> Lines<'a> {
    /// Goes on behind the line feed that `rest` begins with.
    fn go_on_at(&mut self, rest: &'a [u8]) {
        let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        let passed = self.rest.len().saturating_sub(rest.len());
        let passed = self.rest.get(..passed).unwrap_or_default();
        self.number += passed.split(|&byte| byte == b'\n').count() - 1;
        self.rest = rest;
    }
}

/// The first characters of a line, as they may be shown.
fn begin_of(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let line = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    // A character takes four bytes at most.
    let begin = line.get(..4 * LONGEST).unwrap_or(line);
    let text = String::from_utf8_lossy(begin);
    let mut shown = String::new();
    for character in text.trim_end().chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.trim_end().chars().nth(LONGEST).is_some() || begin.len() < line.len() {
        shown.push('…');
    }
    shown
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn line(&mut self) -> Result<Line<'a>, Problem> {
        let measurement = name(self.take_until(b", \t", b", \t"), b", ")?;
        if measurement.is_empty() {
            return Err(Problem::Measurement);
        }
        let mut tags = Vec::new();
        while self.take(b',') {
            tags.push(self.tag()?);
        }
        self.skip(b" \t");
        let mut fields = Vec::new();
        if matches!(self.peek(), None | Some(b'\n' | b'\r')) {
            return Err(Problem::Fields);
        }
        loop {
            fields.push(self.field()?);
            if !self.take(b',') {
                break;
            }
        }
        Ok(Line {
            measurement,
            tags,
            fields,
            timestamp: self.timestamp()?,
        })
    }

    fn tag(&mut self) -> Result<(Cow<'a, str>, Cow<'a, str>), Problem> {
        let key = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if key.is_empty() {
            return Err(Problem::TagKey);
        }
        if !self.take(b'=') {
            return Err(Problem::TagValue);
        }
        let value = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if value.is_empty() {
            return Err(Problem::TagValue);
        }
        if self.peek() == Some(b'=') {
            return Err(Problem::TagFormat);
        }
        Ok((key, value))
    }

    fn field(&mut self) -> Result<(Cow<'a, str>, Value<'a>), Problem> {
        let key = name(self.take_until(b"=, ", b"=, "), b",= ")?;
        if key.is_empty() {
            return Err(Problem::FieldKey);
        }
        if !self.take(b'=') {
            return Err(Problem::FieldValue);
        }
        if !self.take(b'"') {
            let value = self.take_until(b", \t\r", b"");
            return Ok((key, Value::plain(value)?));
        }
        let text = name(self.take_text()?, b"\"\\")?;
        match self.peek() {
            None | Some(b',' | b' ' | b'\t' | b'\r' | b'\n') => Ok((key, Value::Text(text))),
            Some(_) => Err(Problem::FieldFormat),
        }
    }

    /// What follows the fields, up to the line's end.
    fn timestamp(&mut self) -> Result<Option<i64>, Problem> {
        let text = self.take_until(b"", b"").trim_ascii();
        if text.is_empty() {
            return Ok(None);
        }
        let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or(Problem::Timestamp)
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

    /// What comes before one of `stops` or the line's end. A backslash takes one of `escaped` along.
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

    /// What comes before the quote that ends a text; the quote goes with it.
    fn take_text(&mut self) -> Result<&'a [u8], Problem> {
        let all = self.rest;
        let mut length = 0;
        loop {
            match all.get(length) {
                None => return Err(Problem::Quotes),
                Some(b'"') => break,
                Some(b'\\') => length += 2,
                Some(_) => length += 1,
            }
        }
        self.advance(length + 1);
        Ok(all.get(..length).unwrap_or_default())
    }
}

/// A name or text without the backslashes that stand before one of `escaped`.
fn name<'a>(bytes: &'a [u8], escaped: &[u8]) -> Result<Cow<'a, str>, Problem> {
    let text = str::from_utf8(bytes).map_err(|_| Problem::Encoding)?;
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
#[path = "line_tests.rs"]
mod tests;
