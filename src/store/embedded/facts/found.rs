//! The content of a file of facts, and its faults.

use std::ops::Range;

use crate::store::embedded::disk::file_head::{self, FileHead};
use crate::store::embedded::disk::positions::{self, RECORDS_AT};
use crate::store::embedded::disk::{Mark, Positions, record};
use crate::store::embedded::facts::change::{ChangeRecord, Place};

/// The files grow by this many bytes at once, to multiples of it.
pub(super) const GROWTH: usize = 16 * 1024;

/// The content of a file.
pub(super) struct FoundFile<'a> {
    pub(super) head: Option<FileHead>,
    /// The records with intact keys, each with its number.
    pub(super) records: Vec<(u64, ChangeRecord)>,
    /// The end of the last record.
    pub(super) end: usize,
    /// The number of the last change up to which nothing is damaged or missing; `None` if the
    /// beginning or the snapshot is damaged.
    pub(super) sound: Option<u64>,
    /// The bytes after the last record: zeros, unless a change was torn, or the file is damaged.
    rest: &'a [u8],
    is_empty: bool,
    /// Whether the file is shorter than the room that was made for it.
    is_short: bool,
}

impl<'a> FoundFile<'a> {
    /// Reads a file. The changes up to the number `durable` are durable in both files.
    pub(super) fn of(content: &'a [u8], head: Option<FileHead>, mark: Mark, durable: u64) -> Self {
        let mut found: Vec<(Range<usize>, u64, ChangeRecord)> = record::all(content, mark)
            .filter_map(|found| {
                let place = found.at..found.at + found.length;
                Some((place, found.number, ChangeRecord::of(&found)?))
            })
            .collect();
        // A change is written once the one before it is durable: only the last one can be torn, and
        // it was not acknowledged. A snapshot is complete before the file has its name.
        if let Some((_, number, last)) = found.last()
            && !last.is_whole()
            && matches!(last.place, Place::After(_))
            && *number > durable
        {
            found.pop();
        }
        let end = found.last().map_or(RECORDS_AT, |(place, ..)| place.end);
        Self {
            head,
            end,
            sound: head.and_then(|head| sound(content, head, mark, &found)),
            rest: content.get(end..).unwrap_or_default(),
            is_empty: content.is_empty(),
            is_short: content.len() < end || !content.len().is_multiple_of(GROWTH),
            records: found
                .into_iter()
                .map(|(_, number, it)| (number, it))
                .collect(),
        }
    }

    /// The number of its last change.
    pub(super) fn last(&self) -> u64 {
        self.records.last().map_or_else(
            || self.head.map_or(0, |head| head.base),
            |(number, _)| *number,
        )
    }

    fn has_rest(&self) -> bool {
        self.rest.iter().any(|byte| *byte != 0)
    }

    /// Whether both files contain a part of the same change after their last one. A change is
    /// written to `b` once it is durable in `a`, so it was damaged, not torn.
    pub(super) fn ends_like(&self, other: &Self) -> bool {
        let mut pairs = self.rest.iter().zip(other.rest);
        self.last() == other.last() && pairs.any(|(byte, other)| byte == other && *byte != 0)
    }

    /// Whether the file is as it was written, up to the change with this number, its last one.
    pub(super) fn is_whole(&self, last: u64) -> bool {
        self.sound == Some(last) && self.last() == last && !self.has_rest() && !self.is_short
    }

    /// The fault of the file, which must be sound up to the change `durable`, while the last
    /// change of both is `last`. After a power cut it may end earlier, or with a part of a change.
    pub(super) fn fault(&self, durable: u64, last: u64, is_first: bool) -> Option<&'static str> {
        let is_sound = self.sound.is_some_and(|sound| sound >= durable);
        if self.is_empty {
            Some("was missing or empty")
        } else if !is_sound && self.sound == Some(self.last()) && !self.has_rest() {
            Some("lacked the last changes: it is an older file, or its end was cut off")
        } else if !is_sound {
            Some("was damaged")
        } else if self.has_rest() && self.last() == last {
            Some(if is_first {
                "had bytes behind its last change: damage, or a change that a power cut tore before it was confirmed"
            } else {
                "was damaged behind its last change"
            })
        } else if self.is_short {
            Some(
                "had less room than was made: its end was cut off, or a power cut came while it grew",
            )
        } else {
            None
        }
    }
}

/// The number of the last change of an unbroken row of records after the complete snapshot.
fn sound(
    content: &[u8],
    head: FileHead,
    mark: Mark,
    found: &[(Range<usize>, u64, ChangeRecord)],
) -> Option<u64> {
    Positions::decode(content, mark)?;
    let behind_head = content.get(file_head::BYTES..positions::AT)?;
    let behind_positions = content.get(positions::AT + positions::BYTES..RECORDS_AT)?;
    if behind_head
        .iter()
        .chain(behind_positions)
        .any(|byte| *byte != 0)
    {
        return None;
    }
    let (mut at, mut parts, mut last) = (RECORDS_AT, 0, head.base);
    for (place, number, record) in found {
        let follows = match record.place {
            Place::Snapshot(part) => part == parts && *number == head.base && last == head.base,
            Place::After(before) => parts == u64::from(head.snapshot) && before == last,
        };
        if !follows || place.start != at || !record.is_whole() {
            break;
        }
        at = place.end;
        match record.place {
            Place::Snapshot(_) => parts += 1,
            Place::After(_) => last = *number,
        }
    }
    (parts == u64::from(head.snapshot)).then_some(last)
}
