//! The directory of a block: what is known about its pages without unpacking them.

use crate::store::blocks::block::format::{DecodeError, PAGE};
use crate::store::blocks::block::varint::{put, put_signed, take, take_signed};

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageEntry {
    /// The length of the page in bytes.
    pub(crate) length: usize,
    /// Whether times, watts, watt-hours are packed in it.
    pub(crate) packed: [bool; 3],
    /// The time of its first reading, in steps.
    pub(crate) time: i64,
    /// Steps between neighbouring times, if none are packed; else 0.
    pub(crate) spacing: i64,
    /// `None` if watts are not coded as steps, or no reading of the page has them.
    pub(crate) watts: Option<PagePower>,
    /// `None` if watt-hours are not coded as steps, or no reading of the page has them.
    pub(crate) watthours: Option<PageRegisters>,
}

/// The power of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PagePower {
    pub(crate) first: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    pub(crate) sum: i64,
}

/// The registers of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageRegisters {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// How much of the next step had accrued at the first reading, in 1/256; 0 unless power predicts the register.
    pub(crate) phase: u8,
}

impl PagePower {
    /// `None` if there are no steps.
    pub(crate) fn of(steps: &[i64]) -> Option<Self> {
        let first = *steps.first()?;
        let each = |(min, max, sum): (i64, i64, i64), &step: &i64| {
            // The sum wraps only in made-up blocks: `encode` has at most 256 steps below 2^54.
            (min.min(step), max.max(step), sum.wrapping_add(step))
        };
        let (min, max, sum) = steps.iter().fold((first, first, 0), each);
        Some(Self {
            first,
            min,
            max,
            sum,
        })
    }
}

impl PageRegisters {
    /// `None` if there are no steps.
    pub(crate) fn of(steps: &[i64], phase: u8) -> Option<Self> {
        Some(Self {
            first: *steps.first()?,
            last: *steps.last()?,
            phase,
        })
    }
}

/// What an entry is delta-coded against: the entry before.
#[derive(Default)]
struct Before {
    time: i64,
    stride: i64,
    watts: i64,
    watthours: i64,
}

impl Before {
    fn go_on(&mut self, entry: &PageEntry) {
        self.stride = entry.time.wrapping_sub(self.time);
        self.time = entry.time;
        // A page without a measure leaves what the pages before it had.
        self.watts = entry.watts.map_or(self.watts, |power| power.first);
        self.watthours = entry.watthours.map_or(self.watthours, |r| r.last);
    }
}

pub(crate) fn write(entries: &[PageEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = Before::default();
    for entry in entries {
        // The lowest bit is for times: begin with the last column.
        let bits = entry.packed.iter().rev();
        let bits = bits.fold(0, |bits, &packed| bits << 1 | u64::from(packed));
        put(&mut bytes, (entry.length as u64) << 3 | bits);
        // Pages are about equally long in time, so the change of the distance is small.
        let stride = entry.time.wrapping_sub(before.time);
        put_signed(&mut bytes, stride.wrapping_sub(before.stride));
        if let [false, ..] = entry.packed {
            // Unsigned, because times ascend. A page of a single time has 0.
            put(&mut bytes, entry.spacing.cast_unsigned());
        }
        if let Some(power) = entry.watts {
            let PagePower {
                first,
                min,
                max,
                sum,
            } = power;
            put_signed(&mut bytes, first.wrapping_sub(before.watts));
            put_signed(&mut bytes, first.wrapping_sub(min));
            put_signed(&mut bytes, max.wrapping_sub(first));
            put_signed(&mut bytes, sum);
        }
        if let Some(registers) = entry.watthours {
            put_signed(&mut bytes, registers.first.wrapping_sub(before.watthours));
            put_signed(&mut bytes, registers.last.wrapping_sub(registers.first));
            bytes.push(registers.phase);
        }
        before.go_on(entry);
    }
    bytes
}

/// Reads the entries of `count` readings. `has_fields` returns whether the entry of a page describes power and registers.
pub(crate) fn read(
    count: usize,
    has_fields: impl Fn(usize) -> [bool; 2],
    bytes: &mut &[u8],
) -> Result<Vec<PageEntry>, DecodeError> {
    let mut entries = Vec::with_capacity(count.div_ceil(PAGE));
    let mut before = Before::default();
    for page in 0..count.div_ceil(PAGE) {
        let [of_power, of_registers] = has_fields(page);
        let length = take(bytes)?;
        let packed = [1, 2, 4].map(|bit| length & bit != 0);
        let length = usize::try_from(length >> 3)
            .map_err(|_| DecodeError::Malformed("impossible length of a page"))?;
        // Wrapping here and below: made-up numbers under a valid checksum must not panic.
        let stride = before.stride.wrapping_add(take_signed(bytes)?);
        let [are_times, ..] = packed;
        let mut entry = PageEntry {
            length,
            packed,
            time: before.time.wrapping_add(stride),
            spacing: if are_times {
                0
            } else {
                take(bytes)?.cast_signed()
            },
            watts: None,
            watthours: None,
        };
        if of_power {
            let first = before.watts.wrapping_add(take_signed(bytes)?);
            entry.watts = Some(PagePower {
                first,
                min: first.wrapping_sub(take_signed(bytes)?),
                max: first.wrapping_add(take_signed(bytes)?),
                sum: take_signed(bytes)?,
            });
        }
        if of_registers {
            let first = before.watthours.wrapping_add(take_signed(bytes)?);
            let last = first.wrapping_add(take_signed(bytes)?);
            let &phase = bytes
                .split_off_first()
                .ok_or(DecodeError::Malformed("shorter than its directory"))?;
            entry.watthours = Some(PageRegisters { first, last, phase });
        }
        before.go_on(&entry);
        entries.push(entry);
    }
    Ok(entries)
}
