//! The consumption of a house by device: its sub-meters, nested as in the house, and the unmeasured
//! rest.

use std::cmp::Ordering;

use super::energy::{ChangeCause, Comparison, Energy};
use super::nights::AccountDays;
use super::report::SourcesError;
use super::sensors::HouseSensor;
use super::source_walk::{SourceWalk, is_own_source};
use super::table::{EnergyTable, is_device};
use crate::domain::number::to_millionth;
use crate::domain::{Account, MicroWh, Sensor, SoFar, TimeRange, Timestamp};
use crate::ledger::house::{HouseSum, HouseSums, UsedSources};
use crate::store::{Store, StoreError};

/// The consumption of a house in a range, by device.
#[derive(Clone, Debug, PartialEq)]
pub struct HouseUse {
    /// The sub-meters that lie inside of no other one, the largest first.
    pub devices: Vec<DeviceUse>,
    /// Energy of no sub-meter; `None` without sub-meters.
    pub other: Option<UsedPart>,
    /// The end of the last night that counts for the base loads.
    pub night_end: Option<Timestamp>,
    /// Whether the house has panels or batteries, so that energy has several sources.
    pub has_own_sources: bool,
}

/// The consumption of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceUse {
    /// Its sub-meter.
    pub sensor: Sensor,
    /// Its consumption.
    pub part: UsedPart,
    /// The sources of that, if they were asked for; `None` if its energy is unknown.
    pub sources: Option<UsedSources>,
    /// Its base load, in watts: the median of the last seven nights that are over in the range, and
    /// of each night the least mean power of four hours.
    pub always_on: Option<f64>,
    /// The sub-meters inside of it, the largest first.
    pub inside: Vec<Self>,
    /// Energy of none of these; `None` without any.
    pub other: Option<UsedPart>,
}

/// A part of the consumption of a house.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedPart {
    /// Its energy; of a device with its cost at the price of one more kilowatt-hour.
    pub energy: Comparison,
    /// Its share of the consumption, from 0; `None` if that is unknown.
    pub share: Option<f64>,
}

/// The data for each part.
struct UseSums<'a> {
    table: &'a EnergyTable,
    range: TimeRange,
    /// The range that it is compared with.
    compared: TimeRange,
    now: Option<HouseSums>,
    before: Option<HouseSums>,
    always_on: Vec<Option<f64>>,
    /// Of each sub-meter, by its place.
    sources: Vec<Option<UsedSources>>,
}

impl HouseUse {
    /// The device that accounts for most of a change of the house by so many watt-hours; of those
    /// inside one another, the inner one.
    #[must_use]
    pub fn cause_of(&self, watthours: f64) -> Option<ChangeCause> {
        let mut inner = Vec::new();
        let mut devices: Vec<&DeviceUse> = self.devices.iter().collect();
        while let Some(device) = devices.pop() {
            if device.inside.is_empty() {
                inner.push(device);
            }
            devices.extend(&device.inside);
        }
        let changes = inner.into_iter();
        let changes = changes.filter_map(|it| Some((&it.sensor, it.part.energy.change()?)));
        ChangeCause::of(watthours, changes)
    }

    /// The consumption of `account` in a range and in the one before, by device. `table` has the
    /// ends of both ranges among its times, and the devices' costs for the first. With the sources
    /// of each device, if asked for and there are several. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of_table(
        store: &Store,
        account: &Account,
        table: &EnergyTable,
        (so_far, with_sources): (SoFar, bool),
    ) -> Result<Self, StoreError> {
        let has_own_sources = table.house.sensors.iter().any(is_own_source);
        let devices = table.house.sensors.iter().filter(|it| is_device(it));
        let is_few = devices.count() <= SourcesError::MOST_SUB_METERS;
        let sources = if with_sources && has_own_sources && is_few {
            let range = so_far.now.start()..so_far.now.end();
            let walk = SourceWalk::new(store, account, (&table.house, &|_| true), range);
            walk.all(store)?
        } else {
            Vec::new()
        };
        let mut sources = sources.into_iter();
        let sources = table.house.sensors.iter().map(|it| {
            let its = is_device(it).then(|| sources.next());
            its.flatten()
        });
        let until = so_far.now.end();
        let nights = AccountDays::new(account.zone.clone(), until).last_nights(until);
        let always_on = table.house.sensors.iter().map(|it| {
            let device = is_device(it).then(|| it.always_on(store, &nights));
            device.transpose().map(Option::flatten)
        });
        let sums = UseSums {
            table,
            range: so_far.now,
            compared: so_far.before,
            now: table.sums(so_far.now),
            before: table.sums(so_far.before),
            always_on: always_on.collect::<Result<_, StoreError>>()?,
            sources: sources.collect(),
        };
        let other = |sums: &HouseSums| sums.other;
        Ok(Self {
            devices: sums.inside(None),
            other: sums.is_divided().then(|| sums.part(other, None)),
            night_end: nights.last().map(|night| night.end),
            has_own_sources,
        })
    }
}

impl UseSums<'_> {
    /// Whether there are sub-meters that measured something.
    fn is_divided(&self) -> bool {
        self.now.as_ref().is_some_and(|sums| sums.other.is_some())
    }

    /// The sub-meters that lie inside of the one at this place, or of none.
    fn inside(&self, parent: Option<usize>) -> Vec<DeviceUse> {
        let house = &self.table.house;
        let all = house.sensors.iter().enumerate();
        let its = all.filter(|(place, it)| is_device(it) && house.plan.parent(*place) == parent);
        // The plan has no cycles, and settings only so many levels as there are sensors.
        let mut devices: Vec<DeviceUse> = its.map(|(place, it)| self.device(place, it)).collect();
        devices.sort_by(DeviceUse::larger_first);
        devices
    }

    fn device(&self, place: usize, it: &HouseSensor) -> DeviceUse {
        let own = |sums: &HouseSums| sums.sensors.get(place).copied();
        let rest = |sums: &HouseSums| sums.others.get(place).copied().flatten();
        let cost = self.table.device_cost(place, self.range);
        let inside = self.inside(Some(place));
        let part = self.part(own, cost.map(|cost| cost.rounded().to_f64()));
        let part = part.of_device(it, self, place);
        let sources = self.sources.get(place).copied().flatten();
        DeviceUse {
            sensor: it.sensor.clone(),
            part,
            sources: sources.filter(|_| part.energy.now.is_some()),
            always_on: self.always_on.get(place).copied().flatten(),
            other: (!inside.is_empty()).then(|| self.part(rest, None)),
            inside,
        }
    }

    fn part(&self, sum: impl Fn(&HouseSums) -> Option<HouseSum>, cost: Option<f64>) -> UsedPart {
        // The time before is as long.
        let energy = |sums: &Option<HouseSums>| Energy::of(sum(sums.as_ref()?)?, self.range, None);
        let now = energy(&self.now).map(|energy| Energy { cost, ..energy });
        let used = self.now.as_ref().and_then(|sums| sums.used.energy());
        let used = used.map(MicroWh::watthours).filter(|used| *used > 0.0);
        let share = now.zip(used);
        UsedPart {
            energy: Comparison {
                now,
                before: energy(&self.before),
            },
            share: share.map(|(own, used)| to_millionth(own.watthours / used)),
        }
    }
}

impl UsedPart {
    /// It, as the part of a device: with what its cost leaves out, and compared only where the
    /// device was there.
    fn of_device(self, it: &HouseSensor, sums: &UseSums<'_>, place: usize) -> Self {
        let unpriced = sums.table.unpriced(Some(place), sums.range);
        let begun = |energy: Energy, range| energy.begun_at(it.begin_of_data(), range);
        let Comparison { now, before } = self.energy;
        let now = now.map(|now| {
            let energy = MicroWh::from_watthours(now.watthours);
            begun(now, sums.range).without(energy, unpriced)
        });
        Self {
            energy: Comparison {
                now,
                before: before.map(|before| begun(before, sums.compared)),
            },
            ..self
        }
    }
}

impl DeviceUse {
    /// By energy, then by name; unknown energy comes last.
    fn larger_first(&self, other: &Self) -> Ordering {
        let size = |it: &Self| {
            it.part
                .energy
                .now
                .map_or(f64::NEG_INFINITY, |it| it.watthours)
        };
        let by_size = size(other).total_cmp(&size(self));
        by_size.then_with(|| self.sensor.name.cmp(&other.sensor.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Against, MeterKind, Role, WeekStart};
    use crate::house::tests::{at, id, import, open};
    use crate::house::{EnergyColumn, HouseToday};

    /// Hourly registers that rise by so many watt-hours an hour, from a noon until the noon two
    /// days later in Berlin.
    fn rising(hourly: u32) -> Vec<(Timestamp, f64)> {
        let start = at("2026-01-04T11:00:00");
        let hours = 0..=48_u32;
        let time = |hour: u32| start.saturating_add_millis(i64::from(hour) * 3_600_000);
        hours
            .map(|hour| (time(hour), f64::from(hour * hourly)))
            .collect()
    }

    fn watthours(part: &UsedPart) -> [f64; 2] {
        let Comparison { now, before } = part.energy;
        [now, before].map(|energy| energy.unwrap().watthours)
    }

    #[test]
    fn devices_fold_as_they_lie_inside_of_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let devices = ["board", "heat", "car", "tv", "new"];
        let mut sensors = vec![("grid", Role::GridImport, MeterKind::Counter)];
        sensors.extend(devices.map(|name| (name, Role::SubMeter, MeterKind::Counter)));
        let (store, account) = open(dir.path(), &sensors);
        for inside in ["heat", "car"] {
            let mut sensor = store.registry().sensor(&id(inside)).unwrap().clone();
            sensor.part_of = Some(id("board"));
            store.put_sensor_durably(sensor).unwrap();
        }
        for (name, hourly) in [
            ("grid", 1_000),
            ("board", 400),
            ("heat", 100),
            ("car", 250),
            ("tv", 50),
        ] {
            import(&store, name, &rising(hourly));
        }
        let now = at("2026-01-06T11:00:00");
        // Twelve hours, and as many of the day before.
        let monday = (now, WeekStart::Monday);
        let found = HouseToday::at(&store, &account, monday, None).unwrap();
        let HouseToday {
            energies,
            against,
            uses,
            hours,
        } = found;
        // A kilowatt-hour in each hour that is over, of which today's sum is made.
        let used = hours.iter().map(|hour| {
            let row = hour.row.as_ref();
            row.and_then(|row| row.value(EnergyColumn::Used))
        });
        let used: Vec<Option<f64>> = used.collect();
        assert_eq!((used.len(), used[11], used[12]), (24, Some(1_000.0), None));
        let today = energies.grid.unwrap()[0].now.unwrap().watthours;
        assert_eq!(used.iter().flatten().sum::<f64>(), today);
        // There is no year of history.
        assert_eq!(against, Against::Before);
        let names = |devices: &[DeviceUse]| -> Vec<String> {
            devices.iter().map(|it| it.sensor.name.clone()).collect()
        };
        assert_eq!(names(&uses.devices), ["board", "tv", "new"]);
        let [board, tv, new] = &uses.devices[..] else {
            unreachable!()
        };
        assert_eq!(names(&board.inside), ["car", "heat"]);
        assert_eq!(watthours(&board.part), [4_800.0, 4_800.0]);
        assert_eq!(board.part.share, Some(0.4));
        assert_eq!(board.part.energy.now.unwrap().cost, Some(2.4));
        assert_eq!(watthours(&board.other.unwrap()), [600.0, 600.0]);
        assert_eq!(watthours(&tv.part), [600.0, 600.0]);
        assert_eq!(watthours(&uses.other.unwrap()), [6_600.0, 6_600.0]);
        assert_eq!(uses.other.unwrap().share, Some(0.55));
        // The base load is known from the night that ended at 6:00.
        assert_eq!(uses.night_end, Some(at("2026-01-06T05:00:00")));
        let always_on = [board, &board.inside[0], tv, new].map(|it| it.always_on);
        assert_eq!(always_on, [Some(400.0), Some(250.0), Some(50.0), None]);
        assert_eq!((new.part.energy.now, new.part.share), (None, None));
    }
}
