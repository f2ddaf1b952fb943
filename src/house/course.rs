//! A range of energy in buckets: for a picture, for the table beside it, and as a whole.

use std::ops::Range;

use super::known_year::begin_of;
use super::row::{EnergyColumn, EnergyRow};
use super::table::{EnergyTable, PricedRange};
use super::uses::HouseUse;
use crate::domain::{
    Account, Calendar, Currency, Interval, Role, SoFar, TimeRange, Timestamp, Zone,
};
use crate::store::{Store, StoreError};

/// The sums of a house in a range, bucket by bucket.
pub struct EnergyCourse {
    /// In all of the range; `None` if nothing of it is known.
    pub whole: Option<EnergyRow>,
    /// In the range of comparison.
    pub compared: Option<EnergyRow>,
    /// The buckets of the range, in time order.
    pub buckets: Vec<EnergyBucket>,
    /// The buckets of the range before it, without their costs.
    pub before: Vec<EnergyBucket>,
    /// The currency of the amounts; `None` without contracts.
    pub currency: Option<Currency>,
    /// Whether the panels, and the battery, were there from the beginning of the range of comparison
    /// on: five weeks of them are no year to compare with.
    had_panels: bool,
    had_battery: bool,
    /// The consumption by device.
    pub uses: HouseUse,
}

/// A range, and those that it is compared with. Each is from its start until before its end.
pub struct CourseRanges {
    /// The range.
    pub range: Range<Timestamp>,
    /// The one before it, of as many buckets perhaps.
    pub before: Range<Timestamp>,
    /// The part of the range that is over, and the part of the one before that it is compared with.
    pub so_far: SoFar,
    /// The length of a bucket.
    pub interval: Interval,
    /// Whether devices have the sources of their energy, which takes more reading.
    pub with_sources: bool,
}

/// The sums of the house in a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyBucket {
    /// From its first millisecond to its last; of one that the range cuts, the part in the range.
    pub time: TimeRange,
    /// `None` if nothing of it is known.
    pub row: Option<EnergyRow>,
}

impl EnergyCourse {
    /// Whether the range of comparison knows all of a column.
    #[must_use]
    pub const fn had(&self, column: EnergyColumn) -> bool {
        match column {
            EnergyColumn::Produced | EnergyColumn::SelfConsumption => self.had_panels,
            EnergyColumn::Charged | EnergyColumn::Discharged => self.had_battery,
            _ => true,
        }
    }

    /// The course of `account` at `now`, in buckets of the account's zone. The caller makes sure
    /// that there are not too many. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(
        store: &Store,
        account: &Account,
        ranges: &CourseRanges,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let CourseRanges {
            range,
            before,
            so_far,
            interval,
            with_sources,
        } = ranges;
        let compared = so_far.before.start()..so_far.before.end();
        let calendar = || Calendar::new(account.zone.clone(), *interval);
        let [now_in, before_in] = [range, before].map(|range| buckets(range, calendar()));
        let starts = now_in
            .iter()
            .chain(&before_in)
            .map(|bucket| bucket.time.start());
        let mut times: Vec<Timestamp> = starts.collect();
        times.extend([range.end, before.end, so_far.now.start(), so_far.now.end()]);
        let priced = [(&compared, false), (range, true)].map(|(range, with_devices)| PricedRange {
            range: range.clone(),
            with_devices,
        });
        let table = EnergyTable::of(store, account, (times, &priced), now)?;
        let rows = |buckets| rows(buckets, &table, calendar());
        let had = |is_part: fn(Role) -> bool| {
            let begin = begin_of(&table.house, |it| is_part(it.sensor.role));
            begin.is_none_or(|begin| begin <= compared.start)
        };
        Ok(Self {
            had_panels: had(|role| role == Role::Solar),
            had_battery: had(Role::is_battery),
            whole: table.row(range, range.start),
            compared: table.row(&compared, compared.start),
            buckets: rows(now_in),
            before: rows(before_in),
            currency: table.currency.clone(),
            uses: HouseUse::of_table(store, account, &table, (*so_far, *with_sources))?,
        })
    }
}

impl EnergyBucket {
    /// The buckets of a range of `account`, still without energy.
    #[must_use]
    pub fn empty(account: &Account, range: &Range<Timestamp>, interval: Interval) -> Vec<Self> {
        buckets(range, Calendar::new(account.zone.clone(), interval))
    }

    /// Adds the energy at `now` to buckets that follow each other, and the costs of the house if they
    /// are asked for; without devices. The caller makes sure that there are not too many. Blocks on
    /// the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn fill(
        (store, account): (&Store, &Account),
        buckets: Vec<Self>,
        (interval, with_costs): (Interval, bool),
        now: Timestamp,
    ) -> Result<Vec<Self>, StoreError> {
        let ends = buckets.first().zip(buckets.last());
        let Some((first, last)) = ends.map(|(first, last)| (first.time, last.time)) else {
            return Ok(buckets);
        };
        let end = last.end().saturating_add_millis(1);
        let mut times: Vec<Timestamp> = buckets.iter().map(|it| it.time.start()).collect();
        times.push(end);
        let priced = PricedRange {
            range: first.start()..end,
            with_devices: false,
        };
        let priced = if with_costs { vec![priced] } else { Vec::new() };
        let table = EnergyTable::of_house(store, account, (times, &priced), now)?;
        Ok(Self::of_table(buckets, &table, &account.zone, interval))
    }

    /// Buckets with their energy, from a table that has their ends among its times.
    pub(super) fn of_table(
        buckets: Vec<Self>,
        table: &EnergyTable,
        zone: &Zone,
        interval: Interval,
    ) -> Vec<Self> {
        rows(buckets, table, Calendar::new(zone.clone(), interval))
    }
}

fn rows(
    mut buckets: Vec<EnergyBucket>,
    table: &EnergyTable,
    mut calendar: Calendar,
) -> Vec<EnergyBucket> {
    for bucket in &mut buckets {
        let start = bucket.time.start();
        let end = bucket.time.end().saturating_add_millis(1);
        bucket.row = table.row(&(start..end), calendar.bucket(start).start());
    }
    buckets
}

/// The buckets of a range, still without energy.
fn buckets(range: &Range<Timestamp>, mut calendar: Calendar) -> Vec<EnergyBucket> {
    let (mut buckets, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let bucket = calendar.bucket(at);
        let last = bucket.end().min(range.end.saturating_add_millis(-1));
        buckets.push(EnergyBucket {
            time: TimeRange::new(at, last).unwrap_or(bucket),
            row: None,
        });
        // There is no later bucket.
        if bucket.end() == Timestamp::MAX {
            break;
        }
        at = bucket.end().saturating_add_millis(1);
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::Arc;

    use crate::domain::{MeterKind, Role, SensorId};
    use crate::house::tests::{at, id, import, open};
    use crate::house::{EnergyColumn, EnergyQuestion, EnergyReport};
    use crate::ledger::contract::ContractChange;

    #[test]
    fn buckets_add_up_to_the_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(
            dir.path(),
            &[("grid", Role::GridImport, MeterKind::Counter)],
        );
        // 29 March 2026 has 23 hours. Readings begin at 6:00, the fifth hour of it.
        let start = at("2026-03-29T04:00:00");
        let registers = (0..=24_u32).map(|hour| {
            let time = start.saturating_add_millis(i64::from(hour) * 3_600_000);
            (time, f64::from(hour) * 100.0)
        });
        import(&store, "grid", &registers.collect::<Vec<_>>());
        let range = at("2026-03-28T23:00:00")..at("2026-03-29T22:00:00");
        let now = at("2026-03-30T04:00:00");
        let before = at("2026-03-27T23:00:00")..range.start;
        let course = |range, interval| {
            let ranges = CourseRanges {
                range,
                before: before.clone(),
                so_far: SoFar {
                    now: TimeRange::new(before.end, before.end).unwrap(),
                    before: TimeRange::new(before.start, before.end).unwrap(),
                },
                interval,
                with_sources: false,
            };
            EnergyCourse::of(&store, &account, &ranges, now).unwrap()
        };
        let by_hour = course(range.clone(), Interval::Hour);
        assert_eq!(by_hour.before.len(), 24);
        assert!(by_hour.compared.is_none());
        let course_of_day = course(range.start..at("2026-03-29T20:30:00"), Interval::Day);
        let course = by_hour;
        assert_eq!(course.buckets.len(), 23);
        assert_eq!(course.buckets[0].time.start(), range.start);
        assert!(
            course.buckets.windows(2).all(|pair| {
                pair[0].time.end().saturating_add_millis(1) == pair[1].time.start()
            })
        );
        let imported = |row: &EnergyRow| row.value(EnergyColumn::Imported);
        let known: Vec<_> = course
            .buckets
            .iter()
            .map(|it| it.row.as_ref().and_then(imported))
            .collect();
        assert_eq!(known[..5], [None; 5]);
        assert_eq!(known[5..], [Some(100.0); 18]);
        let whole = course.whole.unwrap();
        assert_eq!(imported(&whole), Some(1_800.0));
        assert_eq!(whole.value(EnergyColumn::Cost), Some(0.9));
        // A bucket that the range cuts has its part in the range.
        let cut = &course_of_day.buckets[0];
        assert_eq!(
            (course_of_day.buckets.len(), cut.time.end()),
            (1, at("2026-03-29T20:29:59.999"))
        );
        assert_eq!(cut.row.as_ref().and_then(imported), Some(1_650.0));
    }

    /// Five days around a change of the clocks, of a house with prices by day and by night. The
    /// board has a gap, and the car, which lies in it, began a day later.
    fn changing_house(dir: &Path) -> (Store, Account) {
        let sensors = [
            ("board", Role::SubMeter, MeterKind::Counter),
            ("car", Role::SubMeter, MeterKind::Counter),
            ("grid", Role::Grid, MeterKind::Net),
            ("roof", Role::Solar, MeterKind::Counter),
        ];
        let (store, account) = open(dir, &sensors);
        let mut car = store.registry().sensor(&id("car")).unwrap().clone();
        car.part_of = Some(id("board"));
        store.put_sensor_durably(car).unwrap();
        let contract = r#"{"from":"2025-01-01","name":"Two","currency":"€","components":[
            {"energy":{"name":"grid","zones":[{"name":"day","price":0.3},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}},
            {"fixed":{"name":"standing","price":0.5,"per":"day"}},{"export":{"price":0.1}}]}"#;
        let put = ContractChange::parse(contract).unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, put))
            .unwrap();
        let start = at("2026-03-27T00:00:00");
        for (sensor, [from, to], steps) in [
            ("board", [0, 120], [300, 300, 300]),
            ("car", [24, 120], [0, 250, 100]),
            ("grid", [0, 118], [400, -900, 700]),
            ("roof", [0, 120], [0, 1_500, 20]),
        ] {
            let mut shown = 50_000;
            let registers = (from..to).filter(|hour| sensor != "board" || !(50..60).contains(hour));
            let registers = registers.map(|hour: i32| {
                shown += steps[usize::try_from(hour / 5 % 3).unwrap()];
                let time = start.saturating_add_millis(i64::from(hour) * 3_600_000);
                (time, f64::from(shown))
            });
            import(&store, sensor, &registers.collect::<Vec<_>>());
        }
        (store, account)
    }

    /// The rows of the API.
    fn asked(
        store: &Arc<Store>,
        account: &Account,
        of: Option<&SensorId>,
        (range, interval, now): (&Range<Timestamp>, Option<Interval>, Timestamp),
    ) -> Vec<EnergyRow> {
        let question = EnergyQuestion {
            of: of.cloned(),
            range: range.clone(),
            interval,
            zone: account.zone.clone(),
            with_sources: false,
        };
        let mut rows = Vec::new();
        let report = EnergyReport::open(store, account, question, now).unwrap();
        let mut report = report.unwrap();
        while report.next_run(&mut rows).unwrap() {}
        rows
    }

    #[test]
    fn a_page_says_what_the_api_says() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = changing_house(dir.path());
        let store = Arc::new(store);
        let now = at("2026-03-31T20:30:00");
        let range = at("2026-03-28T23:00:00")..at("2026-03-31T22:00:00");
        let before = at("2026-03-25T23:00:00")..range.start;
        let compared = before.start..at("2026-03-28T21:30:00");
        let time_range = |it: &Range<Timestamp>| TimeRange::new(it.start, it.end).unwrap();
        let ranges = CourseRanges {
            range: range.clone(),
            before: before.clone(),
            so_far: SoFar {
                now: time_range(&(range.start..now)),
                before: time_range(&compared),
            },
            interval: Interval::Day,
            with_sources: false,
        };
        let course = EnergyCourse::of(&store, &account, &ranges, now).unwrap();
        let so_far = range.start..now;
        let asked = |of, range, interval| asked(&store, &account, of, (range, interval, now));
        let rows = |buckets: &[EnergyBucket]| -> Vec<EnergyRow> {
            buckets.iter().filter_map(|it| it.row.clone()).collect()
        };
        assert_eq!(course.whole.as_ref(), asked(None, &range, None).first());
        assert_eq!(
            course.compared.as_ref(),
            asked(None, &compared, None).first()
        );
        let by_day = asked(None, &range, Some(Interval::Day));
        assert_eq!((rows(&course.buckets), by_day.len()), (by_day.clone(), 3));
        let used = |rows: &[EnergyRow]| -> Vec<_> {
            rows.iter()
                .map(|row| row.value(EnergyColumn::Used))
                .collect()
        };
        let by_day = asked(None, &before, Some(Interval::Day));
        assert_eq!(
            (used(&rows(&course.before)), by_day.len()),
            (used(&by_day), 2)
        );
        // The car lies in the board.
        let board = &course.uses.devices[0];
        for device in [board, &board.inside[0]] {
            let row = &asked(Some(&device.sensor.id), &so_far, None)[0];
            let energy = device.part.energy.now.unwrap();
            assert_eq!(Some(energy.watthours), row.value(EnergyColumn::Energy));
            assert_eq!(energy.cost, row.value(EnergyColumn::Cost));
            assert!(energy.cost > Some(1.0), "{energy:?}");
        }
    }
}
