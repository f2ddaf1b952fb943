//! What a block tells of its pages without unpacking them.

use crate::store::blocks::block::varint::{put, put_signed, take, take_signed};
use crate::store::blocks::block::{DecodeError, PAGE};

/// What is told of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    /// Of the page, in bytes.
    pub(crate) length: usize,
    /// Whether it has numbers of times, of watts, of watt-hours.
    pub(crate) packed: [bool; 3],
    /// The time of its first reading, in steps.
    pub(crate) time: i64,
    /// How many steps lie between the times of neighbours, where none are packed.
    pub(crate) every: i64,
    /// Where watts are steps and a reading of the page has them.
    pub(crate) watts: Option<Power>,
    /// Where watt-hours are steps and a reading of the page has them.
    pub(crate) watthours: Option<Registers>,
}

/// The power of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Power {
    pub(crate) first: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    pub(crate) sum: i64,
}

/// The registers of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Registers {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// How much of the next step was counted when the first was read, in parts of 256; 0 where power foretells nothing.
    pub(crate) phase: u8,
}

impl Power {
    /// `None` where there are no steps.
    pub(crate) fn of(steps: &[i64]) -> Option<Self> {
        let first = *steps.first()?;
        let each = |(min, max, sum): (i64, i64, i64), &step: &i64| {
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

impl Registers {
    /// `None` where there are no steps.
    pub(crate) fn of(steps: &[i64], phase: u8) -> Option<Self> {
        Some(Self {
            first: *steps.first()?,
            last: *steps.last()?,
            phase,
        })
    }
}

/// What an entry is written as the difference to.
#[derive(Default)]
struct Before {
    time: i64,
    stride: i64,
    watts: i64,
    watthours: i64,
}

impl Before {
    fn go_on(&mut self, entry: &Entry) {
        self.stride = entry.time.wrapping_sub(self.time);
        self.time = entry.time;
        self.watts = entry.watts.map_or(self.watts, |power| power.first);
        self.watthours = entry.watthours.map_or(self.watthours, |r| r.last);
    }
}

pub(crate) fn write(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = Before::default();
    for entry in entries {
        let bits = entry.packed.iter().rev();
        let bits = bits.fold(0, |bits, &packed| bits << 1 | u64::from(packed));
        put(&mut bytes, (entry.length as u64) << 3 | bits);
        let stride = entry.time.wrapping_sub(before.time);
        put_signed(&mut bytes, stride.wrapping_sub(before.stride));
        if let [false, ..] = entry.packed {
            put(&mut bytes, entry.every.cast_unsigned());
        }
        if let Some(power) = entry.watts {
            let Power {
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

/// The entries of `count` readings. Of each page it is asked whether it tells of power, and of registers.
pub(crate) fn read(
    count: usize,
    tells: impl Fn(usize) -> [bool; 2],
    bytes: &mut &[u8],
) -> Result<Vec<Entry>, DecodeError> {
    let mut entries = Vec::with_capacity(count.div_ceil(PAGE));
    let mut before = Before::default();
    for page in 0..count.div_ceil(PAGE) {
        let [of_power, of_registers] = tells(page);
        let length = take(bytes)?;
        let packed = [1, 2, 4].map(|bit| length & bit != 0);
        let length = usize::try_from(length >> 3)
            .map_err(|_| DecodeError::Malformed("a page of an impossible length"))?;
        let stride = before.stride.wrapping_add(take_signed(bytes)?);
        let [are_times, ..] = packed;
        let mut entry = Entry {
            length,
            packed,
            time: before.time.wrapping_add(stride),
            every: if are_times {
                0
            } else {
                take(bytes)?.cast_signed()
            },
            watts: None,
            watthours: None,
        };
        if of_power {
            let first = before.watts.wrapping_add(take_signed(bytes)?);
            entry.watts = Some(Power {
                first,
                min: first.wrapping_sub(take_signed(bytes)?),
                max: first.wrapping_add(take_signed(bytes)?),
                sum: take_signed(bytes)?,
            });
        }
        if of_registers {
            let first = before.watthours.wrapping_add(take_signed(bytes)?);
            let last = first.wrapping_add(take_signed(bytes)?);
            let (&phase, rest) = bytes
                .split_first()
                .ok_or(DecodeError::Malformed("shorter than its directory"))?;
            *bytes = rest;
            entry.watthours = Some(Registers { first, last, phase });
        }
        before.go_on(&entry);
        entries.push(entry);
    }
    Ok(entries)
}
