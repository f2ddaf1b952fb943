//! The elements of an XML file, one after another, in bounded memory.

use std::io::BufReader;

use anyhow::{Result, bail};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::source::RowBytes;
use crate::ingest::table::TableBytes as _;

/// The maximum nesting of elements; real files have about a dozen levels.
const DEPTH: usize = 64;
/// The longest text or attribute that is read.
pub(super) const TEXT_BYTES: usize = 1_000;

/// The start or the end of an element, which is the last of a path of names without prefixes.
pub(super) enum XmlStep<'a> {
    Open(&'a [String], &'a BytesStart<'a>),
    /// With the text before the end.
    Close(&'a [String], &'a str),
}

/// Calls `step` for each start and end of an element.
///
/// # Errors
/// If it is not XML, nested too deep, or `step` fails.
pub(super) fn walk(
    source: RowBytes,
    mut step: impl FnMut(XmlStep<'_>) -> Result<()>,
) -> Result<()> {
    let mut xml = Reader::from_reader(BufReader::with_capacity(64 * 1024, source));
    xml.config_mut().expand_empty_elements = true;
    let mut path: Vec<String> = Vec::new();
    let (mut buffer, mut text) = (Vec::new(), String::new());
    loop {
        buffer.clear();
        // `RowBytes` bounds the size of one element, or one text.
        xml.get_mut().get_mut().row_ended();
        let event = xml.read_event_into(&mut buffer);
        let Ok(event) = event else {
            bail!("byte {}: expected XML: it is damaged", xml.error_position());
        };
        match event {
            Event::Start(start) => {
                if path.len() == DEPTH {
                    bail!(
                        "byte {}: its elements are nested too deep",
                        xml.buffer_position()
                    );
                }
                path.push(start.local_name().as_ref().to_owned());
                text.clear();
                step(XmlStep::Open(&path, &start))?;
            }
            Event::Text(part) if text.len() + part.len() <= TEXT_BYTES => {
                text.push_str(&part);
            }
            Event::CData(part) if text.len() + part.len() <= TEXT_BYTES => {
                text.push_str(&part);
            }
            Event::GeneralRef(reference) => {
                if let Ok(Some(character)) = reference.resolve_char_ref() {
                    text.push(character);
                }
            }
            Event::End(_) => {
                step(XmlStep::Close(&path, text.trim()))?;
                text.clear();
                path.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if !path.is_empty() {
        bail!("it ends too early: it is incomplete");
    }
    Ok(())
}

/// An attribute of an element; `None` if it has none of this name, or a long one.
pub(super) fn attribute(start: &BytesStart, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok()??;
    // Codes and addresses have no other escapes.
    (found.value.len() <= TEXT_BYTES).then(|| found.value.replace("&amp;", "&"))
}
