//! A chunk of a price series.
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | version: 1 |
//! | varint, signed | when the first price begins, in milliseconds since 1970 |
//! | varint | how long it lasts, in milliseconds |
//! | | for each price: |
//! | varint | its difference from the price before it in millionths, the first one's from 0, zigzag-coded and doubled; plus 1 if times follow |
//! | varint | if times follow: how long after the end of the one before it begins |
//! | varint | if times follow: how long it lasts; otherwise as long as the one before it |
//!
//! Varints are those of blocks (`blocks/block/varint.rs`). docs/FORMATS.md has the same.

use crate::domain::{Decimal, Timestamp};
use crate::ledger::contract::SeriesPrice;
use crate::store::blocks::block::varint::{put, put_signed, take, take_signed};

const VERSION: u8 = 1;
/// The maximum length of a chunk, in bytes: a change of a price rewrites one.
pub(crate) const MOST_BYTES: usize = 1_400;

/// Encodes a chunk of prices in order of time, none overlapping; at least one.
pub(crate) fn encode(prices: &[SeriesPrice]) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    let Some(first) = prices.first() else {
        return bytes;
    };
    let length = |price: &SeriesPrice| price.to.millis() - price.from.millis();
    let mut end = first.from.millis();
    let mut last_length = length(first);
    let mut last_price = 0_i64;
    put_signed(&mut bytes, end);
    put(&mut bytes, last_length.cast_unsigned());
    for price in prices {
        let gap = price.from.millis() - end;
        let has_times = gap != 0 || length(price) != last_length;
        // Prices are below 10^18 millionths, so neither the difference nor its double overflows.
        let difference = price.price.millionths().saturating_sub(last_price);
        let zigzag = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
        put(&mut bytes, zigzag << 1 | u64::from(has_times));
        if has_times {
            put(&mut bytes, gap.cast_unsigned());
            put(&mut bytes, length(price).cast_unsigned());
        }
        end = price.to.millis();
        last_length = length(price);
        last_price = price.price.millionths();
    }
    bytes
}

/// Encodes prices in order of time as chunks, nearly evenly filled.
pub(crate) fn encode_all<'a>(
    prices: &'a [SeriesPrice],
    out: &mut Vec<(&'a [SeriesPrice], Vec<u8>)>,
) {
    let bytes = encode(prices);
    if bytes.len() <= MOST_BYTES {
        if !prices.is_empty() {
            out.push((prices, bytes));
        }
        return;
    }
    // One price is far shorter, so neither half is empty.
    let (first, second) = prices.split_at(prices.len() / 2);
    encode_all(first, out);
    encode_all(second, out);
}

/// Decodes the prices of a chunk; `None` if it is damaged.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<SeriesPrice>> {
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let (&VERSION, mut rest) = bytes.split_first()? else {
        return None;
    };
    let millis = |bytes: &mut &[u8]| i64::try_from(take(bytes).ok()?).ok();
    let mut end = take_signed(&mut rest).ok()?;
    let mut length = millis(&mut rest)?;
    let mut last_price = 0_i64;
    let mut prices = Vec::new();
    while !rest.is_empty() {
        let coded = take(&mut rest).ok()?;
        let mut from = end;
        if coded & 1 == 1 {
            from = end.checked_add(millis(&mut rest)?)?;
            length = millis(&mut rest)?;
        }
        let zigzag = coded >> 1;
        let difference = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        last_price = last_price.checked_add(difference)?;
        let price = Decimal::from_millionths(last_price);
        end = from.checked_add(length)?;
        if length == 0 || !price.is_price() {
            return None;
        }
        prices.push(SeriesPrice {
            from: Timestamp::from_millis(from)?,
            to: Timestamp::from_millis(end)?,
            price,
        });
    }
    (!prices.is_empty()).then_some(prices)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn price(from: i64, to: i64, millionths: i64) -> SeriesPrice {
        SeriesPrice {
            from: Timestamp::from_millis(from).unwrap(),
            to: Timestamp::from_millis(to).unwrap(),
            price: Decimal::from_millionths(millionths),
        }
    }

    #[test]
    fn a_chunk_is_these_bytes() {
        // Two prices of 10 ms from 5 ms on, then a gap of 1 ms, then one of 3 ms.
        let prices = [price(5, 15, 2), price(15, 25, 1), price(26, 29, 1)];
        let bytes = [1, 10, 10, 8, 2, 1, 1, 3];
        assert_eq!(encode(&prices), bytes);
        assert_eq!(decode(&bytes).unwrap(), prices);
        for bad in [
            &[][..],
            &[1],
            &[1, 10, 10],
            &[2, 10, 10, 8],
            &[1, 10, 0, 8],
            &[1, 10, 10, 9, 1],
            &[1, 10, 10, 0x80],
        ] {
            assert_eq!(decode(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn hourly_prices_take_about_three_bytes() {
        let hour = 3_600_000;
        let prices: Vec<_> = (0..8_760)
            .map(|n| price(n * hour, (n + 1) * hour, (n * 7_919) % 100_000))
            .collect();
        let mut chunks = Vec::new();
        encode_all(&prices, &mut chunks);
        let all: usize = chunks.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(all < 3 * prices.len() + 1_000, "{all}");
    }

    proptest! {
        #[test]
        fn chunks_round_trip(
            start in -60_000_000_000_000_i64..200_000_000_000_000,
            steps in proptest::collection::vec((0_i64..3, 1_i64..=3_600_000, -999_999_999_999_i64..=999_999_999_999), 1..2_000),
        ) {
            let mut at = start;
            let mut prices = Vec::new();
            for (gap, length, millionths) in steps {
                let from = at + gap;
                at = from + length;
                prices.push(price(from, at, millionths));
            }
            let mut chunks = Vec::new();
            encode_all(&prices, &mut chunks);
            let mut decoded = Vec::new();
            for (of, bytes) in chunks {
                prop_assert!(bytes.len() <= MOST_BYTES);
                let chunk = decode(&bytes).unwrap();
                prop_assert_eq!(&chunk[..], of);
                decoded.extend(chunk);
            }
            prop_assert_eq!(decoded, prices);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(prices) = decode(&[&[VERSION], &bytes[..]].concat()) {
                prop_assert_eq!(decode(&encode(&prices)), Some(prices));
            }
        }
    }
}
