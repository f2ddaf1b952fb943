//! Workbooks of Excel (`.xlsx`): a zip with parts of XML. They are read in bounded memory: only
//! texts that cells share are kept, and sizes that a workbook states are never trusted.
//!
//! - `part`: the XML of a part; `sheet`: the cells of a sheet
//! - `number_format`: numbers that are times

mod number_format;
mod part;
mod sheet;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::Cursor;

use anyhow::{Context as _, Result, bail};
use zip::ZipArchive;

use self::number_format::{is_time_format, is_time_id};
use self::part::{PartXml, RichText, UnpackingRoom, XmlPiece, attribute};
use self::sheet::{CellTerms, SheetCells};
use super::csv_row::write_row;

/// The maximum number of cells in all sheets, and of sheets.
const CELLS: u64 = 8_000_000;
const SHEETS: usize = 1_000;
/// The longest row, in bytes.
const ROW: usize = 4 * 1024 * 1024;

/// An opened workbook.
pub(super) struct Workbook<'a> {
    parts: BookParts<'a>,
    terms: CellTerms,
    sheets: Vec<BookSheet>,
    /// The number of cells so far. Several sheets may be the same part.
    cells: u64,
}

/// A sheet of a workbook.
struct BookSheet {
    name: String,
    part: String,
}

/// The parts of a workbook.
struct BookParts<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Their places in the archive, by name in small letters: Excel ignores case.
    places: HashMap<String, usize>,
    room: UnpackingRoom,
}

/// A part that another one names.
struct Relation {
    kind: &'static str,
    id: String,
    part: String,
}

/// Texts that cells share, by their number.
#[derive(Default)]
struct SharedTexts {
    /// All of them, one after another.
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl<'a> Workbook<'a> {
    /// Opens a workbook whose parts have at most `most` bytes.
    ///
    /// # Errors
    /// If it is damaged or too large.
    pub(super) fn open(archive: ZipArchive<Cursor<&'a [u8]>>, most: u64) -> Result<Self> {
        let named = archive.file_names().enumerate();
        let named = named.filter_map(|(place, name)| Some((key(&name.ok()?), place)));
        let places = named.collect();
        let mut parts = BookParts {
            archive,
            places,
            room: UnpackingRoom::new(most),
        };
        let main = parts.relations("_rels/.rels", "", &["officeDocument"])?;
        let main = main.into_iter().next().map(|relation| relation.part);
        let main = main.unwrap_or_else(|| "xl/workbook.xml".to_owned());
        let name = main.rsplit('/').next().unwrap_or_default();
        let folder = main.strip_suffix(name).unwrap_or_default();
        let kinds = ["worksheet", "sharedStrings", "styles"];
        let relations = parts.relations(&format!("{folder}_rels/{name}.rels"), folder, &kinds)?;
        let part_of = |kind: &str| {
            let found = relations.iter().find(|relation| relation.kind == kind);
            found.map_or_else(|| format!("{folder}{kind}.xml"), |it| it.part.clone())
        };
        let (texts, styles) = (part_of("sharedStrings"), part_of("styles"));
        let (sheets, is_1904) = parts.sheets(&main, &relations).context(main)?;
        let terms = CellTerms {
            texts: parts.texts(&texts).context(texts)?,
            are_times: parts.styles(&styles).context(styles)?,
            is_1904,
        };
        Ok(Self {
            parts,
            terms,
            sheets,
            cells: 0,
        })
    }

    /// The names of all sheets, hidden ones included.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.sheets.iter().map(|sheet| sheet.name.as_str())
    }

    /// A sheet as CSV, of at most `most` bytes. Only its cells count, not the range that it states.
    ///
    /// # Errors
    /// If it is damaged or too large.
    pub(super) fn csv(&mut self, index: usize, most: u64) -> Result<Vec<u8>> {
        let Some(sheet) = self.sheets.get(index) else {
            bail!("there is no sheet {index}");
        };
        let Some(part) = self.parts.open(&sheet.part)? else {
            bail!("the sheet {:?} is missing", sheet.name);
        };
        let cells = SheetCells::new(part, &self.terms);
        let text = csv_of(cells, most, &mut self.cells);
        text.with_context(|| format!("sheet {:?}", sheet.name))
    }
}

/// Formats cells as CSV, and counts them in `count`.
fn csv_of(mut cells: SheetCells, most: u64, count: &mut u64) -> Result<Vec<u8>> {
    let (mut text, mut row, mut at) = (Vec::new(), Vec::<String>::new(), 0);
    // Counts bytes: all cells of a row may be the same long text, which the workbook stores once.
    let mut row_bytes = 0;
    while let Some(cell) = cells.next()? {
        *count += 1;
        if *count > CELLS {
            bail!("the workbook has more than {CELLS} cells: save it as CSV");
        }
        if cell.row != at {
            write_row(&mut text, &row);
            row.clear();
            row_bytes = 0;
            at = cell.row;
        }
        if row.len() <= cell.column {
            row.resize(cell.column + 1, String::new());
        }
        row_bytes += cell.text.len();
        if row_bytes > ROW || (text.len() + row_bytes) as u64 > most {
            bail!(
                "it is too large: save it as CSV, and import parts of up to {} MiB",
                most >> 20
            );
        }
        if let Some(to) = row.get_mut(cell.column) {
            *to = cell.text;
        }
    }
    if !row.is_empty() {
        write_row(&mut text, &row);
    }
    Ok(text)
}

impl BookParts<'_> {
    /// Opens a part; `None` if there is none of this name.
    fn open(&mut self, name: &str) -> Result<Option<PartXml<'_>>> {
        let Some(place) = self.places.get(&key(name)) else {
            return Ok(None);
        };
        let part = self.archive.by_index(*place);
        let part = part.with_context(|| format!("{name} is damaged, or has a password"))?;
        Ok(Some(PartXml::new(part, &mut self.room)))
    }

    /// The parts of these kinds that the part at `path` names, relative to `folder`.
    fn relations(
        &mut self,
        path: &str,
        folder: &str,
        kinds: &[&'static str],
    ) -> Result<Vec<Relation>> {
        let mut found = Vec::new();
        let Some(mut part) = self.open(path)? else {
            return Ok(found);
        };
        loop {
            let start = match part.next().with_context(|| path.to_owned())? {
                XmlPiece::Open(start) => start,
                XmlPiece::End => return Ok(found),
                _ => continue,
            };
            let [id, kind, target] = [
                attribute(&start, "Id")?,
                attribute(&start, "Type")?,
                attribute(&start, "Target")?,
            ];
            let (Some(id), Some(kind), Some(target)) = (id, kind, target) else {
                continue;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default();
            let Some(kind) = kinds.iter().find(|known| **known == kind) else {
                continue;
            };
            if found.len() == SHEETS {
                bail!("{path} names more than {SHEETS} sheets: save one as CSV");
            }
            let part = match target.strip_prefix('/') {
                Some(whole) => whole.to_owned(),
                None => format!("{folder}{target}"),
            };
            found.push(Relation {
                kind,
                id: id.into_owned(),
                part,
            });
        }
    }

    /// The sheets, without those of charts, and whether days are counted from 1904.
    fn sheets(&mut self, path: &str, relations: &[Relation]) -> Result<(Vec<BookSheet>, bool)> {
        let (mut sheets, mut is_1904) = (Vec::new(), false);
        let Some(mut part) = self.open(path)? else {
            bail!("it is missing: the workbook is incomplete");
        };
        loop {
            let start = match part.next()? {
                XmlPiece::Open(start) => start,
                XmlPiece::End => return Ok((sheets, is_1904)),
                _ => continue,
            };
            match start.local_name().as_ref() {
                "sheet" if sheets.len() < SHEETS => {
                    let id = attribute(&start, "id")?.unwrap_or_default();
                    let relation = relations
                        .iter()
                        .find(|it| it.kind == "worksheet" && it.id == id);
                    let name = attribute(&start, "name")?.unwrap_or_default();
                    sheets.extend(relation.map(|relation| BookSheet {
                        name: name.chars().take(100).collect(),
                        part: relation.part.clone(),
                    }));
                }
                "workbookPr" => {
                    if let Some(value) = attribute(&start, "date1904")? {
                        is_1904 = matches!(&*value, "1" | "true");
                    }
                }
                _ => {}
            }
        }
    }

    /// The shared texts. How many there are is counted, not read.
    fn texts(&mut self, path: &str) -> Result<SharedTexts> {
        let mut texts = SharedTexts::default();
        let Some(mut part) = self.open(path)? else {
            return Ok(texts);
        };
        let mut rich = None::<RichText>;
        loop {
            let piece = part.next()?;
            match (&piece, &mut rich) {
                (XmlPiece::End, _) => return Ok(texts),
                (XmlPiece::Open(start), None) if start.local_name().as_ref() == "si" => {
                    rich = Some(RichText::default());
                }
                (XmlPiece::Close(end), Some(own)) if end.local_name().as_ref() == "si" => {
                    texts.push(&own.text)?;
                    rich = None;
                }
                (piece, Some(own)) => own.take(piece)?,
                _ => {}
            }
        }
    }

    /// For each style, whether its numbers are times.
    fn styles(&mut self, path: &str) -> Result<Vec<bool>> {
        let (mut are_times, mut formats) = (Vec::new(), HashMap::new());
        let Some(mut part) = self.open(path)? else {
            return Ok(are_times);
        };
        // Of the lists of styles and formats in the part, cells use these.
        let (mut in_formats, mut in_styles) = (false, false);
        loop {
            let start = match part.next()? {
                XmlPiece::Open(start) => start,
                XmlPiece::Close(end) => {
                    match end.local_name().as_ref() {
                        "numFmts" => in_formats = false,
                        "cellXfs" => in_styles = false,
                        _ => {}
                    }
                    continue;
                }
                XmlPiece::End => return Ok(are_times),
                _ => continue,
            };
            let id = || -> Result<Option<u32>> {
                Ok(attribute(&start, "numFmtId")?.and_then(|id| id.parse().ok()))
            };
            match start.local_name().as_ref() {
                "numFmts" => in_formats = true,
                "cellXfs" => in_styles = true,
                "numFmt" if in_formats => {
                    if let (Some(id), Some(format)) = (id()?, attribute(&start, "formatCode")?) {
                        formats.insert(id, is_time_format(&format));
                    }
                }
                "xf" if in_styles => are_times.push(id()?.is_some_and(|id| {
                    let own = formats.get(&id).copied();
                    own.unwrap_or_else(|| is_time_id(id))
                })),
                _ => {}
            }
        }
    }
}

impl SharedTexts {
    fn push(&mut self, text: &str) -> Result<()> {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len())?);
        Ok(())
    }

    fn get(&self, index: usize) -> Option<&str> {
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        let end = *self.ends.get(index)?;
        self.text
            .get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// A part's name in the form that it is looked up by.
fn key(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
}
