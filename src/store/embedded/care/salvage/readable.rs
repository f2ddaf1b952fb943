//! Copies past sectors that the disk cannot read.

use std::io::{self, Write};

/// Bytes per read.
const PIECE: usize = 128 * 1024;
/// Bytes per read near an unreadable sector: a memory page on most systems.
const SMALL_PIECE: usize = 4 * 1024;

/// Copies `length` bytes. Returns the number of unreadable bytes; they are 0 in `target`.
pub(crate) fn copy_readable(
    mut read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    length: u64,
    target: &mut impl Write,
) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE];
    let (mut offset, mut unread) = (0, 0);
    // After a failure, read small pieces up to this offset to isolate the bad ones.
    let mut small_until = 0;
    while offset < length {
        let most = if offset < small_until {
            SMALL_PIECE
        } else {
            PIECE
        };
        let left = usize::try_from(length - offset).unwrap_or(PIECE);
        let piece = buffer.get_mut(..most.min(left)).unwrap_or_default();
        let read = match read_at(piece, offset) {
            // The file is shorter than when it was measured.
            Ok(0) => return Ok(unread),
            Ok(read) => read,
            Err(_) if most > SMALL_PIECE => {
                small_until = offset + PIECE as u64;
                continue;
            }
            Err(_) => {
                piece.fill(0);
                unread += piece.len() as u64;
                piece.len()
            }
        };
        target.write_all(piece.get(..read).unwrap_or_default())?;
        offset += read as u64;
    }
    Ok(unread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_sectors_become_zeros_and_are_counted() {
        let whole: Vec<u8> = (1..=251).cycle().take(3 * PIECE + 100).collect();
        let bad = PIECE + 5 * SMALL_PIECE..PIECE + 7 * SMALL_PIECE;
        let read_at = |bytes: &mut [u8], offset: u64| {
            let start = usize::try_from(offset).unwrap();
            let end = (start + bytes.len()).min(whole.len());
            if start < bad.end && bad.start < end {
                return Err(io::Error::other("a bad sector"));
            }
            bytes[..end - start].copy_from_slice(&whole[start..end]);
            Ok(end - start)
        };
        let mut copied = Vec::new();
        let unread = copy_readable(read_at, whole.len() as u64, &mut copied).unwrap();
        assert_eq!(unread, 2 * SMALL_PIECE as u64);
        let mut expected = whole.clone();
        expected[bad.clone()].fill(0);
        assert_eq!(copied, expected);
    }
}
