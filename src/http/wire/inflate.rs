//! Decompression of gzip (RFC 1952) and zlib (RFC 1950), with its work counted.
//!
//! The size of a body does not bound the work on it: an empty block takes ten bits, and building
//! its decoding tables takes as long as unpacking a thousand bytes. So blocks are counted too.

use std::fmt;

use crc32fast::hash;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY,
    TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use thiserror::Error;

/// The number of blocks that a body of any length may have.
const FREE_BLOCKS: usize = 1_024;
/// Each further block needs this many bytes. Compressors fill blocks with kilobytes; a client that
/// flushes after each line may write two blocks for a hundred bytes.
const BYTES_OF_BLOCK: usize = 32;

/// The formats of compressed bodies. The name is for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// One or more members.
    Gzip,
    Zlib,
}

/// A body that is being decompressed.
pub(super) struct Inflating {
    packing: Packing,
    packed: Vec<u8>,
    /// The number of bytes read.
    read: usize,
    decoder: Box<DecompressorOxide>,
    /// The output buffer, longer than the unpacked bytes.
    space: Vec<u8>,
    /// The number of bytes unpacked.
    length: usize,
    /// The offset at which the current member begins in the output; `None` between two members.
    member: Option<usize>,
    blocks: usize,
}

/// How far decompression got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unpacked {
    /// Up to the end.
    Whole,
    /// Up to one of the limits.
    Part,
}

/// Why a body cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum InflateError {
    #[error("the body is not valid {0}")]
    Invalid(Packing),
    #[error(
        "the compressed blocks of the body have fewer than {BYTES_OF_BLOCK} bytes each: compress it without flushes in between"
    )]
    SmallBlocks,
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
        })
    }
}

impl Inflating {
    pub(super) fn new(packing: Packing, packed: Vec<u8>) -> Self {
        Self {
            packing,
            packed,
            read: 0,
            decoder: Box::default(),
            space: Vec::new(),
            length: 0,
            member: None,
            blocks: 0,
        }
    }

    /// Continues until it is done, or has unpacked more than `most` bytes or `blocks` blocks in
    /// all.
    ///
    /// # Errors
    /// [`InflateError`].
    pub(super) fn run(&mut self, most: usize, blocks: usize) -> Result<Unpacked, InflateError> {
        // One byte more than allowed, to detect that there is more.
        let space = most.saturating_add(1).max(self.space.len());
        self.space.resize(space, 0);
        loop {
            if self.length > most || self.blocks >= blocks {
                return Ok(Unpacked::Part);
            }
            let Some(begin) = self.member else {
                if self.read > 0 && self.read == self.packed.len() {
                    return Ok(Unpacked::Whole);
                }
                self.begin_member()?;
                continue;
            };
            match self.unpack_block(begin)? {
                TINFLStatus::BlockBoundary => self.blocks += 1,
                TINFLStatus::Done => {
                    self.blocks += 1;
                    self.end_member(begin)?;
                }
                TINFLStatus::HasMoreOutput => return Ok(Unpacked::Part),
                _ => return Err(self.invalid()),
            }
            if self.blocks > FREE_BLOCKS + self.length / BYTES_OF_BLOCK {
                return Err(InflateError::SmallBlocks);
            }
        }
    }

    /// Returns the unpacked bytes.
    pub(super) fn into_plain(mut self) -> Vec<u8> {
        self.space.truncate(self.length);
        self.space
    }

    const fn invalid(&self) -> InflateError {
        InflateError::Invalid(self.packing)
    }

    /// Unpacks up to the end of a block or of the space.
    fn unpack_block(&mut self, begin: usize) -> Result<TINFLStatus, InflateError> {
        const FLAGS: u32 =
            TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF | TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY;
        let flags = match self.packing {
            Packing::Gzip => FLAGS,
            // The decoder checks the header and the sum.
            Packing::Zlib => FLAGS | TINFL_FLAG_PARSE_ZLIB_HEADER,
        };
        let invalid = self.invalid();
        let packed = self.packed.get(self.read..).unwrap_or_default();
        let space = self.space.get_mut(begin..).ok_or(invalid)?;
        let decoder = &mut self.decoder;
        let (status, read, written) =
            decompress(decoder, packed, space, self.length - begin, flags);
        self.read += read;
        self.length += written;
        Ok(status)
    }

    /// Begins a member; a zlib body has one.
    fn begin_member(&mut self) -> Result<(), InflateError> {
        match self.packing {
            Packing::Gzip => self.skip_header()?,
            Packing::Zlib if self.read > 0 => return Err(self.invalid()),
            Packing::Zlib => {}
        }
        *self.decoder = DecompressorOxide::new();
        self.member = Some(self.length);
        Ok(())
    }

    /// Skips the header of a gzip member.
    fn skip_header(&mut self) -> Result<(), InflateError> {
        let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _] = self.take()? else {
            return Err(self.invalid());
        };
        let [check, extra, name, comment] = [2, 4, 8, 16].map(|flag| flags & flag != 0);
        if flags & 0xe0 != 0 {
            return Err(self.invalid());
        }
        if extra {
            self.read += usize::from(u16::from_le_bytes(self.take()?));
        }
        for _ in 0..usize::from(name) + usize::from(comment) {
            while self.take()? != [0] {}
        }
        if check {
            let _: [u8; 2] = self.take()?;
        }
        Ok(())
    }

    /// Checks the end of a member.
    fn end_member(&mut self, begin: usize) -> Result<(), InflateError> {
        self.member = None;
        match self.packing {
            Packing::Gzip => self.check_sum(begin),
            Packing::Zlib => Ok(()),
        }
    }

    /// Checks the checksum and the length at the end of a gzip member.
    fn check_sum(&mut self, begin: usize) -> Result<(), InflateError> {
        let (sum, length): ([u8; 4], [u8; 4]) = (self.take()?, self.take()?);
        let plain = self.space.get(begin..self.length).unwrap_or_default();
        // The length is modulo 2^32.
        let is_as_long = plain.len() & 0xffff_ffff == u32::from_le_bytes(length) as usize;
        if !is_as_long || hash(plain) != u32::from_le_bytes(sum) {
            return Err(self.invalid());
        }
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], InflateError> {
        let bytes = self.packed.get(self.read..).and_then(<[u8]>::first_chunk);
        self.read += N;
        bytes.copied().ok_or(self.invalid())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    const INVALID: InflateError = InflateError::Invalid(Packing::Gzip);

    fn gunzip(packed: &[u8]) -> Result<Vec<u8>, InflateError> {
        let mut gunzip = Inflating::new(Packing::Gzip, packed.to_vec());
        assert_eq!(gunzip.run(1 << 20, usize::MAX)?, Unpacked::Whole);
        Ok(gunzip.into_plain())
    }

    /// One member with these blocks, which unpack to nothing.
    fn member_of(blocks: &[u8]) -> Vec<u8> {
        let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        [&head, blocks, &[0; 8]].concat()
    }

    #[test]
    fn headers_have_optional_parts() {
        let mut encoder = GzBuilder::new()
            .filename("name")
            .comment("comment")
            .extra([7; 300])
            .write(Vec::new(), Compression::fast());
        encoder.write_all(b"plain").unwrap();
        assert_eq!(gunzip(&encoder.finish().unwrap()).unwrap(), b"plain");
        let mut with_check = packed(b"plain");
        with_check[3] = 2;
        with_check.splice(10..10, [1, 2]);
        assert_eq!(gunzip(&with_check).unwrap(), b"plain");
    }

    #[test]
    fn whatever_is_cut_off_or_changed_is_invalid() {
        let whole = [packed(b"one "), packed(&[b'x'; 1_000])].concat();
        assert_eq!(gunzip(&whole).unwrap().len(), 1_004);
        let first = packed(b"one ").len();
        for end in (0..whole.len()).filter(|end| *end != first) {
            assert_eq!(gunzip(&whole[..end]), Err(INVALID), "{end}");
        }
        for index in [0, 2, first - 1, first - 8, whole.len() - 1, whole.len() - 5] {
            let mut changed = whole.clone();
            changed[index] ^= 1;
            assert_eq!(gunzip(&changed), Err(INVALID), "{index}");
        }
        assert_eq!(gunzip(&[&*whole, b"\0"].concat()), Err(INVALID));
    }

    #[test]
    fn blocks_without_content_are_counted() {
        // Stored blocks of no bytes; the last one has the first bit.
        let blocks = |count| [[0, 0, 0, 255, 255].repeat(count), vec![1, 0, 0, 255, 255]].concat();
        assert_eq!(gunzip(&member_of(&blocks(1_000))).unwrap(), b"");
        let many = member_of(&blocks(100_000));
        let mut gunzip = Inflating::new(Packing::Gzip, many);
        assert_eq!(gunzip.run(1 << 20, 64), Ok(Unpacked::Part));
        assert_eq!(
            gunzip.run(1 << 20, usize::MAX),
            Err(InflateError::SmallBlocks)
        );
        assert_eq!(gunzip.blocks, FREE_BLOCKS + 1);
        // The same for members: each has a block.
        let members = member_of(&blocks(0)).repeat(100_000);
        let mut gunzip = Inflating::new(Packing::Gzip, members);
        assert_eq!(
            gunzip.run(1 << 20, usize::MAX),
            Err(InflateError::SmallBlocks)
        );
    }

    #[test]
    fn a_client_may_flush_after_each_line() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let line = "power,sensor=house watts=1234.5,watthours=12345678.9 1767607200000000000\n";
        for _ in 0..10_000 {
            encoder.write_all(line.as_bytes()).unwrap();
            encoder.flush().unwrap();
        }
        let plain = gunzip(&encoder.finish().unwrap()).unwrap();
        assert_eq!(plain.len(), 10_000 * line.len());
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn unzlib(packed: &[u8]) -> Result<Vec<u8>, InflateError> {
        let mut inflating = Inflating::new(Packing::Zlib, packed.to_vec());
        assert_eq!(inflating.run(1 << 20, usize::MAX)?, Unpacked::Whole);
        Ok(inflating.into_plain())
    }

    #[test]
    fn zlib_is_one_member_with_its_own_frame() {
        let plain = vec![b'x'; 100_000];
        let whole = zlib(&plain);
        assert_eq!(unzlib(&whole).unwrap(), plain);
        assert_eq!(unzlib(&zlib(b"")).unwrap(), b"");
        let invalid = Err(InflateError::Invalid(Packing::Zlib));
        for end in 0..whole.len() {
            assert_eq!(unzlib(&whole[..end]), invalid, "{end}");
        }
        // The format, its check, and the sum.
        for index in [0, 1, whole.len() - 1, whole.len() - 4] {
            let mut changed = whole.clone();
            changed[index] ^= 1;
            assert_eq!(unzlib(&changed), invalid, "{index}");
        }
        let twice = whole.repeat(2);
        // A preset dictionary, which this decoder does not have.
        let with_dictionary = [0x78, 0xbb, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1].to_vec();
        for other in [twice, packed(b"gzip"), with_dictionary, Vec::new()] {
            assert_eq!(unzlib(&other), invalid);
        }
        assert_eq!(gunzip(&whole), Err(INVALID));
        // Blocks without content are counted, too.
        let blocks = [vec![0x78, 0x01], [0, 0, 0, 255, 255].repeat(100_000)].concat();
        assert_eq!(unzlib(&blocks), Err(InflateError::SmallBlocks));
    }

    proptest! {
        #[test]
        fn zlib_in_steps_or_at_once(
            plain in prop::collection::vec(any::<u8>(), 0..9_000),
            step in 1_usize..5_000,
        ) {
            let mut inflating = Inflating::new(Packing::Zlib, zlib(&plain));
            let mut most = 0;
            while inflating.run(most, usize::MAX).unwrap() == Unpacked::Part {
                most += step;
            }
            prop_assert_eq!(inflating.into_plain(), plain);
        }

        #[test]
        fn in_steps_or_at_once(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 1..5),
            step in 1_usize..5_000,
        ) {
            let all: Vec<u8> = parts.iter().flat_map(|part| packed(part)).collect();
            let mut gunzip = Inflating::new(Packing::Gzip, all);
            let mut most = 0;
            while gunzip.run(most, usize::MAX).unwrap() == Unpacked::Part {
                prop_assert_eq!(gunzip.length, most + 1);
                most += step;
            }
            prop_assert_eq!(gunzip.into_plain(), parts.concat());
        }

        #[test]
        fn any_bytes_are_unpacked_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = gunzip(&member_of(&bytes));
            let _ = gunzip(&bytes);
            let _ = unzlib(&[&[0x78, 0x9c], &*bytes].concat());
        }
    }
}
