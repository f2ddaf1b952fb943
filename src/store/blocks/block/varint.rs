//! Varints (LEB128): seven bits per byte, the lowest first, bit 7 set if more bytes follow. Signed
//! varints are zigzag-coded first: 0, -1, 1, -2 become 0, 1, 2, 3.

use crate::store::blocks::block::format::DecodeError;

/// Ten times seven bits hold any u64.
const MAX_BYTES: usize = 10;

pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    // The arithmetic shift gives 0, or -1, which inverts all bits of a negative number.
    put(bytes, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

pub(crate) fn take(bytes: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut number = 0_u64;
    for place in 0..MAX_BYTES {
        let Some(&byte) = bytes.split_off_first() else {
            break;
        };
        // The tenth byte has room for one bit: others are lost, and `put` sets none.
        number |= u64::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(DecodeError::Malformed("unterminated varint"))
}

pub(crate) fn take_signed(bytes: &mut &[u8]) -> Result<i64, DecodeError> {
    let zigzag = take(bytes)?;
    Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip() {
        for number in [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            put(&mut bytes, number.cast_unsigned());
            let mut rest = &bytes[..];
            assert_eq!(take_signed(&mut rest), Ok(number));
            assert_eq!(take(&mut rest), Ok(number.cast_unsigned()));
            assert_eq!(rest, [0_u8; 0]);
        }
        assert!(take(&mut &[0xFF; 11][..]).is_err());
        assert!(take(&mut &[0x80][..]).is_err());
    }

    #[test]
    fn small_numbers_take_one_byte() {
        let length = |number| {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            bytes.len()
        };
        assert_eq!([0, -64, 63, 64, -65].map(length), [1, 1, 1, 2, 2]);
    }
}
