//! Repair of sled's log in the copy of a damaged store.
//!
//! At a damaged message, sled 0.34.7 skips the rest of the segment or assumes the end of the log: a flipped bit costs 128 KiB
//! or more. Replacing the message by an empty one of the same length loses that message only.
//!
//! The log consists of segments of 128 KiB. Numbers are little-endian:
//!
//! | offset | bytes | content |
//! | --- | --- | --- |
//! | 0 | 4 | CRC-32 of the 16 bytes that follow, inverted |
//! | 4 | 8 | its position in the log, i64, all bits but the highest inverted |
//! | 12 | 8 | the position up to which the log was known to be stable, likewise |
//! | 20 | | messages; the last one is a cap, unless less than 32 bytes are left |
//!
//! A message:
//!
//! | bytes | content |
//! | --- | --- |
//! | 4 | CRC-32 of its body, then of the rest of its head, inverted |
//! | 1 | kind: 1 empty, 2 cap, 4 frees a page, 8 a whole page |
//! | 1 to 9 | length of the body |
//! | 1 to 9 | number of the segment: its position in the log divided by the length of segments |
//! | 1 to 9 | number of the page |
//! | | the body |
//!
//! Lengths and numbers are encoded as in `varint`.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::embedded::engine::open::SEGMENT_BYTES;

const SEGMENT_HEAD_BYTES: usize = 20;
/// No message begins with less than this left in a segment.
const LONGEST_HEAD: usize = 32;
/// Far more than any log has: keeps positions, 2^17 bytes per segment, from overflowing.
const MOST_SEGMENTS: u64 = u64::MAX >> 24;
const EMPTY: u8 = 1;
const CAP: u8 = 2;
const FREE: u8 = 4;
const PAGE: u8 = 8;
const LAST_KIND: u8 = 11;

/// What replaces a damaged message that held a whole page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageRepair {
    /// An empty message: the page stays as it was before.
    Outdated,
    /// One that frees the page. Needed if the message was the first about its page: sled panics on a page without a start.
    Freed,
}

/// Damaged bytes of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DamagedBytes {
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
}

/// Repairs the log in the file `db` from the log position `from` on. Returns what was damaged.
pub(crate) fn repair(db: &Path, from: u64, page: PageRepair) -> io::Result<Vec<DamagedBytes>> {
    let file = OpenOptions::new().read(true).write(true).open(db)?;
    let segments = find_segments(&file)?;
    let newest = segments.iter().map(|segment| segment.number).max();
    let mut damaged = Vec::new();
    for segment in &segments {
        let end = (segment.number + 1).saturating_mul(SEGMENT_BYTES as u64);
        // sled does not read what its snapshot includes.
        if end <= from {
            continue;
        }
        let mut bytes = read(&file, segment.offset, SEGMENT_BYTES)?;
        let is_newest = Some(segment.number) == newest;
        for (start, end) in mend(&mut bytes, segment.number, is_newest, page) {
            let place = segment.number * SEGMENT_BYTES as u64 + start as u64;
            // Mended as well, but not read by sled: nothing is lost there.
            if place >= from {
                damaged.push(DamagedBytes {
                    offset: segment.offset + start as u64,
                    bytes: end - start,
                });
            }
        }
        file.write_all_at(&bytes, segment.offset)?;
    }
    Ok(damaged)
}

struct Segment {
    offset: u64,
    number: u64,
}

/// The segments of the log. A segment with a damaged head is identified by its first message, and gets a new head.
fn find_segments(file: &File) -> io::Result<Vec<Segment>> {
    let length = file.metadata()?.len();
    let (mut segments, mut headless) = (Vec::new(), Vec::new());
    let mut numbers = BTreeSet::new();
    for offset in (0..length).step_by(SEGMENT_BYTES) {
        let head = read(file, offset, SEGMENT_HEAD_BYTES)?;
        if let Some(number) = number_of(&head) {
            numbers.insert(number);
            segments.push(Segment { offset, number });
        } else {
            headless.push(offset);
        }
    }
    // Only now are all valid numbers known: a stale segment must not take one of them.
    for offset in headless {
        let bytes = read(file, offset, SEGMENT_BYTES)?;
        let first = LogMessage::parse(&bytes, SEGMENT_HEAD_BYTES, None);
        let Some(number) = first.map(|it| it.segment).filter(|it| *it <= MOST_SEGMENTS) else {
            continue;
        };
        if numbers.insert(number) {
            file.write_all_at(&segment_head(number), offset)?;
            segments.push(Segment { offset, number });
        }
    }
    Ok(segments)
}

/// The `most` bytes at `offset`, or fewer at the end of the file: the last segment may be incomplete.
fn read(mut file: &File, offset: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    file.seek(SeekFrom::Start(offset))?;
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

const INVERTED: i64 = i64::MAX;

/// The number in the head of a segment, if the head is valid.
fn number_of(start: &[u8]) -> Option<u64> {
    let head = start.first_chunk::<SEGMENT_HEAD_BYTES>()?;
    let (checksum, rest) = head.split_first_chunk::<4>()?;
    let (place, _) = rest.split_first_chunk::<8>()?;
    let place = u64::try_from(i64::from_le_bytes(*place) ^ INVERTED).ok()?;
    let is_whole = !crc32fast::hash(rest) == u32::from_le_bytes(*checksum);
    (is_whole && place.is_multiple_of(SEGMENT_BYTES as u64)).then_some(place / SEGMENT_BYTES as u64)
}

fn segment_head(number: u64) -> Vec<u8> {
    let place = i64::try_from(number * SEGMENT_BYTES as u64).unwrap_or_default();
    let mut rest = (place ^ INVERTED).to_le_bytes().to_vec();
    // The lowest stable position: sled takes the highest of all segments.
    rest.extend((-1 ^ INVERTED).to_le_bytes());
    let mut head = (!crc32fast::hash(&rest)).to_le_bytes().to_vec();
    head.extend(rest);
    head
}

/// Replaces damaged messages in a segment; returns their ranges. In the newest segment, the log ends after the last valid
/// message.
fn mend(bytes: &mut [u8], number: u64, is_newest: bool, page: PageRepair) -> Vec<(usize, usize)> {
    let mut damaged = Vec::new();
    let mut at = SEGMENT_HEAD_BYTES;
    while at + LONGEST_HEAD <= SEGMENT_BYTES {
        if let Some(message) = LogMessage::parse(bytes, at, Some(number)) {
            if message.kind == CAP {
                break;
            }
            at += message.bytes;
            continue;
        }
        // Byte by byte: the length in a damaged head may be wrong.
        let behind = (at + 1..bytes.len())
            .find(|next| LogMessage::parse(bytes, *next, Some(number)).is_some());
        let (end, kind) = match behind {
            Some(next) => (next, EMPTY),
            None if is_newest => break,
            None => (SEGMENT_BYTES, CAP),
        };
        damaged.push((at, end));
        // If only the body is damaged, the head still identifies the page.
        let lost = LogMessage::head(bytes.get(at..).unwrap_or_default())
            .filter(|lost| lost.kind == PAGE && lost.segment == number && lost.bytes == end - at);
        let made = match lost {
            Some(lost) if page == PageRepair::Freed => message(FREE, end - at, number, lost.page),
            // The number of the page does not matter; 241 takes a byte more than 0, for lengths that need it.
            _ => {
                message(kind, end - at, number, 0).or_else(|| message(kind, end - at, number, 241))
            }
        };
        let place = bytes.get_mut(at..end);
        let Some((place, made)) = place.zip(made) else {
            break;
        };
        place.copy_from_slice(&made);
        at = end;
    }
    damaged
}

struct LogMessage {
    kind: u8,
    segment: u64,
    page: u64,
    /// The length of its head.
    head: usize,
    /// Its length.
    bytes: usize,
}

impl LogMessage {
    /// The message at the start of `bytes`, as its head describes it. Checks nothing.
    fn head(bytes: &[u8]) -> Option<Self> {
        let kind = *bytes.get(4)?;
        let mut rest = bytes.get(5..)?;
        let [body, segment, page] = [(); 3].map(|()| varint(&mut rest));
        let head = bytes.len() - rest.len();
        Some(Self {
            kind,
            segment: segment?,
            page: page?,
            head,
            bytes: head.checked_add(usize::try_from(body?).ok()?)?,
        })
    }

    /// The valid message at `at` in the bytes of a segment, which must have this number.
    fn parse(segment: &[u8], at: usize, number: Option<u64>) -> Option<Self> {
        let rest = segment.get(at..)?;
        let message = Self::head(rest).filter(|message| {
            (EMPTY..=LAST_KIND).contains(&message.kind)
                && number.is_none_or(|number| number == message.segment)
        })?;
        let body = rest.get(message.head..message.bytes)?;
        let checksum = checksum(rest.get(4..message.head)?, body);
        rest.starts_with(&checksum).then_some(message)
    }
}

fn checksum(head: &[u8], body: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(body);
    hasher.update(head);
    (!hasher.finalize()).to_le_bytes()
}

/// A message of exactly `length` bytes; `None` if no body gives that length.
fn message(kind: u8, length: usize, segment: u64, page: u64) -> Option<Vec<u8>> {
    let fixed = 5 + encode(segment).len() + encode(page).len();
    // The length of the body is itself written in 1 to 9 bytes, which count.
    let body = (1..=9).find_map(|of_length| {
        let body = length.checked_sub(fixed + of_length)?;
        (encode(body as u64).len() == of_length).then_some(body)
    })?;
    let head = [
        vec![kind],
        encode(body as u64),
        encode(segment),
        encode(page),
    ]
    .concat();
    let body = vec![0; body];
    Some([checksum(&head, &body).to_vec(), head, body].concat())
}

/// Reads a number: up to 240 as one byte; up to 2,287 as two, the first from 241 on; up to 67,823 as two after 249; else
/// three to eight little-endian bytes after 250 to 255.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut take = || {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(u64::from(*first))
    };
    let first = take()?;
    match first {
        0..=240 => Some(first),
        241..=248 => Some(240 + 256 * (first - 241) + take()?),
        249 => Some(2_288 + 256 * take()? + take()?),
        _ => (0..first - 247).try_fold(0, |number, place| Some(number | take()? << (8 * place))),
    }
}

fn encode(number: u64) -> Vec<u8> {
    match number {
        0..=240 => vec![number.to_le_bytes()[0]],
        241..=2_287 => {
            let [low, high, ..] = (number - 240).to_le_bytes();
            vec![241 + high, low]
        }
        2_288..=67_823 => {
            let [low, high, ..] = (number - 2_288).to_le_bytes();
            vec![249, high, low]
        }
        _ => {
            let bytes = number.to_le_bytes();
            let used = 8 - number.leading_zeros() as usize / 8;
            let used = bytes.get(..used).unwrap_or(&bytes);
            let first = u8::try_from(used.len()).map_or(u8::MAX, |used| 247 + used);
            [&[first], used].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::embedded::care::salvage::rows::{TreeRow, TreeRows};
    use crate::store::embedded::engine::open;
    use crate::store::embedded::engine::panics::caught;
    use crate::store::settings::StoreSettings;

    const ROWS: u32 = 2_000;

    /// A log of several segments.
    fn written(dir: &Path) -> Vec<u8> {
        let config = open::config(dir, &StoreSettings::default());
        let (closing, db) = open::open_sled(dir, &config).unwrap();
        for n in 0..ROWS {
            db.insert(n.to_be_bytes(), vec![7; 600]).unwrap();
            if n % 10 == 0 {
                db.flush().unwrap();
            }
        }
        db.flush().unwrap();
        drop(db);
        drop(closing);
        fs::read(open::sled_dir(dir).join("db")).unwrap()
    }

    /// How many rows sled finds in the repaired log, without a snapshot, with the first repair that it accepts; `None` if it
    /// accepts none.
    fn rows_of(bytes: &[u8]) -> Option<(usize, Vec<DamagedBytes>)> {
        let read = |page| {
            let dir = tempfile::tempdir().unwrap();
            let sled_dir = open::sled_dir(dir.path());
            fs::create_dir(&sled_dir).unwrap();
            fs::write(sled_dir.join("db"), bytes).unwrap();
            let damaged = repair(&sled_dir.join("db"), 0, page).unwrap();
            let config = open::config(dir.path(), &StoreSettings::default());
            let (_closing, db) = open::open_sled(dir.path(), &config).unwrap();
            let rows =
                TreeRows::all(&db, Vec::new()).filter(|row| matches!(row, TreeRow::Whole(..)));
            (rows.count(), damaged)
        };
        let mut repairs = [PageRepair::Outdated, PageRepair::Freed].into_iter();
        repairs.find_map(|page| caught(|| read(page)).ok())
    }

    #[test]
    fn a_valid_log_stays_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = written(dir.path());
        let db = open::sled_dir(dir.path()).join("db");
        assert_eq!(repair(&db, 0, PageRepair::Outdated).unwrap(), []);
        assert_eq!(fs::read(db).unwrap(), bytes);
    }

    #[test]
    fn only_damaged_messages_are_lost() {
        let dir = tempfile::tempdir().unwrap();
        let whole = written(dir.path());
        assert!(whole.len() > 3 * SEGMENT_BYTES);
        let mut repaired = 0;
        for place in [
            SEGMENT_BYTES / 2,
            SEGMENT_BYTES + 9_000,
            SEGMENT_BYTES + 3,
            2 * SEGMENT_BYTES + 400,
        ] {
            let mut flipped = whole.clone();
            flipped[place] ^= 4;
            // Where sled put a page varies. Seldom neither repair will do, as a page has no other message: salvage goes on without.
            let Some((rows, damaged)) = rows_of(&flipped) else {
                continue;
            };
            repaired += 1;
            // A page holds up to 17 rows.
            assert!(ROWS as usize - rows <= 17, "{place}: {rows} {damaged:?}");
            assert!(damaged.len() <= 1, "{damaged:?}");
        }
        assert!(repaired >= 3, "{repaired}");
    }

    #[test]
    fn messages_can_have_any_length() {
        for number in (0..300).chain([2_287, 2_288, 67_823, 67_824, 1 << 24, 1 << 40, u64::MAX]) {
            assert_eq!(varint(&mut encode(number).as_slice()), Some(number));
        }
        for length in 9..3_000 {
            let made = message(EMPTY, length, 5, 0).or_else(|| message(EMPTY, length, 5, 241));
            let made = made.unwrap();
            assert_eq!(made.len(), length);
            assert_eq!(LogMessage::parse(&made, 0, Some(5)).unwrap().bytes, length);
            assert!(LogMessage::parse(&made, 0, Some(6)).is_none());
        }
    }
}
