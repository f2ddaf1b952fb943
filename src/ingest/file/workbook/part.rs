//! A part of a workbook as XML: its elements by their names without prefixes, and their texts.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use anyhow::{Result, bail};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Error, Reader, XmlVersion};

/// The maximum nesting of elements; real parts have about a dozen levels.
const DEPTH: usize = 64;
/// The longest element or text, in bytes. Excel allows 32,767 characters in a cell.
pub(super) const PIECE: usize = 1024 * 1024;
const BUFFER: usize = 16 * 1024;

/// The bytes that may be unpacked, of all parts together. They are counted, because the sizes that
/// a file states may be wrong, and several sheets may be the same part.
pub(super) struct UnpackingRoom {
    most: u64,
    left: u64,
}

/// The bytes of a part.
struct PartBytes<'a> {
    part: Box<dyn Read + 'a>,
    room: &'a mut UnpackingRoom,
    /// The number of bytes since an element or a text began.
    since: usize,
}

/// A part being read.
pub(super) struct PartXml<'a> {
    xml: Reader<BufReader<PartBytes<'a>>>,
    buffer: Vec<u8>,
    depth: usize,
}

/// A piece of a part.
pub(super) enum XmlPiece<'b> {
    Open(BytesStart<'b>),
    Close(BytesEnd<'b>),
    Text(Cow<'b, str>),
    /// For example, a comment.
    Other,
    End,
}

impl UnpackingRoom {
    pub(super) const fn new(most: u64) -> Self {
        Self { most, left: most }
    }
}

impl Read for PartBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.part.read(buffer)?;
        self.since += count;
        if self.since > PIECE + BUFFER {
            let text = "an element has more than 1 MiB: save the workbook as CSV";
            return Err(io::Error::other(text));
        }
        let left = self.room.left.checked_sub(count as u64);
        self.room.left = left.ok_or_else(|| {
            let most = self.room.most >> 20;
            let text = format!("the workbook has more than {most} MiB: save it as CSV");
            io::Error::other(text)
        })?;
        Ok(count)
    }
}

impl<'a> PartXml<'a> {
    pub(super) fn new(part: impl Read + 'a, room: &'a mut UnpackingRoom) -> Self {
        let bytes = PartBytes {
            part: Box::new(part),
            room,
            since: 0,
        };
        let mut xml = Reader::from_reader(BufReader::with_capacity(BUFFER, bytes));
        xml.config_mut().expand_empty_elements = true;
        Self {
            xml,
            buffer: Vec::new(),
            depth: 0,
        }
    }

    /// The next piece. Read up to the end: only then is the checksum of the part known to be right.
    ///
    /// # Errors
    /// If the part is damaged, or too large.
    pub(super) fn next(&mut self) -> Result<XmlPiece<'_>> {
        self.buffer.clear();
        self.xml.get_mut().get_mut().since = 0;
        let event = match self.xml.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(Error::Io(why)) => bail!("{why}"),
            Err(_) => bail!("byte {}: expected XML", self.xml.error_position()),
        };
        Ok(match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.depth > DEPTH {
                    bail!("its elements are nested more than {DEPTH} deep");
                }
                XmlPiece::Open(start)
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                XmlPiece::Close(end)
            }
            Event::Text(text) => XmlPiece::Text(text.xml10_content()),
            Event::CData(text) => XmlPiece::Text(text.xml10_content()),
            Event::GeneralRef(name) => match (resolve_xml_entity(&name), name.resolve_char_ref()) {
                (Some(text), _) => XmlPiece::Text(Cow::Borrowed(text)),
                (None, Ok(Some(character))) => XmlPiece::Text(Cow::Owned(character.to_string())),
                _ => bail!("&{}; has no meaning", &*name),
            },
            Event::Eof if self.depth > 0 => bail!("it ends too early"),
            Event::Eof => XmlPiece::End,
            _ => XmlPiece::Other,
        })
    }
}

/// The value of an attribute with any prefix.
///
/// # Errors
/// If the attributes are malformed.
pub(super) fn attribute<'b>(start: &'b BytesStart, name: &str) -> Result<Option<Cow<'b, str>>> {
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute?;
        if attribute.key.local_name().as_ref() == name {
            return Ok(Some(attribute.normalized_value(XmlVersion::Implicit1_0)?));
        }
    }
    Ok(None)
}

/// The text of an element with formatted parts: that of its `t` elements, except those that say how
/// it is spoken.
#[derive(Default)]
pub(super) struct RichText {
    pub(super) text: String,
    /// Where the text of a `t` begins, and whether spaces around it count.
    open: Option<(usize, bool)>,
    is_spoken: bool,
}

impl RichText {
    /// Takes a piece inside of the element.
    ///
    /// # Errors
    /// If it is malformed, or the text is too long.
    pub(super) fn take(&mut self, piece: &XmlPiece) -> Result<()> {
        match piece {
            XmlPiece::Open(start) => match start.local_name().as_ref() {
                "rPh" => self.is_spoken = true,
                "t" if !self.is_spoken => {
                    let keeps_space = attribute(start, "space")?.as_deref() == Some("preserve");
                    self.open = Some((self.text.len(), keeps_space));
                }
                _ => {}
            },
            XmlPiece::Close(end) => match end.local_name().as_ref() {
                "rPh" => self.is_spoken = false,
                "t" => {
                    let Some((from, keeps_space)) = self.open.take() else {
                        return Ok(());
                    };
                    let own = self.text.split_off(from);
                    let spaces = [' ', '\t', '\r', '\n'];
                    let kept = if keeps_space {
                        &own
                    } else {
                        own.trim_matches(spaces)
                    };
                    self.text.push_str(&without_escapes(kept));
                }
                _ => {}
            },
            XmlPiece::Text(text) if self.open.is_some() => self.text.push_str(text),
            _ => {}
        }
        if self.text.len() > PIECE {
            bail!("a text has more than 1 MiB: save the workbook as CSV");
        }
        Ok(())
    }
}

/// A text in which `_x000D_` is the character of this number, as UTF-16.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    let escape = |at: &str| {
        let digits = at.strip_prefix("_x")?.get(..5)?.strip_suffix('_')?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let (mut units, mut rest) = (Vec::new(), text);
    while let Some(character) = rest.chars().next() {
        let length = if let Some(unit) = escape(rest) {
            units.push(unit);
            "_x000D_".len()
        } else {
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            character.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}
