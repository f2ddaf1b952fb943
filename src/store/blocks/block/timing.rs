//! The times of a page's readings, as far as totals need them.

use crate::store::blocks::block::format::DecodeError;
use crate::store::blocks::block::varint::{put, take};

/// Times in a page, in steps since the first reading of the page. All are 0 if there is only one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageTiming {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// The longest spacing.
    pub(crate) longest: i64,
    /// The last spacing, and the one before it; 0 if there is none.
    pub(crate) spacing: i64,
    pub(crate) spacing_before: i64,
}

impl PageTiming {
    /// Computes it from times in steps since the first reading of the page.
    pub(crate) fn of(times: &[i64]) -> Self {
        let pairs = times.iter().zip(times.get(1..).unwrap_or_default());
        let each = |timing: Self, (time, next): (&i64, &i64)| {
            let spacing = next.wrapping_sub(*time);
            Self {
                last: *next,
                longest: timing.longest.max(spacing),
                spacing,
                spacing_before: timing.spacing,
                ..timing
            }
        };
        let first = times.first().copied().unwrap_or_default();
        let begin = Self {
            first,
            last: first,
            ..Self::default()
        };
        pairs.fold(begin, each)
    }

    /// Computes it for `count` times that are `spacing` apart.
    pub(crate) fn equal(count: usize, spacing: i64) -> Self {
        let spacings = i64::try_from(count).unwrap_or(i64::MAX).saturating_sub(1);
        Self {
            first: 0,
            last: spacing.wrapping_mul(spacings),
            longest: if spacings > 0 { spacing } else { 0 },
            spacing: if spacings > 0 { spacing } else { 0 },
            spacing_before: if spacings > 1 { spacing } else { 0 },
        }
    }

    pub(crate) fn write(&self, count: usize, bytes: &mut Vec<u8>) {
        let unsigned = |number: i64| number.cast_unsigned();
        put(bytes, unsigned(self.first));
        if count > 1 {
            put(bytes, unsigned(self.last.wrapping_sub(self.first)));
        }
        if count > 2 {
            // Mostly small: a sensor's spacings are similar.
            put(bytes, unsigned(self.longest));
            put(bytes, unsigned(self.longest.wrapping_sub(self.spacing)));
            let before = self.longest.wrapping_sub(self.spacing_before);
            put(bytes, unsigned(before));
        }
    }

    pub(crate) fn read(count: usize, bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let first = take(bytes)?.cast_signed();
        if count < 2 {
            return Ok(Self {
                first,
                last: first,
                ..Self::default()
            });
        }
        let length = take(bytes)?.cast_signed();
        let last = first.wrapping_add(length);
        if count == 2 {
            return Ok(Self {
                first,
                last,
                longest: length,
                spacing: length,
                spacing_before: 0,
            });
        }
        let longest = take(bytes)?.cast_signed();
        let mut shorter = || Ok(longest.wrapping_sub(take(bytes)?.cast_signed()));
        Ok(Self {
            first,
            last,
            longest,
            spacing: shorter()?,
            spacing_before: shorter()?,
        })
    }
}
