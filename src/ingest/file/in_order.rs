//! The values of a file as readings, in order.

use anyhow::{Result, bail};

use super::covering::{CoveringSums, EnergyInterval};
use super::spool::{MergedValues, SortedValues, Spooled};
use crate::domain::number::to_millionth;
use crate::domain::{LocalDate, Measures, Reading, Timestamp, Zone};
use crate::ingest::table::{NO_LENGTH, When};

const DAY_MS: i64 = 86_400_000;

/// The kinds of energies in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FileEnergies {
    #[default]
    Registers,
    /// Energies of intervals.
    Intervals,
    /// Registers, which become the energies between them.
    BetweenRegisters,
}

impl FileEnergies {
    /// Whether energies of intervals are stored.
    pub(super) const fn has_intervals(self) -> bool {
        !matches!(self, Self::Registers)
    }
}

/// The rules for the values of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueRules {
    /// The kind of the energies in the file.
    pub(crate) energies: FileEnergies,
    /// Whether the later of two values at the same time counts, as in the program that wrote the
    /// file.
    pub(crate) later_counts: bool,
    /// Whether the separator in doubtful numbers separates thousands: for power, and for energy.
    pub(crate) thousands: [bool; 2],
    /// The length of an interval that the file does not determine; 0 if it is unknown.
    pub(crate) usual_length_ms: i64,
    /// The highest plausible power of the sensor, in watts; `None` if its kind of register is certain.
    pub(crate) plausible: Option<u32>,
    /// The zone of days and months.
    pub(crate) zone: Option<Zone>,
    /// Whether energies below zero are taken as their magnitude.
    pub(crate) magnitude: bool,
}

/// A reading, and its start if it is an interval.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) start: Option<Timestamp>,
    pub(super) reading: Reading,
}

impl Placed {
    /// The interval and its energy.
    pub(super) fn interval(&self) -> Option<EnergyInterval> {
        Some(EnergyInterval {
            start: self.start?,
            end: self.reading.time,
            energy: self.reading.measures.watthours()?,
        })
    }
}

/// Merges values at one time, and finds the ends of intervals.
pub(super) struct ReadingsInOrder<'a> {
    merged: MergedValues<'a>,
    rules: &'a ValueRules,
    sums: &'a CoveringSums,
    /// The length of an interval without a neighbour; 0 if it is unknown.
    length_ms: i64,
    /// The end of the last interval.
    last_end: Option<Timestamp>,
    ahead: Option<Spooled>,
    /// A reading to return next, found together with the previous one.
    second: Option<Placed>,
    /// The last register and its time, for the energy between two of them.
    register: Option<(Timestamp, f64)>,
    pub(super) duplicates: u64,
}

impl<'a> ReadingsInOrder<'a> {
    pub(super) fn new(
        values: &'a SortedValues,
        (rules, sums): (&'a ValueRules, &'a CoveringSums),
        length_ms: i64,
    ) -> Result<Self> {
        let mut merged = values.read()?;
        Ok(Self {
            ahead: merged.next()?,
            merged,
            rules,
            sums,
            length_ms,
            last_end: None,
            second: None,
            register: None,
            duplicates: 0,
        })
    }

    /// Returns the next reading. Calls `differ` with two values that differ at one time.
    pub(super) fn next(
        &mut self,
        differ: &mut dyn FnMut(&Spooled, &Spooled) -> Result<()>,
    ) -> Result<Option<Placed>> {
        if let Some(second) = self.second.take() {
            return Ok(Some(second));
        }
        loop {
            let Some(spooled) = self.merged(differ)? else {
                return Ok(None);
            };
            let placed = match spooled.value.when {
                When::Between(start, end) if self.sums.has(start, end) => None,
                // Of a row with both ends, too, a register is that at its end.
                when if self.is_register(&spooled) => {
                    self.between_registers(when.last(), &spooled)?
                }
                _ => self.place(&spooled)?,
            };
            if placed.is_some() {
                return Ok(placed);
            }
        }
    }

    /// The next value, with all values at its time.
    fn merged(
        &mut self,
        differ: &mut dyn FnMut(&Spooled, &Spooled) -> Result<()>,
    ) -> Result<Option<Spooled>> {
        let Some(mut spooled) = self.ahead.take() else {
            return Ok(None);
        };
        self.convert(&mut spooled);
        let first = spooled;
        loop {
            self.ahead = self.merged.next()?;
            let Some(mut other) = self.ahead.filter(|it| it.value.when == spooled.value.when)
            else {
                break;
            };
            self.convert(&mut other);
            let pairs = [
                (&mut spooled.value.watts, other.value.watts),
                (&mut spooled.value.watthours, other.value.watthours),
            ];
            let (mut is_new, mut is_different) = (false, false);
            for (known, value) in pairs {
                is_new |= known.is_none() && value.is_some();
                is_different |= value.is_some() && known.is_some_and(|known| Some(known) != value);
                *known = value.or(*known);
            }
            if is_different {
                differ(&first, &other)?;
            } else if !is_new {
                self.duplicates += 1;
            }
        }
        Ok(Some(spooled))
    }

    fn is_register(&self, spooled: &Spooled) -> bool {
        let is_between = self.rules.energies == FileEnergies::BetweenRegisters;
        is_between && spooled.value.watthours.is_some()
    }

    fn convert(&self, spooled: &mut Spooled) {
        let value = &mut spooled.value;
        let numbers = [&mut value.watts, &mut value.watthours];
        for ((number, doubtful), thousands) in numbers
            .into_iter()
            .zip(value.doubtful)
            .zip(self.rules.thousands)
        {
            if doubtful && thousands {
                // Three digits follow the separator, so this is a whole number.
                *number = number.map(|it| (it * 1e3).round());
            }
        }
        if self.rules.magnitude {
            value.watthours = value.watthours.map(f64::abs);
        }
    }

    /// The energy since the register before; none for the first one.
    fn between_registers(&mut self, time: Timestamp, spooled: &Spooled) -> Result<Option<Placed>> {
        let value = spooled.value;
        let before = match value.watthours {
            Some(register) => self.register.replace((time, register)).zip(Some(register)),
            None => None,
        };
        let energy = before.map(|((from, before), now)| (from, to_millionth(now - before)));
        if let Some((from, energy)) = energy
            && energy < 0.0
        {
            bail!(
                "its register falls by {} kWh between {from} and {time}, as where a meter is replaced: import the rows before and the rows after as two files",
                -energy / 1e3
            );
        }
        let watthours = energy.map(|(_, energy)| energy);
        if value.watts.is_none() && watthours.is_none() {
            return Ok(None);
        }
        let measures = Measures::new(value.watts, watthours)?;
        Ok(Some(Placed {
            start: energy.map(|(from, _)| from),
            reading: Reading { time, measures },
        }))
    }

    /// The reading of a value, once all values at its time are merged.
    fn place(&mut self, spooled: &Spooled) -> Result<Option<Placed>> {
        let value = spooled.value;
        let (watts, energy) = (value.watts, value.watthours);
        let placed = |time, start, watts, energy| -> Result<Placed> {
            let measures = Measures::new(watts, energy)?;
            Ok(Placed {
                start,
                reading: Reading { time, measures },
            })
        };
        let has_energy = self.rules.energies.has_intervals() && energy.is_some();
        let (start, end) = match value.when {
            When::At(time) => return placed(time, None, watts, energy).map(Some),
            // -0 is the beginning of an interval, in a file of our own.
            When::Until(time) if !has_energy || energy.is_some_and(is_beginning) => {
                self.last_end = Some(time);
                return placed(time, None, watts, energy).map(Some);
            }
            When::Until(end) => {
                let start = self.start_of(end);
                self.last_end = Some(end);
                if start == end {
                    bail!(NO_LENGTH);
                }
                return placed(end, Some(start), watts, energy).map(Some);
            }
            When::Between(start, end) => (start, end),
            When::From(start) => (start, self.end_of(start)),
        };
        if has_energy && start == end {
            bail!(NO_LENGTH);
        }
        let start_of_energy = Some(start).filter(|_| self.rules.energies.has_intervals());
        if watts.is_none() {
            return placed(end, start_of_energy, None, energy).map(Some);
        }
        // A mean belongs to the middle, because energy is computed from the mean of two neighbours.
        let middle = start.saturating_add_millis((end.millis() - start.millis()) / 2);
        if energy.is_some() {
            self.second = Some(placed(end, start_of_energy, None, energy)?);
        }
        placed(middle, None, watts, None).map(Some)
    }

    /// The end of an interval that begins at `start`: the start of the next one, unless there is a
    /// gap.
    fn end_of(&self, start: Timestamp) -> Timestamp {
        let next = self.ahead.map(|it| it.key().0 - start.millis());
        match next.filter(|next| self.is_usual(*next)) {
            Some(next) => start.saturating_add_millis(next),
            None => self.at_distance(start, false),
        }
    }

    /// The start of an interval that ends at `end`: the end of the one before it, likewise.
    fn start_of(&self, end: Timestamp) -> Timestamp {
        let before = self.last_end.filter(|before| *before < end);
        let before = before.filter(|before| self.is_usual(end.millis() - before.millis()));
        before.unwrap_or_else(|| self.at_distance(end, true))
    }

    /// Whether two neighbours are so far apart without a gap.
    const fn is_usual(&self, distance_ms: i64) -> bool {
        let length = self.length_ms;
        length == 0 || distance_ms <= length + length / 4
    }

    /// The other end of an interval of the usual length. Days and months differ in length.
    fn at_distance(&self, time: Timestamp, is_start: bool) -> Timestamp {
        let length = self.length_ms;
        let zone = &self.rules.zone.clone().unwrap_or(Zone::UTC);
        let date = LocalDate::at(time, zone);
        let is_midnight = date.start(zone) == time;
        let step = if is_start { -1 } else { 1 };
        let other = match length.div_euclid(DAY_MS / 24) {
            23..=25 => date.plus_days(step),
            672..=744 if date.day() == 1 => {
                // The first of the month before or after, from a day that is surely in it.
                let inside = date.plus_days(if is_start { -1 } else { 31 });
                inside.and_then(|inside| LocalDate::new(inside.year(), inside.month(), 1))
            }
            _ => None,
        };
        match other.filter(|_| is_midnight) {
            Some(date) => date.start(zone),
            None => time.saturating_add_millis(i64::from(step) * length),
        }
    }
}

/// Whether an energy marks only where an interval begins.
const fn is_beginning(energy: f64) -> bool {
    energy == 0.0 && energy.is_sign_negative()
}
