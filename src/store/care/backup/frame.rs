//! The head and the frames of a backup: see the tables in `mod.rs`.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::domain::Timestamp;
use crate::store::care::backup::error::BackupError;

const MAGIC: [u8; 18] = *b"wattkeeper backup\n";
/// The backup format.
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = 34;
const FRAME_HEAD_BYTES: usize = 10;
const TRUNCATED: &str = "the file is truncated";
/// The maximum length of a frame's content, packed and unpacked.
// Some ten times a block. The limit keeps a forged length from reserving memory.
const MAX_CONTENT: usize = 65_536;
const PACKING_NONE: u8 = 0;
const PACKING_DEFLATE: u8 = 1;
/// The length of the SHA-256 at the end.
pub(crate) const DIGEST_BYTES: usize = 32;

/// The kind of a frame's content, by its number. The frames of a backup are in the order of
/// [`FrameKind::NAMED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Settings = 1,
    Administrator = 2,
    Account = 3,
    Credential = 4,
    Sensor = 5,
    Arrivals = 6,
    Readings = 7,
    End = 8,
    Correction = 9,
    Contract = 10,
    Prices = 11,
    Bill = 12,
    Notice = 13,
    Person = 14,
    Tablet = 15,
    Days = 16,
    Format = 17,
    Offer = 18,
    Purchase = 19,
    HomeAssistant = 20,
    Tenancy = 21,
}

impl FrameKind {
    /// All kinds in their order, with their names in errors.
    const NAMED: [(Self, &'static str); 21] = [
        (Self::Settings, "the settings"),
        (Self::Administrator, "the administrator"),
        (Self::Account, "an account"),
        (Self::Credential, "a credential"),
        (Self::Person, "a person"),
        (Self::Tablet, "a wall tablet"),
        (Self::Contract, "a contract"),
        (Self::Bill, "a bill"),
        (Self::Days, "days of a list"),
        (Self::Format, "a format of files"),
        (Self::Offer, "an offer"),
        (Self::Purchase, "a purchase"),
        (Self::Tenancy, "a tenancy"),
        (Self::HomeAssistant, "a Home Assistant"),
        (Self::Sensor, "a sensor"),
        (Self::Correction, "a correction"),
        (Self::Notice, "a notice"),
        (Self::Arrivals, "arrivals"),
        (Self::Readings, "readings"),
        (Self::Prices, "prices"),
        (Self::End, "the end"),
    ];

    fn of(byte: u8) -> Option<Self> {
        let mut kinds = Self::NAMED.into_iter().map(|(kind, _)| kind);
        kinds.find(|kind| *kind as u8 == byte)
    }

    /// Its place in the order of frames.
    pub(crate) fn place(self) -> Option<usize> {
        Self::NAMED.iter().position(|(kind, _)| *kind == self)
    }

    /// The name in errors.
    pub(crate) fn name(self) -> &'static str {
        let named = Self::NAMED.into_iter().find(|(kind, _)| *kind == self);
        named.map_or("unknown", |(_, name)| name)
    }
}

/// A frame of this record.
pub(crate) fn json(kind: FrameKind, record: &impl Serialize) -> io::Result<(FrameKind, Vec<u8>)> {
    Ok((kind, serde_json::to_vec(record)?))
}

/// The head of a backup taken at `taken`.
pub(crate) fn head(taken: Timestamp) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&FORMAT.to_le_bytes());
    head.extend_from_slice(&taken.millis().to_le_bytes());
    let checksum = crc32fast::hash(&head);
    head.extend_from_slice(&checksum.to_le_bytes());
    head
}

/// Appends a frame to `out`. Deflates the content if that makes it shorter; never tries for blocks,
/// which are compressed.
pub(crate) fn push(out: &mut Vec<u8>, kind: FrameKind, content: &[u8]) -> io::Result<()> {
    let too_long = || io::Error::other(format!("a frame cannot hold {} bytes", content.len()));
    if content.len() > MAX_CONTENT {
        return Err(too_long());
    }
    let packed = if kind == FrameKind::Readings {
        None
    } else {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content)?;
        Some(encoder.finish()?).filter(|packed| packed.len() < content.len())
    };
    let (packing, stored) = match &packed {
        Some(packed) => (PACKING_DEFLATE, packed.as_slice()),
        None => (PACKING_NONE, content),
    };
    let length = u32::try_from(stored.len()).map_err(|_| too_long())?;
    let [l1, l2, l3, l4] = length.to_le_bytes();
    let start = [kind as u8, packing, l1, l2, l3, l4];
    out.extend_from_slice(&start);
    out.extend_from_slice(&checksum(start, stored).to_le_bytes());
    out.extend_from_slice(stored);
    Ok(())
}

fn checksum(start: [u8; 6], stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&start);
    hasher.update(stored);
    hasher.finalize()
}

/// Reads the frames of a backup.
pub(crate) struct FrameReader<R> {
    source: R,
    /// The digest of all bytes read.
    hash: Sha256,
    /// The number of bytes read.
    offset: u64,
    /// The offset of the current frame.
    frame_at: u64,
    /// When the backup was begun.
    pub(crate) taken: Timestamp,
}

impl<R: Read> FrameReader<R> {
    /// Reads the head.
    pub(crate) fn open(mut source: R) -> Result<Self, BackupError> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        // Not `read_exact`: the content of a short file decides whether it is a truncated backup or
        // no backup.
        let wanted = HEAD_BYTES as u64;
        source
            .by_ref()
            .take(wanted)
            .read_to_end(&mut head)
            .map_err(|error| unread(0, &error))?;
        let damaged = |what: &str| Err(damage(0, what));
        if !head.starts_with(&MAGIC) {
            return Err(BackupError::NotOne);
        }
        let checked_and_checksum = head.split_last_chunk::<4>();
        let Some((checked, checksum)) = checked_and_checksum.filter(|_| head.len() == HEAD_BYTES)
        else {
            return damaged(TRUNCATED);
        };
        if crc32fast::hash(checked) != u32::from_le_bytes(*checksum) {
            return damaged("checksum mismatch in the head");
        }
        let fields = checked.get(MAGIC.len()..).unwrap_or_default();
        let Some((format, taken)) = fields.split_first_chunk::<4>() else {
            return damaged(TRUNCATED);
        };
        match u32::from_le_bytes(*format) {
            FORMAT => {}
            found if found > FORMAT => {
                return Err(BackupError::NewerFormat {
                    found,
                    newest: FORMAT,
                });
            }
            found => return damaged(&format!("unknown format {found}")),
        }
        let taken = <[u8; 8]>::try_from(taken).ok().map(i64::from_le_bytes);
        let Some(taken) = taken.and_then(Timestamp::from_millis) else {
            return damaged("its time is out of range");
        };
        Ok(Self {
            source,
            // The SHA-256 at the end covers the head, too.
            hash: Sha256::new_with_prefix(&head),
            offset: wanted,
            frame_at: wanted,
            taken,
        })
    }

    /// The kind and the unpacked content of the next frame. There is always one, until one of kind
    /// [`FrameKind::End`].
    pub(crate) fn next(&mut self) -> Result<(FrameKind, Vec<u8>), BackupError> {
        self.frame_at = self.offset;
        let mut head = [0; FRAME_HEAD_BYTES];
        self.read(&mut head)?;
        let [kind, packing, l1, l2, l3, l4, c1, c2, c3, c4] = head;
        let length = u32::from_le_bytes([l1, l2, l3, l4]);
        // Checked before allocating: the length is not yet covered by a checksum.
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= MAX_CONTENT)
            .ok_or_else(|| self.damaged("a frame is too long"))?;
        let mut stored = vec![0; length];
        self.read(&mut stored)?;
        let found = checksum([kind, packing, l1, l2, l3, l4], &stored);
        if found != u32::from_le_bytes([c1, c2, c3, c4]) {
            return Err(self.damaged("checksum mismatch in a frame"));
        }
        let kind = FrameKind::of(kind)
            .ok_or_else(|| self.damaged(&format!("unknown kind {kind} of a frame")))?;
        let content = match packing {
            PACKING_NONE => stored,
            PACKING_DEFLATE => self.unpack(&stored)?,
            other => return Err(self.damaged(&format!("unknown packing {other} of a frame"))),
        };
        Ok((kind, content))
    }

    fn unpack(&self, stored: &[u8]) -> Result<Vec<u8>, BackupError> {
        let mut content = Vec::new();
        let most = MAX_CONTENT as u64;
        let mut decoder = DeflateDecoder::new(stored);
        // One byte more than allowed is enough to notice that there are too many.
        let unpacked = decoder.by_ref().take(most + 1).read_to_end(&mut content);
        // Trailing bytes that deflate ignores would go unchecked.
        let is_whole = unpacked.is_ok() && decoder.total_in() == stored.len() as u64;
        if !is_whole || content.len() > MAX_CONTENT {
            return Err(self.damaged("a frame cannot be unpacked"));
        }
        Ok(content)
    }

    /// Checks the SHA-256 at the end and that nothing follows it; returns it.
    pub(crate) fn finish(mut self) -> Result<[u8; DIGEST_BYTES], BackupError> {
        self.frame_at = self.offset;
        // Taken before reading the field itself, which `read` also hashes.
        let expected: [u8; DIGEST_BYTES] = self.hash.clone().finalize().into();
        let mut found = [0; DIGEST_BYTES];
        self.read(&mut found)?;
        if found != expected {
            return Err(self.damaged("SHA-256 mismatch at the end"));
        }
        self.frame_at = self.offset;
        let mut more = Vec::new();
        let beyond = self.source.by_ref().take(1).read_to_end(&mut more);
        match beyond.map_err(|error| unread(self.offset, &error))? {
            0 => Ok(expected),
            _ => Err(self.damaged("data after the end")),
        }
    }

    /// The number of bytes read.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The error for damage in the current frame.
    pub(crate) fn damaged(&self, what: &str) -> BackupError {
        damage(self.frame_at, what)
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), BackupError> {
        self.source.read_exact(bytes).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                self.damaged(TRUNCATED)
            } else {
                unread(self.offset, &error)
            }
        })?;
        self.hash.update(&*bytes);
        self.offset = self.offset.saturating_add(bytes.len() as u64);
        Ok(())
    }
}

fn damage(offset: u64, what: &str) -> BackupError {
    BackupError::Damaged {
        offset,
        what: what.to_owned(),
    }
}

fn unread(offset: u64, error: &io::Error) -> BackupError {
    BackupError::Io {
        what: format!("reading the backup at byte {offset}"),
        cause: error.to_string(),
    }
}
