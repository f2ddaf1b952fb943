//! The energy that the phases of one meter net, minute by minute, in bounded memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::task::Poll;

use super::sensor_runs::SensorRuns;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{Interval, MicroWh, Role, Timestamp, Zone};
use crate::ledger::Flow;
use crate::store::{Store, StoreError};

/// The number of runs to read in a step: some ten thousand minutes.
const RUNS_A_STEP: usize = 16;

/// The reader of netted energy: energy that one sensor imports and another exports in the same
/// minute. A slot that ends within a minute gets a share of that minute by time.
pub(super) struct PhaseNetting {
    minutes: SensorRuns,
    /// The minutes read so far, ascending, with their netted energy. Minutes without any are left
    /// out.
    ahead: VecDeque<(Timestamp, MicroWh)>,
    is_more: bool,
    /// The netted energy of the slot being read, so far.
    sum: MicroWh,
}

impl PhaseNetting {
    /// Starts the netting of a house's sensors in `range`; `None` if the house nets nothing. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        store: &Store,
        house: &HouseSensors,
        range: Range<Timestamp>,
    ) -> Result<Option<Self>, StoreError> {
        let is_phase = |it: &&HouseSensor| it.sensor.role == Role::Grid;
        let phases: Vec<HouseSensor> = house.sensors.iter().filter(is_phase).cloned().collect();
        if !house.nets_phases || phases.len() < 2 || range.is_empty() {
            return Ok(None);
        }
        // Whole minutes: their energy does not depend on where slots cut them.
        let into_ms = |time: Timestamp| time.millis().rem_euclid(MS_PER_MINUTE);
        let start = range.start.saturating_add_millis(-into_ms(range.start));
        let rest_ms = (MS_PER_MINUTE - into_ms(range.end)) % MS_PER_MINUTE;
        let end = range.end.saturating_add_millis(rest_ms);
        let by = (&Zone::UTC, Interval::Minute);
        let minutes = SensorRuns::new(&phases, |it| it.by_interval(store, start..end, by))?;
        Ok(Some(Self {
            minutes,
            ahead: VecDeque::new(),
            is_more: true,
            sum: MicroWh::ZERO,
        }))
    }

    /// The energy netted in a slot, which must follow all earlier ones. Pending if more steps are
    /// needed: ask for the same slot again. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn netted_in(
        &mut self,
        slot: &Range<Timestamp>,
    ) -> Result<Poll<MicroWh>, StoreError> {
        let mut runs = 0..RUNS_A_STEP;
        loop {
            while let Some(&(minute, netted)) = self.ahead.front() {
                if slot.end <= minute {
                    return Ok(Poll::Ready(std::mem::take(&mut self.sum)));
                }
                let until =
                    |time: Timestamp| netted.part(time.millis() - minute.millis(), MS_PER_MINUTE);
                self.sum = self.sum + until(slot.end) - until(slot.start);
                // The rest of this minute belongs to the next slot.
                if slot.end.millis() < minute.millis() + MS_PER_MINUTE {
                    return Ok(Poll::Ready(std::mem::take(&mut self.sum)));
                }
                self.ahead.pop_front();
            }
            if !self.is_more {
                return Ok(Poll::Ready(std::mem::take(&mut self.sum)));
            }
            if runs.next().is_none() {
                return Ok(Poll::Pending);
            }
            self.read_on()?;
        }
    }

    fn read_on(&mut self) -> Result<(), StoreError> {
        self.minutes.read_on(|_| {})?;
        while let Poll::Ready(minute) = self.minutes.next_slot() {
            let Some(minute) = minute else {
                self.is_more = false;
                return Ok(());
            };
            let flow: Flow = self.minutes.take(&minute).filter_map(|it| it.flow).sum();
            let netted = flow.imported.min(flow.exported);
            if netted != MicroWh::ZERO {
                self.ahead.push_back((minute.start, netted));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Account, MeterKind};
    use crate::house::tests::{at, import, open};

    const PHASES: [(&str, Role, MeterKind); 3] = [
        ("a", Role::Grid, MeterKind::Net),
        ("b", Role::Grid, MeterKind::Net),
        ("c", Role::Grid, MeterKind::Net),
    ];
    /// The length of the tests, in seconds.
    const LENGTH: i64 = 5_400;

    /// Stretches of constant power: seconds and watts of each.
    type Powers = Vec<(i64, i32)>;

    /// A house whose phases begin at these seconds.
    fn house(store: &Store, account: &Account, phases: &[(i64, Powers)]) -> HouseSensors {
        for ((id, ..), (begin, powers)) in PHASES.iter().zip(phases) {
            let (mut time, mut shown) = (*begin, 100_000.0);
            let mut registers = vec![(second(time), shown)];
            for &(length, watts) in powers {
                time += length;
                shown += watthours(watts, length);
                registers.push((second(time), shown));
            }
            import(store, id, &registers);
        }
        HouseSensors::of(store, &account.name, second(LENGTH)).unwrap()
    }

    fn balanced(store: &Store, account: &Account) {
        use crate::domain::Phases;
        let name = account.name.clone();
        let edit = store.edit(move |edit| {
            edit.update_account(&name, |account| account.phases = Phases::Balanced)
        });
        edit.unwrap();
    }

    fn second(second: i64) -> Timestamp {
        at("2026-01-05T00:00:20").saturating_add_millis(second * 1_000)
    }

    fn watthours(watts: i32, seconds: i64) -> f64 {
        f64::from(watts) * f64::from(i32::try_from(seconds).unwrap()) / 3_600.0
    }

    /// The energy that these phases net between two seconds, minute by minute.
    fn model(phases: &[(i64, Powers)], from: i64, to: i64) -> f64 {
        // A minute begins 20 seconds before the first reading.
        let minutes = (-20..LENGTH).step_by(60);
        let netted = minutes.map(|minute| {
            let overlap = |from: i64, to: i64| (to.min(minute + 60) - from.max(minute)).max(0);
            let (mut imported, mut exported) = (0.0, 0.0);
            for (begin, powers) in phases {
                let mut time = *begin;
                for &(length, watts) in powers {
                    let energy = watthours(watts, overlap(time, time + length));
                    imported += energy.max(0.0);
                    exported += (-energy).max(0.0);
                    time += length;
                }
            }
            let share = f64::from(i32::try_from(overlap(from, to)).unwrap()) / 60.0;
            imported.min(exported) * share
        });
        netted.sum()
    }

    fn powers() -> impl Strategy<Value = Powers> {
        let power = (1_i64..200, -3_000_i32..3_000);
        // Long enough for all of `LENGTH`.
        proptest::collection::vec(power, 150..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn phases_are_netted_minute_by_minute(
            a in powers(),
            others in [(0_i64..LENGTH, powers()), (0_i64..LENGTH, powers())],
            mut cuts in proptest::collection::vec(0_i64..LENGTH, 2..20),
            by in proptest::sample::select(vec![Interval::Minute, Interval::QuarterHour, Interval::Hour]),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let (store, account) = open(dir.path(), &PHASES);
            balanced(&store, &account);
            let [b, c] = others;
            let phases = [(0, a), b, c];
            let house = house(&store, &account, &phases);
            cuts.sort_unstable();
            cuts.dedup();
            prop_assume!(cuts.len() > 1);
            let (first, last) = (cuts[0], cuts[cuts.len() - 1]);
            let times: Vec<Timestamp> = cuts.iter().map(|cut| second(*cut)).collect();
            let whole = [second(first), second(last)];

            let slots = house.between(&store, &times).unwrap().all(|_| {}).unwrap();
            prop_assert_eq!(slots.len() + 1, cuts.len());
            for (slot, ends) in slots.iter().zip(cuts.windows(2)) {
                let expected = model(&phases, ends[0], ends[1]);
                prop_assert!((slot.netted.watthours() - expected).abs() < 0.001, "{slot:?} {expected}");
                let sums = house.sums(slot);
                let flows = slot.measured.iter().filter_map(|it| it.flow);
                let flow: Flow = flows.sum();
                prop_assert_eq!(sums.imported.energy(), Some(flow.imported - slot.netted));
                prop_assert_eq!(sums.exported.energy(), Some(flow.exported - slot.netted));
                prop_assert_eq!(sums.net_of_grid().energy(), Some(flow.net()));
            }
            let buckets = house.by_interval(&store, whole[0]..whole[1], (&account.zone, by)).unwrap();
            let buckets = buckets.all(|_| {}).unwrap();
            let whole = house.between(&store, &whole).unwrap().all(|_| {}).unwrap();
            for parts in [slots, buckets] {
                let sum = parts.iter().fold(MicroWh::ZERO, |sum, slot| sum + slot.netted);
                prop_assert_eq!(sum, whole[0].netted);
            }
        }
    }

    #[test]
    fn only_phases_of_one_meter_are_netted() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &PHASES);
        let phases = [
            (0, vec![(LENGTH, -2_000)]),
            (0, vec![(LENGTH, 1_500)]),
            (0, vec![(LENGTH, 100)]),
        ];
        let apart = house(&store, &account, &phases);
        balanced(&store, &account);
        let together = HouseSensors::of(&store, &account.name, second(LENGTH)).unwrap();
        let netted = |house: &HouseSensors| {
            let times = [second(40), second(3_640)];
            let slots = house.between(&store, &times).unwrap().all(|_| {}).unwrap();
            slots[0].netted.watthours()
        };
        assert_eq!(netted(&apart), 0.0);
        assert_eq!(netted(&together), 1_600.0);
        // A sensor's own row is not netted.
        assert_eq!(
            netted(&together.only(|it| it.sensor.id.as_str() == "a")),
            0.0
        );
    }
}
