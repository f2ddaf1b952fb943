//! What a fuzzer calls: bytes as a backup, as they are and with checksums that vouch for them. A fuzzer does not come upon
//! a checksum by chance, and all that is behind one would never be seen by it.

use sha2::{Digest, Sha256};

use crate::domain::time::Timestamp;
use crate::store::blocks::block;
use crate::store::care::backup::frame;
use crate::store::care::backup::frame::Kind;
use crate::store::care::backup::record::{
    AccountRecord, AdministratorRecord, ArrivalsRecord, CredentialRecord, SensorRecord,
};
use crate::store::care::backup::source::{Item, Verified, read_all};
use crate::store::care::backup::{BackupError, Counts};

/// The head up to its checksum, and with it.
const HEAD: (usize, usize) = (30, 34);
/// A frame up to its checksum, and with it.
const FRAME_HEAD: (usize, usize) = (6, 10);
/// Where the checksum of a block begins and ends; it is of what follows.
const BLOCK_CHECKSUM: (usize, usize) = (1, 5);

/// What can be read of a backup says the same when it is written anew; and nothing panics.
///
/// # Panics
/// Where it does not say the same.
pub(crate) fn backup(bytes: &[u8]) {
    drop(read(bytes));
    let (items, verified) = read(&mended(bytes));
    let Some(anew) = written(&items) else {
        // Blocks that were packed by another hand may be shorter than ours can be.
        return;
    };
    let (again, counts) = read(&anew);
    assert!(again == items, "what was written anew reads otherwise");
    let counts = counts.map(|verified| verified.counts);
    assert!(counts.is_ok(), "what was written anew is refused");
    if let Ok(verified) = verified {
        assert!(counts.is_ok_and(|counts| counts == verified.counts));
    }
}

/// The items of a backup as frames, as far as it can be read.
fn read(bytes: &[u8]) -> (Vec<Option<Frame>>, Result<Verified, BackupError>) {
    let mut items = Vec::new();
    let verified = read_all(bytes, |item, _| {
        items.push(frame_of(&item));
        Ok::<(), BackupError>(())
    });
    (items, verified)
}

type Frame = (Kind, Vec<u8>);

/// How `item` is written; none where a block of its readings would be too long.
fn frame_of(item: &Item) -> Option<Frame> {
    let json = match item {
        Item::Administrator(password) => serde_json::to_vec(&AdministratorRecord::from(password)),
        Item::Account(account) => serde_json::to_vec(&AccountRecord::from(account)),
        Item::Credential(credential) => serde_json::to_vec(&CredentialRecord::from(credential)),
        Item::Sensor(sensor) => serde_json::to_vec(&SensorRecord::from(sensor)),
        Item::Arrivals(sensor, arrivals, assigned) => {
            serde_json::to_vec(&ArrivalsRecord::new(sensor, *arrivals, *assigned))
        }
        Item::Readings(sensor, readings) => {
            let id = sensor.as_str().as_bytes();
            let block = block::encode(readings).ok()?;
            let content = [&[u8::try_from(id.len()).ok()?], id, &block].concat();
            return Some((Kind::Readings, content));
        }
    };
    let kind = match item {
        Item::Administrator(_) => Kind::Administrator,
        Item::Account(_) => Kind::Account,
        Item::Credential(_) => Kind::Credential,
        Item::Sensor(_) => Kind::Sensor,
        Item::Arrivals(..) => Kind::Arrivals,
        Item::Readings(..) => Kind::Readings,
    };
    Some((kind, json.ok()?))
}

/// A whole backup of `frames`; none where one of them is.
fn written(frames: &[Option<Frame>]) -> Option<Vec<u8>> {
    let mut bytes = frame::head(Timestamp::MIN);
    let mut counts = Counts::default();
    for frame in frames {
        let (kind, content) = frame.as_ref()?;
        match kind {
            Kind::Administrator => counts.administrators += 1,
            Kind::Account => counts.accounts += 1,
            Kind::Credential => counts.credentials += 1,
            Kind::Sensor => counts.sensors += 1,
            Kind::Arrivals => counts.arrivals += 1,
            Kind::Readings => {
                let (length, rest) = content.split_first()?;
                let block = rest.get(usize::from(*length)..)?;
                counts.readings += block::decode(block).ok()?.len() as u64;
            }
            Kind::End => {}
        }
        frame::push(&mut bytes, *kind, content).ok()?;
    }
    let end = serde_json::to_vec(&counts).ok()?;
    frame::push(&mut bytes, Kind::End, &end).ok()?;
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Some(bytes)
}

/// The same bytes with checksums that fit, as far as there are frames in them.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    mend(&mut mended);
    mended
}

/// Puts checksums in their places; none where the bytes end before.
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
        if kind == Kind::Readings as u8 {
            mend_block(content);
        }
        let (start, field) = start.split_at_mut_checked(checked)?;
        let checksum = crc32fast::hash(&[&*start, &*content].concat());
        field.copy_from_slice(&checksum.to_le_bytes());
        at += end;
        if kind == Kind::End as u8 {
            bytes.truncate(at);
            let digest = Sha256::digest(&*bytes);
            bytes.extend_from_slice(&digest);
            return Some(());
        }
    }
}

/// The same for the block of a frame of readings.
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

    /// Else the fuzzer would see nothing of what is behind the checksums.
    #[test]
    fn what_is_mended_is_read_to_its_end() {
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
            if blank[at] == Kind::Readings as u8 {
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
