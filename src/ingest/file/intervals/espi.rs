//! The elements of Green Button's XML that are read: an Atom feed whose entries contain resources
//! of [ESPI](https://www.naesb.org/ESPI_Standards.asp), in any order, linked by addresses. Other
//! elements are skipped.

use std::rc::Rc;

use anyhow::{Result, bail};
use quick_xml::events::BytesStart;

use crate::ingest::file::source::RowBytes;
use crate::ingest::file::xml_walk::{XmlStep, attribute, walk};

/// The maximum numbers of series and types, of parts of all series together, and of links of one.
const METERS: usize = 200;
const BLOCKS: usize = 100_000;
const LINKS: usize = 200;
/// The maximum number of readings, of all series together.
const READINGS: usize = 4_000_000;

/// The parts of a feed that readings need.
#[derive(Debug, Default)]
pub(super) struct EspiFeed {
    pub(super) meters: Vec<EspiMeter>,
    pub(super) types: Vec<EspiType>,
    pub(super) blocks: Vec<EspiBlock>,
    readings: usize,
    /// The block's own unit.
    block_unit: Option<i64>,
}

/// The addresses of an entry.
#[derive(Debug, Default)]
pub(super) struct EspiLinks {
    pub(super) own: String,
    pub(super) up: String,
    pub(super) related: Vec<String>,
}

/// A series of readings.
#[derive(Debug)]
pub(super) struct EspiMeter {
    pub(super) links: Rc<EspiLinks>,
}

/// The meaning of a series' numbers, as codes of the standard.
#[derive(Clone, Debug, Default)]
pub(super) struct EspiType {
    pub(super) links: Rc<EspiLinks>,
    pub(super) accumulation: Option<i64>,
    pub(super) commodity: Option<i64>,
    pub(super) direction: Option<i64>,
    pub(super) length: Option<i64>,
    pub(super) kind: Option<i64>,
    pub(super) multiplier: Option<i64>,
    pub(super) unit: Option<i64>,
}

/// A part of a series.
#[derive(Debug, Default)]
pub(super) struct EspiBlock {
    pub(super) links: Rc<EspiLinks>,
    /// The number of series before it in the file.
    pub(super) after_meters: usize,
    /// Seconds since 1970.
    pub(super) start: Option<i64>,
    pub(super) readings: Vec<EspiReading>,
}

/// A reading: its time in seconds since 1970 and its length in seconds, if given, and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EspiReading {
    pub(super) start: Option<i64>,
    pub(super) duration: Option<i64>,
    pub(super) value: Option<f64>,
}

/// The entry that is being read.
#[derive(Debug, Default)]
struct EspiEntry {
    links: EspiLinks,
    meter: bool,
    kind: Option<EspiType>,
    blocks: Vec<EspiBlock>,
    block_unit: Option<i64>,
}

/// Reads a feed.
///
/// # Errors
/// If it is not XML, or too large.
pub(super) fn read_feed(source: RowBytes) -> Result<EspiFeed> {
    let (mut feed, mut entry) = (EspiFeed::default(), EspiEntry::default());
    walk(source, |step| {
        match step {
            XmlStep::Open(path, start) => entry.open(path, start, &mut feed)?,
            XmlStep::Close(path, text) => {
                entry.close(path, text);
                if path.last().is_some_and(|name| name == "entry") {
                    feed.take(std::mem::take(&mut entry))?;
                }
            }
        }
        Ok(())
    })?;
    Ok(feed)
}

impl EspiEntry {
    /// Handles the start of an element, the last of `path`.
    fn open(&mut self, path: &[String], start: &BytesStart, feed: &mut EspiFeed) -> Result<()> {
        match path.last().map(String::as_str) {
            Some("link") => self.link(start),
            Some("MeterReading") => self.meter = true,
            Some("ReadingType") => self.kind = Some(EspiType::default()),
            Some("IntervalBlock") => {
                if feed.blocks.len() + self.blocks.len() == BLOCKS {
                    bail!("it has more than {BLOCKS} blocks: split it");
                }
                self.blocks.push(EspiBlock {
                    after_meters: feed.meters.len(),
                    ..EspiBlock::default()
                });
            }
            Some("IntervalReading") => {
                feed.readings += 1;
                if feed.readings > READINGS {
                    bail!("it has more than {READINGS} readings: split it");
                }
                if let Some(block) = self.blocks.last_mut() {
                    block.readings.push(EspiReading::default());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn link(&mut self, start: &BytesStart) {
        let (Some(rel), Some(href)) = (attribute(start, "rel"), attribute(start, "href")) else {
            return;
        };
        let links = &mut self.links;
        match rel.as_str() {
            "self" => links.own = href,
            "up" => links.up = href,
            "related" if links.related.len() < LINKS => links.related.push(href),
            _ => {}
        }
    }

    /// Handles the end of an element with `text`, the last of `path`.
    fn close(&mut self, path: &[String], text: &str) {
        let [.., parent, name] = path else { return };
        let number = || text.parse::<i64>().ok();
        if let Some(kind) = self.kind.as_mut().filter(|_| parent == "ReadingType") {
            match name.as_str() {
                "accumulationBehaviour" => kind.accumulation = number(),
                "commodity" => kind.commodity = number(),
                "flowDirection" => kind.direction = number(),
                "intervalLength" => kind.length = number(),
                "kind" => kind.kind = number(),
                "powerOfTenMultiplier" => kind.multiplier = number(),
                "uom" => kind.unit = number(),
                _ => {}
            }
        }
        let Some(block) = self.blocks.last_mut() else {
            return;
        };
        match (parent.as_str(), name.as_str()) {
            ("interval", "start") => block.start = number(),
            ("interval" | "IntervalReading", "uom") => self.block_unit = number(),
            ("timePeriod", "start" | "duration") | ("IntervalReading", "value") => {
                let Some(reading) = block.readings.last_mut() else {
                    return;
                };
                match name.as_str() {
                    "start" => reading.start = number(),
                    "duration" => reading.duration = number(),
                    _ => reading.value = text.parse().ok().filter(|value: &f64| value.is_finite()),
                }
            }
            _ => {}
        }
    }
}

impl EspiFeed {
    /// Adds the series and the type of a feed that omits them.
    pub(super) fn complete(&mut self) {
        if self.types.is_empty() {
            self.types.push(EspiType {
                unit: self.block_unit,
                ..EspiType::default()
            });
        }
        if self.meters.is_empty() {
            self.meters.push(EspiMeter {
                links: Rc::default(),
            });
        }
    }

    fn take(&mut self, entry: EspiEntry) -> Result<()> {
        if self.meters.len() == METERS || self.types.len() == METERS {
            bail!("it has more than {METERS} series");
        }
        self.block_unit = entry.block_unit.or(self.block_unit);
        // Shared, because an entry may have many blocks.
        let links = Rc::new(entry.links);
        if entry.meter {
            self.meters.push(EspiMeter {
                links: Rc::clone(&links),
            });
        }
        if let Some(kind) = entry.kind {
            self.types.push(EspiType {
                links: Rc::clone(&links),
                ..kind
            });
        }
        for block in entry.blocks {
            self.blocks.push(EspiBlock {
                links: Rc::clone(&links),
                ..block
            });
        }
        Ok(())
    }
}
