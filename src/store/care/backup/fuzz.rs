//! The fuzz target: bytes as a backup, unchanged and with valid checksums. A fuzzer does not guess
//! a checksum, so without them it would never reach the code behind.

use sha2::{Digest, Sha256};

use crate::domain::Timestamp;
use crate::store::care::backup::frame::FrameKind;
use crate::store::care::backup::item::BackupItem;
use crate::store::care::backup::source::{WrittenBackup, read_all};
use crate::store::care::backup::{BackupError, frame};
use crate::store::handle::counts::StoreCounts;

/// Ends of the head without and with its checksum.
const HEAD: (usize, usize) = (30, 34);
/// Ends of the head of a frame without and with its checksum.
const FRAME_HEAD: (usize, usize) = (6, 10);
/// Begin and end of the checksum of a block, which covers the rest of the block.
const BLOCK_CHECKSUM: (usize, usize) = (1, 5);

/// Reads a backup, writes the items again, and reads the result.
///
/// # Panics
/// If the result differs.
pub fn backup(bytes: &[u8]) {
    drop(read(bytes));
    let (items, verified) = read(&mended(bytes));
    let Some(anew) = written(&items) else {
        // A forged block may be shorter than the encoder can make it.
        return;
    };
    let (again, counts) = read(&anew);
    let frames = |items: &[BackupItem]| -> Vec<_> {
        items.iter().map(|item| item.to_frame().ok()).collect()
    };
    assert!(frames(&again) == frames(&items), "the items differ");
    let counts = counts.map(|verified| verified.counts);
    assert!(counts.is_ok(), "the backup written again is refused");
    if let Ok(verified) = verified {
        assert!(counts.is_ok_and(|counts| counts == verified.counts));
    }
}

/// The items of a backup up to the first error.
fn read(bytes: &[u8]) -> (Vec<BackupItem>, Result<WrittenBackup, BackupError>) {
    let mut items = Vec::new();
    let verified = read_all(bytes, |item, _| {
        items.push(item);
        Ok::<(), BackupError>(())
    });
    (items, verified)
}

/// A whole backup of `items`; `None` if readings do not fit into one block.
fn written(items: &[BackupItem]) -> Option<Vec<u8>> {
    let mut bytes = frame::head(Timestamp::MIN);
    let mut counts = StoreCounts::default();
    for item in items {
        let (kind, content) = item.to_frame().ok()?;
        item.count(&mut counts);
        frame::push(&mut bytes, kind, &content).ok()?;
    }
    let end = serde_json::to_vec(&counts).ok()?;
    frame::push(&mut bytes, FrameKind::End, &end).ok()?;
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Some(bytes)
}

/// The same bytes with valid checksums, as far as they contain frames.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    mend(&mut mended);
    mended
}

/// Sets the checksums up to the end of the bytes.
fn mend(bytes: &mut Vec<u8>) -> Option<()> {
    let (checked, behind) = HEAD;
    let checksum = crc32fast::hash(bytes.get(..checked)?).to_le_bytes();
    bytes.get_mut(checked..behind)?.copy_from_slice(&checksum);
    let mut at = behind;
    loop {
        let (checked, head) = FRAME_HEAD;
        let frame = bytes.get_mut(at..)?;
        let length = u32::from_le_bytes(*frame.get(2..)?.first_chunk()?);
        let end = head.checked_add(usize::try_from(length).ok()?)?;
        let frame = frame.get_mut(..end)?;
        let (start, content) = frame.split_at_mut_checked(head)?;
        let kind = *start.first()?;
        if kind == FrameKind::Readings as u8 {
            mend_block(content);
        }
        let (start, field) = start.split_at_mut_checked(checked)?;
        let checksum = crc32fast::hash(&[&*start, &*content].concat());
        field.copy_from_slice(&checksum.to_le_bytes());
        at += end;
        if kind == FrameKind::End as u8 {
            bytes.truncate(at);
            let digest = Sha256::digest(&*bytes);
            bytes.extend_from_slice(&digest);
            return Some(());
        }
    }
}

/// Sets the checksum of the block in a frame of readings.
fn mend_block(content: &mut [u8]) -> Option<()> {
    let (length, rest) = content.split_first_mut()?;
    let block = rest.get_mut(usize::from(*length)..)?;
    let (from, behind) = BLOCK_CHECKSUM;
    let checksum = crc32fast::hash(block.get(behind..)?).to_le_bytes();
    block.get_mut(from..behind)?.copy_from_slice(&checksum);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise the fuzzer would never get past the checksums.
    #[test]
    fn a_mended_backup_is_read_to_its_end() {
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/backup-format-1"
        );
        let whole = std::fs::read(fixture).unwrap();
        assert_eq!(mended(&whole), whole);
        let (items, verified) = read(&whole);
        assert_eq!(verified.unwrap().counts.readings, 53);
        // Without any of its checksums.
        let mut blank = whole.clone();
        let mut at = HEAD.1;
        blank[HEAD.0..at].fill(0);
        while at + 32 < blank.len() {
            let length = u32::from_le_bytes(*blank[at + 2..].first_chunk().unwrap());
            let content = at + FRAME_HEAD.1;
            blank[at + FRAME_HEAD.0..content].fill(0);
            if blank[at] == FrameKind::Readings as u8 {
                let block = content + 1 + usize::from(blank[content]);
                blank[block + BLOCK_CHECKSUM.0..block + BLOCK_CHECKSUM.1].fill(0);
            }
            at = content + length as usize;
        }
        blank.truncate(at);
        assert_eq!(mended(&blank), whole);
        assert!(written(&items).is_some());
        backup(&whole);
    }
}
