//! Encoding: columns and directory put together as one block.

use crate::domain::Reading;
use crate::store::blocks::block::columns::EncodedColumn;
use crate::store::blocks::block::directory::PageEntry;
use crate::store::blocks::block::format::{
    CHECKED_FROM, EncodeError, MAX_BYTES, MAX_READINGS, PAGE, VERSION,
};
use crate::store::blocks::block::{directory, packed, totals};

/// Encodes `readings`, which are in strictly ascending order of time.
///
/// # Errors
/// [`EncodeError::TooLong`] if they do not fit; [`EncodeError::Refused`].
pub fn encode(readings: &[Reading]) -> Result<Vec<u8>, EncodeError> {
    if readings.is_empty() || readings.len() > MAX_READINGS {
        return Err(EncodeError::Refused(format!("{} readings", readings.len())));
    }
    let ms: Vec<i64> = readings.iter().map(|r| r.time.millis()).collect();
    let mut entries = vec![PageEntry::default(); readings.len().div_ceil(PAGE)];
    let times = EncodedColumn::of_times(&ms, &mut entries)?;
    let watts = EncodedColumn::of_watts(readings, &mut entries)?;
    let watthours = EncodedColumn::of_watthours(readings, &ms, &mut entries)?;
    let described = totals::describe(readings, &times, [&watts, &watthours], &mut entries);
    let columns = [&times, &watts, &watthours];

    let mut pages: Vec<u8> = Vec::new();
    let mut packed = columns.map(|column| column.packed.pages.iter());
    for (index, entry) in entries.iter_mut().enumerate() {
        let start = pages.len();
        entry.packed = columns.map(|column| column.is_packed(index));
        for (packed, is_packed) in packed.iter_mut().zip(entry.packed) {
            // A column's packed pages skip pages without numbers, so the next one is taken only if
            // the page has some.
            if is_packed {
                pages.extend(packed.next().into_iter().flatten());
            }
        }
        entry.length = pages.len() - start;
    }

    // The checksum is filled in at the end.
    let mut block = vec![VERSION, 0, 0, 0, 0];
    // Cannot fail: `MAX_READINGS` was checked above.
    let count = u16::try_from(readings.len()).map_err(|_| EncodeError::TooLong(pages.len()))?;
    block.extend_from_slice(&count.to_le_bytes());
    block.push(watts.presence.code() | watthours.presence.code() << 2);
    block.extend(columns.map(|column| column.coding));
    block.extend_from_slice(watts.presence.map());
    block.extend_from_slice(watthours.presence.map());
    for scale in columns.iter().filter_map(|column| column.scale) {
        scale.put(&mut block);
    }
    block.extend(directory::write(&entries, described));
    block.extend(packed::header()?);
    for column in columns {
        block.extend_from_slice(&column.packed.common);
    }
    block.extend(pages);
    // Checked after encoding, so that the error contains the real length, from which `seal::pack`
    // estimates again.
    if block.len() > MAX_BYTES {
        return Err(EncodeError::TooLong(block.len()));
    }
    let checksum = crc32fast::hash(block.get(CHECKED_FROM..).unwrap_or_default());
    if let Some(field) = block.get_mut(1..CHECKED_FROM) {
        field.copy_from_slice(&checksum.to_le_bytes());
    }
    Ok(block)
}
