//! The cells of a sheet, one after another.

use anyhow::{Context as _, Result, bail};
use quick_xml::events::BytesStart;

use super::SharedTexts;
use super::number_format::time_text;
use super::part::{PIECE, PartXml, RichText, XmlPiece, attribute, without_escapes};

/// The maximum number of rows and columns.
const ROWS: u32 = 1_048_576;
const COLUMNS: u32 = 1_000;

/// A cell as text, by its row and column from 0.
pub(super) struct SheetCell {
    pub(super) row: u32,
    pub(super) column: usize,
    pub(super) text: String,
}

/// The terms that all sheets share: texts, and by style whether numbers are times.
#[derive(Default)]
pub(super) struct CellTerms {
    pub(super) texts: SharedTexts,
    pub(super) are_times: Vec<bool>,
    pub(super) is_1904: bool,
}

/// A sheet being read.
pub(super) struct SheetCells<'a> {
    part: PartXml<'a>,
    terms: &'a CellTerms,
    /// The place of the next cell that does not say its own.
    row: u32,
    column: u32,
    is_in_data: bool,
}

/// The start of a cell.
struct CellStart {
    place: Option<(u32, u32)>,
    kind: Option<String>,
    style: usize,
}

impl<'a> SheetCells<'a> {
    pub(super) const fn new(part: PartXml<'a>, terms: &'a CellTerms) -> Self {
        Self {
            part,
            terms,
            row: 0,
            column: 0,
            is_in_data: false,
        }
    }

    /// The next cell; `None` after the last.
    ///
    /// # Errors
    /// If the sheet is damaged or too large.
    pub(super) fn next(&mut self) -> Result<Option<SheetCell>> {
        loop {
            let start = match self.part.next()? {
                XmlPiece::End => return Ok(None),
                XmlPiece::Open(start) => match start.local_name().as_ref() {
                    "sheetData" => {
                        self.is_in_data = true;
                        continue;
                    }
                    "row" if self.is_in_data => {
                        if let Some(number) = attribute(&start, "r")? {
                            let row = number.parse::<u32>().ok();
                            let row = row.and_then(|row| row.checked_sub(1));
                            self.row =
                                row.with_context(|| not_a("the number of a row", &number))?;
                        }
                        continue;
                    }
                    "c" if self.is_in_data => CellStart::of(&start)?,
                    _ => continue,
                },
                XmlPiece::Close(end) => {
                    match end.local_name().as_ref() {
                        "sheetData" => self.is_in_data = false,
                        "row" => (self.row, self.column) = (self.row.saturating_add(1), 0),
                        _ => {}
                    }
                    continue;
                }
                XmlPiece::Text(_) | XmlPiece::Other => continue,
            };
            let (row, column) = start.place.unwrap_or((self.row, self.column));
            if row >= ROWS || column >= COLUMNS {
                bail!("it has more than {ROWS} rows or {COLUMNS} columns: save it as CSV");
            }
            self.column = column + 1;
            let text = self.text(&start);
            let text = text.with_context(|| format!("row {}, column {}", row + 1, column + 1))?;
            let column = usize::try_from(column)?;
            return Ok(Some(SheetCell { row, column, text }));
        }
    }

    /// Reads the rest of a cell.
    fn text(&mut self, start: &CellStart) -> Result<String> {
        let (mut value, mut is_value) = (String::new(), false);
        let mut rich = None::<RichText>;
        loop {
            let piece = self.part.next()?;
            match &piece {
                XmlPiece::Open(inner) if inner.local_name().as_ref() == "v" => is_value = true,
                XmlPiece::Open(inner) if inner.local_name().as_ref() == "is" => {
                    rich = Some(RichText::default());
                }
                XmlPiece::Close(end) if end.local_name().as_ref() == "v" => is_value = false,
                XmlPiece::Close(end) if end.local_name().as_ref() == "c" => break,
                XmlPiece::Text(text) if is_value => value.push_str(text),
                XmlPiece::End => bail!("it ends too early"),
                piece => {
                    if let Some(rich) = &mut rich {
                        rich.take(piece)?;
                    }
                }
            }
            if value.len() > PIECE {
                bail!("a value has more than 1 MiB: save the workbook as CSV");
            }
        }
        match rich {
            Some(rich) => Ok(rich.text),
            None => self.terms.text(start, value),
        }
    }
}

impl CellTerms {
    /// The text of a value.
    fn text(&self, start: &CellStart, value: String) -> Result<String> {
        let plain = value.trim();
        if plain.is_empty() && start.kind.as_deref() != Some("str") {
            return Ok(String::new());
        }
        Ok(match start.kind.as_deref() {
            None | Some("n") => match plain.parse::<f64>() {
                Ok(number) if self.are_times.get(start.style) == Some(&true) => {
                    time_text(number, self.is_1904)
                }
                Ok(number) => number.to_string(),
                Err(_) if start.kind.is_none() => value,
                Err(_) => bail!(not_a("a number", plain)),
            },
            Some("s") => {
                let index = plain.parse().ok();
                let text = index.and_then(|index| self.texts.get(index));
                text.with_context(|| not_a("the number of a shared text", plain))?
                    .to_owned()
            }
            Some("b") => match plain {
                "0" => "false".to_owned(),
                "1" => "true".to_owned(),
                other => other.to_lowercase(),
            },
            // A fault such as #DIV/0!, or a text that only `is` may have.
            Some("e" | "inlineStr" | "is") => String::new(),
            Some("str") => without_escapes(&value).into_owned(),
            // A time such as 2026-01-05T10:15:00.
            Some("d") => value,
            Some(other) => bail!(not_a("a kind of cell", other)),
        })
    }
}

impl CellStart {
    fn of(start: &BytesStart) -> Result<Self> {
        let place = attribute(start, "r")?;
        let place = place.map(|name| place_of(&name).with_context(|| not_a("a cell", &name)));
        let style = attribute(start, "s")?.map_or(Ok(0), |style| style.parse());
        Ok(Self {
            place: place.transpose()?,
            kind: attribute(start, "t")?.map(std::borrow::Cow::into_owned),
            style: style.unwrap_or_default(),
        })
    }
}

/// The row and the column of a cell, such as `XFD1048576`.
fn place_of(name: &str) -> Option<(u32, u32)> {
    let digits = name.find(|it: char| it.is_ascii_digit())?;
    let (letters, row) = name.split_at_checked(digits)?;
    let mut column = 0_u32;
    for letter in letters.bytes() {
        let number = match letter {
            b'A'..=b'Z' => letter - b'A' + 1,
            b'a'..=b'z' => letter - b'a' + 1,
            _ => return None,
        };
        column = column.checked_mul(26)?.checked_add(number.into())?;
    }
    let row: u32 = row.parse().ok()?;
    Some((row.checked_sub(1)?, column.checked_sub(1)?))
}

/// An error about a wrong text in a part.
fn not_a(expected: &str, found: &str) -> String {
    let found: String = found.chars().take(40).collect();
    format!("expected {expected}, got {found:?}")
}
