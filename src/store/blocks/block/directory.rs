//! The directory of a block: facts about its pages that are known without unpacking them.

use crate::store::blocks::block::format::{DecodeError, PAGE};
use crate::store::blocks::block::timing::PageTiming;
use crate::store::blocks::block::varint::{put, put_signed, take, take_signed};

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageEntry {
    /// The length of the page in bytes.
    pub(crate) length: usize,
    /// Whether times, watts and watt-hours are packed in it.
    pub(crate) packed: [bool; 3],
    /// The time of its first reading, in steps.
    pub(crate) time: i64,
    /// Steps between neighbouring times, if none are packed; else 0.
    pub(crate) spacing: i64,
    /// `None` if watts are not coded as steps, or no reading of the page has them.
    pub(crate) watts: Option<PagePower>,
    /// `None` if watt-hours are not coded as steps, or no reading of the page has them.
    pub(crate) watthours: Option<PageRegisters>,
    /// The times of the readings with a register; of all readings in a block without registers.
    pub(crate) timing: PageTiming,
}

/// The power of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PagePower {
    pub(crate) first: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    pub(crate) sum: i64,
    /// `None` in a block with registers, since these say more.
    pub(crate) energy: Option<PageEnergy>,
}

/// The integral of power over a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageEnergy {
    /// The last power, in steps.
    pub(crate) last: i64,
    /// In millionths of a watt-hour.
    pub(crate) imported: u64,
    pub(crate) exported: u64,
}

/// The registers of a page, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageRegisters {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// How much of the next step had accrued at the first reading, in 1/256; 0 unless power
    /// predicts the register.
    pub(crate) phase: u8,
    /// The sum of its falls.
    pub(crate) falls: i64,
    /// In watts, see [`RegisterRun`](crate::ledger::RegisterRun).
    pub(crate) steepest_rise: u64,
    pub(crate) steepest_fall: u64,
    /// For how long before the last one all had the same value, in steps of time.
    pub(crate) unchanged: i64,
}

/// The parts of a page that the directory describes.
pub(crate) struct Described {
    /// The number of its readings.
    pub(crate) count: usize,
    pub(crate) has_power: bool,
    /// The number of its registers that are described.
    pub(crate) registers: usize,
    /// Whether any reading of the block has a register.
    pub(crate) is_block_of_registers: bool,
}

impl PagePower {
    /// `None` if there are no steps. Fields that depend on times are left at 0.
    pub(crate) fn of(steps: &[i64]) -> Option<Self> {
        let first = *steps.first()?;
        let each = |(min, max, sum): (i64, i64, i64), &step: &i64| {
            // The sum wraps only in forged blocks: `encode` has at most 256 steps below 2^54.
            (min.min(step), max.max(step), sum.wrapping_add(step))
        };
        let (min, max, sum) = steps.iter().fold((first, first, 0), each);
        Some(Self {
            first,
            min,
            max,
            sum,
            energy: steps.last().map(|&last| PageEnergy {
                last,
                imported: 0,
                exported: 0,
            }),
        })
    }
}

impl PageRegisters {
    /// `None` if there are no steps. Fields that depend on times are left at 0.
    pub(crate) fn of(steps: &[i64], phase: u8) -> Option<Self> {
        let pairs = steps.iter().zip(steps.get(1..).unwrap_or_default());
        let falls = pairs.map(|(step, next)| step.saturating_sub(*next).max(0));
        Some(Self {
            first: *steps.first()?,
            last: *steps.last()?,
            phase,
            falls: falls.fold(0, i64::saturating_add),
            steepest_rise: 0,
            steepest_fall: 0,
            unchanged: 0,
        })
    }

    /// The sum of its rises; negative only in forged blocks.
    pub(crate) const fn rises(&self) -> i64 {
        self.last.wrapping_sub(self.first).wrapping_add(self.falls)
    }

    fn write(&self, count: usize, bytes: &mut Vec<u8>) {
        if count < 2 {
            return;
        }
        put(bytes, self.falls.cast_unsigned());
        if self.rises() != 0 {
            put(bytes, self.steepest_rise);
        }
        if self.falls != 0 {
            put(bytes, self.steepest_fall);
        }
        put(bytes, self.unchanged.cast_unsigned());
    }

    fn read(&mut self, count: usize, bytes: &mut &[u8]) -> Result<(), DecodeError> {
        if count < 2 {
            return Ok(());
        }
        self.falls = take(bytes)?.cast_signed();
        if self.rises() != 0 {
            self.steepest_rise = take(bytes)?;
        }
        if self.falls != 0 {
            self.steepest_fall = take(bytes)?;
        }
        self.unchanged = take(bytes)?.cast_signed();
        Ok(())
    }
}

impl Described {
    /// The number of readings that [`PageEntry::timing`] covers; `None` if nothing in the page
    /// needs it.
    pub(crate) const fn timed(&self) -> Option<usize> {
        match (self.registers, self.is_block_of_registers) {
            (0, false) if self.has_power => Some(self.count),
            (0, _) => None,
            (registers, _) => Some(registers),
        }
    }

    /// The timing if it follows from equal spacings.
    fn equal_timing(&self, entry: &PageEntry) -> Option<PageTiming> {
        let [are_times_packed, ..] = entry.packed;
        let is_equal = !are_times_packed && self.timed() == Some(self.count);
        is_equal.then(|| PageTiming::equal(self.count, entry.spacing))
    }
}

/// The entry before, which an entry is delta-coded against.
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
        // A page without a measure keeps the values of the pages before it.
        self.watts = entry.watts.map_or(self.watts, |power| power.first);
        self.watthours = entry.watthours.map_or(self.watthours, |r| r.last);
    }
}

/// Writes the entries. `described` returns the described parts of a page.
pub(crate) fn write(entries: &[PageEntry], described: impl Fn(usize) -> Described) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = Before::default();
    for (page, entry) in entries.iter().enumerate() {
        let described = described(page);
        // The lowest bit is for times: begin with the last column.
        let bits = entry.packed.iter().rev();
        let bits = bits.fold(0, |bits, &packed| bits << 1 | u64::from(packed));
        put(&mut bytes, (entry.length as u64) << 3 | bits);
        // Pages span about equal times, so the change of the distance is small.
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
                energy,
            } = power;
            put_signed(&mut bytes, first.wrapping_sub(before.watts));
            put_signed(&mut bytes, first.wrapping_sub(min));
            put_signed(&mut bytes, max.wrapping_sub(first));
            put_signed(&mut bytes, sum);
            if let Some(energy) = energy.filter(|_| described.count > 1) {
                put_signed(&mut bytes, energy.last.wrapping_sub(first));
                put(&mut bytes, energy.imported);
                put(&mut bytes, energy.exported);
            }
        }
        if let Some(registers) = entry.watthours {
            put_signed(&mut bytes, registers.first.wrapping_sub(before.watthours));
            put_signed(&mut bytes, registers.last.wrapping_sub(registers.first));
            bytes.push(registers.phase);
            registers.write(described.registers, &mut bytes);
        }
        if let Some(timed) = described.timed()
            && described.equal_timing(entry).is_none()
        {
            entry.timing.write(timed, &mut bytes);
        }
        before.go_on(entry);
    }
    bytes
}

/// Reads the entries of `count` readings.
pub(crate) fn read(
    count: usize,
    described: impl Fn(usize) -> Described,
    bytes: &mut &[u8],
) -> Result<Vec<PageEntry>, DecodeError> {
    let mut entries = Vec::with_capacity(count.div_ceil(PAGE));
    let mut before = Before::default();
    for page in 0..count.div_ceil(PAGE) {
        let described = described(page);
        let length = take(bytes)?;
        let packed = [1, 2, 4].map(|bit| length & bit != 0);
        let length = usize::try_from(length >> 3)
            .map_err(|_| DecodeError::Malformed("impossible length of a page"))?;
        // Wrapping here and below: forged numbers under a valid checksum must not panic.
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
            timing: PageTiming::default(),
        };
        if described.has_power {
            let first = before.watts.wrapping_add(take_signed(bytes)?);
            entry.watts = Some(PagePower {
                first,
                min: first.wrapping_sub(take_signed(bytes)?),
                max: first.wrapping_add(take_signed(bytes)?),
                sum: take_signed(bytes)?,
                energy: take_energy(first, &described, bytes)?,
            });
        }
        if described.registers > 0 {
            let first = before.watthours.wrapping_add(take_signed(bytes)?);
            let last = first.wrapping_add(take_signed(bytes)?);
            let &phase = bytes
                .split_off_first()
                .ok_or(DecodeError::Malformed("shorter than its directory"))?;
            let mut registers = PageRegisters {
                first,
                last,
                phase,
                falls: 0,
                steepest_rise: 0,
                steepest_fall: 0,
                unchanged: 0,
            };
            registers.read(described.registers, bytes)?;
            entry.watthours = Some(registers);
        }
        if let Some(timed) = described.timed() {
            entry.timing = match described.equal_timing(&entry) {
                Some(timing) => timing,
                None => PageTiming::read(timed, bytes)?,
            };
        }
        before.go_on(&entry);
        entries.push(entry);
    }
    Ok(entries)
}

fn take_energy(
    first: i64,
    described: &Described,
    bytes: &mut &[u8],
) -> Result<Option<PageEnergy>, DecodeError> {
    if described.is_block_of_registers {
        return Ok(None);
    }
    let mut energy = PageEnergy {
        last: first,
        imported: 0,
        exported: 0,
    };
    if described.count > 1 {
        energy.last = first.wrapping_add(take_signed(bytes)?);
        energy.imported = take(bytes)?;
        energy.exported = take(bytes)?;
    }
    Ok(Some(energy))
}
