//! Passes over a real store, against a recorder in memory and plain sums.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::asking::PassEnd;
use super::memory::HistoryMemory;
use super::message::{SumPeriod, TheirSums};
use super::pass::{HistoryPass, HistoryRecorder};
use super::statistic::{Statistic, SumHour};
use super::*;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR, at};
use crate::domain::{Account, Interval, MeterKind, Role, TimeRange, Timestamp, Zone};
use crate::house::tests::{id, import, open};
use crate::house::{EnergyColumn, EnergyQuestion, EnergyReport};
use crate::store::Store;

/// The recorder of Home Assistant, in memory. It has what it accepted a few looks later.
#[derive(Default)]
struct FakeRecorder {
    has: BTreeMap<String, BTreeMap<Timestamp, f64>>,
    names: BTreeMap<String, String>,
    waiting: Vec<Change>,
    lag: usize,
    sent: Vec<(String, Timestamp)>,
    cleared: Vec<String>,
    asked: usize,
    /// It fails at this many further messages.
    fails_after: Option<usize>,
}

enum Change {
    Set(String, Timestamp, f64),
    Clear(String),
}

impl FakeRecorder {
    fn message(&mut self) -> Result<(), PassEnd> {
        match &mut self.fails_after {
            Some(0) => Err(HomeAssistantError::Closed.into()),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn take_all(&mut self) {
        for change in self.waiting.drain(..) {
            match change {
                Change::Set(id, start, sum) => {
                    self.has.entry(id).or_default().insert(start, sum);
                }
                Change::Clear(id) => {
                    self.has.remove(&id);
                }
            }
        }
    }
}

impl HistoryRecorder for FakeRecorder {
    fn sums(
        &mut self,
        ids: Vec<String>,
        range: Range<Timestamp>,
        _: SumPeriod,
    ) -> Result<TheirSums, PassEnd> {
        self.message()?;
        self.asked += 1;
        if self.lag == 0 {
            self.take_all();
        } else {
            self.lag -= 1;
        }
        let of = |id: String| {
            let hours = self.has.get(&id)?.range(range.clone());
            let hours: BTreeMap<_, _> = hours.map(|(start, sum)| (*start, Some(*sum))).collect();
            (!hours.is_empty()).then_some((id, hours))
        };
        Ok(ids.into_iter().filter_map(of).collect())
    }

    fn import(&mut self, statistic: &Statistic, hours: Vec<SumHour>) -> Result<(), PassEnd> {
        self.message()?;
        self.lag = 2;
        let id = &statistic.id;
        self.names.insert(id.clone(), statistic.name.clone());
        for hour in hours {
            self.sent.push((id.clone(), hour.start));
            let sum = statistic.shown(hour.sum);
            self.waiting.push(Change::Set(id.clone(), hour.start, sum));
        }
        Ok(())
    }

    fn clear(&mut self, ids: Vec<String>) -> Result<(), PassEnd> {
        self.message()?;
        self.lag = 2;
        self.cleared.extend(ids.clone());
        self.waiting.extend(ids.into_iter().map(Change::Clear));
        Ok(())
    }

    fn pause(&mut self, _: Duration) -> Result<(), PassEnd> {
        Ok(())
    }
}

/// A house with a net register at the grid, and a sub-meter; a kilowatt-hour costs half a euro.
struct Home {
    _dir: tempfile::TempDir,
    store: Arc<Store>,
    account: Account,
    recorder: FakeRecorder,
    memory: HistoryMemory,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [
            ("house", Role::Grid, MeterKind::Net),
            ("heat-pump", Role::SubMeter, MeterKind::Counter),
        ];
        let (store, account) = open(dir.path(), &sensors);
        Self {
            _dir: dir,
            store: Arc::new(store),
            account,
            recorder: FakeRecorder::default(),
            memory: HistoryMemory::default(),
        }
    }

    fn import(&self, sensor: &str, registers: &[(Timestamp, f64)]) {
        import(&self.store, sensor, registers);
    }

    fn try_pass(&mut self, now: &str, only_newest: bool) -> Result<(), PassEnd> {
        let of = (&self.store, &self.account);
        HistoryPass::new(of, &mut self.recorder, at(now)).run(&mut self.memory, only_newest)
    }

    /// A pass; returns the number of hours that it sent.
    fn pass(&mut self, now: &str, only_newest: bool) -> usize {
        let before = self.recorder.sent.len();
        self.try_pass(now, only_newest).unwrap();
        self.recorder.take_all();
        self.recorder.sent.len() - before
    }

    /// The sums of a statistic there, as numbers of hours since `start`.
    fn sums(&self, id: &str, start: &str) -> Vec<(i64, f64)> {
        let hour = |time: Timestamp| (time.millis() - at(start).millis()) / MS_PER_HOUR;
        let hours = self.recorder.has.get(id).into_iter().flatten();
        hours.map(|(time, sum)| (hour(*time), *sum)).collect()
    }

    /// The sums that a statistic must have: the rows of one question about all of time, added up.
    fn expected(
        &self,
        of: Option<&str>,
        column: EnergyColumn,
        now: &str,
    ) -> BTreeMap<Timestamp, f64> {
        let question = EnergyQuestion {
            of: of.map(id),
            range: at("2025-01-01T00:00:00")..at(now),
            interval: Some(Interval::Hour),
            zone: Zone::UTC,
            with_sources: false,
        };
        let report = EnergyReport::open(&self.store, &self.account, question, at(now)).unwrap();
        let (mut report, mut rows) = (report.unwrap(), Vec::new());
        while report.next_run(&mut rows).unwrap() {}
        let is_amount = matches!(column, EnergyColumn::Cost | EnergyColumn::Credit);
        let (mut sum, mut has_begun) = (0.0, false);
        let mut expected = BTreeMap::new();
        for row in rows {
            let Some(value) = row.value(column) else {
                continue;
            };
            sum += value;
            has_begun |= value != 0.0;
            // The hour that has begun is not over.
            if has_begun && row.start.millis() + MS_PER_HOUR <= at(now).millis() {
                expected.insert(row.start, if is_amount { sum } else { sum / 1_000.0 });
            }
        }
        expected
    }

    /// All sums there are those of the ledger.
    fn check(&self, now: &str) {
        let none = BTreeMap::new();
        for (of, column, id) in [
            (None, EnergyColumn::Imported, "home_house_imported"),
            (None, EnergyColumn::Exported, "home_house_exported"),
            (None, EnergyColumn::Used, "home_house_used"),
            (None, EnergyColumn::Cost, "home_house_cost"),
            (Some("house"), EnergyColumn::Imported, "house_energy"),
            (Some("house"), EnergyColumn::Exported, "house_exported"),
            (Some("heat-pump"), EnergyColumn::Energy, "heat_pump_energy"),
            (Some("heat-pump"), EnergyColumn::Cost, "heat_pump_cost"),
        ] {
            let expected = self.expected(of, column, now);
            let theirs = self.recorder.has.get(&format!("wattkeeper:{id}"));
            let theirs = theirs.unwrap_or(&none).iter();
            // Zeros stay if all energy before them is gone.
            let theirs = theirs.skip_while(|(_, sum)| **sum == 0.0);
            let theirs: BTreeMap<Timestamp, f64> = theirs.map(|(at, sum)| (*at, *sum)).collect();
            assert!(theirs.keys().eq(expected.keys()), "{id}");
            // A cost is rounded to the millionth in each range that it is asked for.
            let is_amount = matches!(column, EnergyColumn::Cost | EnergyColumn::Credit);
            let within = if is_amount { 1e-4 } else { 1e-6 };
            for (start, sum) in &expected {
                let theirs = theirs[start];
                assert!(
                    (theirs - sum).abs() < within,
                    "{id} at {start}: {theirs}, {sum}"
                );
            }
        }
    }
}

/// A register that rises by a kilowatt-hour each hour.
fn hourly(start: &str, hours: i64) -> Vec<(Timestamp, f64)> {
    let start = at(start);
    let register = |hour: i64| {
        let time = start.saturating_add_millis(hour * MS_PER_HOUR);
        (time, 1_000.0 * f64::from(i32::try_from(hour).unwrap()))
    };
    (0..=hours).map(register).collect()
}

#[test]
fn hours_are_sent_once_and_again_where_they_change() {
    let mut home = Home::new();
    // Across the end of a month in UTC.
    let start = "2026-01-31T20:00:00";
    home.import("house", &hourly(start, 8));
    let now = "2026-02-01T03:30:00";
    // Energy, grid import, consumption, and both costs; nothing was ever exported.
    assert_eq!(home.pass(now, false), 5 * 7);
    let (energy, cost) = ("wattkeeper:house_energy", "wattkeeper:home_house_cost");
    let whole = (0..7_i32).map(|hour| (i64::from(hour), f64::from(hour + 1)));
    let whole: Vec<(i64, f64)> = whole.collect();
    assert_eq!(home.sums(energy, start), whole);
    let half: Vec<(i64, f64)> = whole.iter().map(|(hour, sum)| (*hour, sum / 2.0)).collect();
    assert_eq!(home.sums(cost, start), half);
    assert_eq!(home.recorder.names[energy], "house energy");
    assert_eq!(home.recorder.has.len(), 5);
    home.check(now);

    // Nothing changed: nothing is sent, and nobody is asked.
    let asked = home.recorder.asked;
    assert_eq!(home.pass(now, true), 0);
    assert_eq!(home.pass(now, false), 0);
    assert_eq!(home.recorder.asked, asked);
    // After a start, everything is compared, and nothing is sent.
    home.memory = HistoryMemory::default();
    assert_eq!(home.pass(now, false), 0);

    // The next hour is over.
    let now = "2026-02-01T04:00:00";
    assert_eq!(home.pass(now, true), 5);
    home.check(now);

    // A late register changes one hour; the sums after it stay.
    home.import("house", &[(at("2026-01-31T22:00:00"), 2_250.0)]);
    assert_eq!(home.pass(now, false), 5);
    home.check(now);
    assert_eq!(home.sums(energy, start)[1], (1, 2.25));

    // A new begin changes all sums.
    home.import("house", &[(at("2026-01-31T19:00:00"), -500.0)]);
    assert_eq!(home.pass(now, false), 5 * 9);
    home.check(now);

    // Another name is sent without hours.
    let mut house = home.store.registry().sensor(&id("house")).unwrap().clone();
    house.name = "house 2".to_owned();
    home.store.put_sensor_durably(house).unwrap();
    assert_eq!(home.pass(now, false), 0);
    assert_eq!(home.recorder.names[energy], "house 2 energy");
}

#[test]
fn hours_that_are_not_known_any_more_are_removed() {
    let mut home = Home::new();
    let start = "2026-01-10T00:00:00";
    home.import("house", &hourly(start, 48));
    home.import("heat-pump", &hourly(start, 48));
    let now = "2026-01-12T00:00:00";
    home.pass(now, false);
    home.check(now);
    // The beginning.
    let range = TimeRange::new(at(start), at("2026-01-10T09:30:00")).unwrap();
    home.store.delete_durably(&id("house"), range).unwrap();
    home.pass(now, false);
    home.check(now);
    let removed = "wattkeeper:house_energy".to_owned();
    assert!(home.recorder.cleared.contains(&removed));
    assert!(
        !home
            .recorder
            .cleared
            .contains(&"wattkeeper:heat_pump_energy".to_owned()),
        "{:?}",
        home.recorder.cleared
    );
    // All of the first month is gone.
    home.import("house", &hourly("2026-01-30T00:00:00", 96));
    let now = "2026-02-03T00:00:00";
    home.pass(now, false);
    home.check(now);
    let range = TimeRange::new(at("2026-01-01T00:00:00"), at("2026-02-01T00:00:00")).unwrap();
    home.store.delete_durably(&id("house"), range).unwrap();
    home.pass(now, false);
    home.check(now);
    assert!(home.sums("wattkeeper:house_energy", "2026-02-01T00:00:00")[0].0 >= 0);
    // Without any reading, its hours stay there.
    home.store
        .delete_durably(&id("heat-pump"), TimeRange::ALL)
        .unwrap();
    let before = home.recorder.has["wattkeeper:heat_pump_energy"].clone();
    home.pass(now, false);
    assert_eq!(home.recorder.has["wattkeeper:heat_pump_energy"], before);
}

#[test]
fn what_may_be_a_last_copy_is_left_alone() {
    let mut home = Home::new();
    let start = "2026-01-10T00:00:00";
    home.import("house", &hourly(start, 48));
    home.import("heat-pump", &hourly(start, 48));
    home.pass("2026-01-12T00:00:00", false);
    // A former store had more. A start knows nothing of it.
    let (device, house) = ("wattkeeper:heat_pump_energy", "wattkeeper:house_energy");
    let first = at("2024-05-01T00:00:00");
    let of_device = home.recorder.has.get_mut(device).unwrap();
    of_device.insert(first, 7.0);
    home.memory = HistoryMemory::default();
    home.import("house", &hourly(start, 72));
    let now = "2026-01-13T00:00:00";
    let unknown = |id: &str, from| {
        let id = id.to_owned();
        Err(PassEnd::Failed(HomeAssistantError::UnknownHours {
            id,
            from,
        }))
    };
    assert_eq!(home.try_pass(now, false), unknown(device, first));
    home.recorder.take_all();
    assert!(home.recorder.has[device].contains_key(&first));
    // The others go on.
    assert_eq!(home.recorder.has[house].len(), 72);
    // Somebody removes it there.
    home.recorder.has.remove(device);
    home.pass(now, false);
    home.check(now);
    // An older backup was restored.
    let newest = TimeRange::new(at("2026-01-12T05:30:00"), at(now)).unwrap();
    home.store.delete_durably(&id("house"), newest).unwrap();
    home.memory = HistoryMemory::default();
    let from = at("2026-01-12T05:00:00");
    let imported = "wattkeeper:home_house_imported";
    assert_eq!(home.try_pass(now, false), unknown(imported, from));
    assert_eq!(home.recorder.has[house].len(), 72);
    assert!(home.recorder.cleared.is_empty());
}

#[test]
fn a_pass_that_failed_is_resumed() {
    let mut home = Home::new();
    let (start, now) = ("2025-10-10T00:00:00", "2026-01-02T00:00:00");
    home.import("house", &hourly(start, 84 * 24));
    let mut failures = 0;
    loop {
        home.recorder.fails_after = Some(9);
        match home.try_pass(now, false) {
            Ok(()) => break,
            Err(end) => assert_eq!(end, PassEnd::Failed(HomeAssistantError::Closed)),
        }
        home.recorder.take_all();
        failures += 1;
        assert!(failures < 30);
    }
    assert!(failures > 2);
    home.recorder.take_all();
    home.check(now);
    let mut sent = home.recorder.sent.clone();
    let count = sent.len();
    sent.sort_unstable();
    sent.dedup();
    // Each hour was sent once.
    assert_eq!((count, count), (sent.len(), 5 * 84 * 24));
}

#[test]
fn a_recorder_that_takes_nothing_or_is_shared_ends_the_pass() {
    struct Deaf(FakeRecorder, bool);

    impl HistoryRecorder for Deaf {
        fn sums(
            &mut self,
            ids: Vec<String>,
            range: Range<Timestamp>,
            period: SumPeriod,
        ) -> Result<TheirSums, PassEnd> {
            let foreign = (range.start, Some(1.0));
            if self.1 && period == SumPeriod::Hour {
                // Until it is removed: then it comes back.
                self.1 = false;
                return Ok(BTreeMap::from([(
                    ids[0].clone(),
                    BTreeMap::from([foreign]),
                )]));
            }
            Ok(TheirSums::new())
        }

        fn import(&mut self, _: &Statistic, _: Vec<SumHour>) -> Result<(), PassEnd> {
            Ok(())
        }

        fn clear(&mut self, ids: Vec<String>) -> Result<(), PassEnd> {
            self.0.cleared.extend(ids);
            Ok(())
        }

        fn pause(&mut self, _: Duration) -> Result<(), PassEnd> {
            self.1 = self.0.fails_after.is_some();
            Ok(())
        }
    }

    let mut home = Home::new();
    home.import("house", &hourly("2026-01-10T00:00:00", 48));
    let now = at("2026-01-12T00:00:00");
    home.pass("2026-01-12T00:00:00", false);
    let mut pass = |recorder: &mut Deaf| {
        home.memory.doubt();
        HistoryPass::new((&home.store, &home.account), recorder, now).run(&mut home.memory, false)
    };
    let ended = pass(&mut Deaf(FakeRecorder::default(), false)).unwrap_err();
    assert!(
        matches!(ended, PassEnd::Failed(HomeAssistantError::NotTaken(_))),
        "{ended:?}"
    );
    let shared = FakeRecorder {
        fails_after: Some(0),
        ..FakeRecorder::default()
    };
    let mut shared = Deaf(shared, false);
    let ended = pass(&mut shared).unwrap_err();
    assert_eq!(ended, PassEnd::Failed(HomeAssistantError::Disputed));
    assert_eq!(shared.0.cleared.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn what_is_there_is_what_the_ledger_says(
        steps in proptest::collection::vec((1..2_000_i64, -300..2_000_i32), 2..60),
        late in proptest::collection::vec((0..60_i64 * MS_PER_DAY / 60_000, 0..20_000_i32), 0..4),
        removed in (0..30_i64, 0..3_i64),
    ) {
        let mut home = Home::new();
        let now = "2026-03-20T10:20:00";
        let (mut time, mut net, mut counter) = (at("2026-01-20T00:00:00"), 0, 0);
        let (mut of_house, mut of_device) = (Vec::new(), Vec::new());
        for (minutes, watthours) in steps {
            time = time.saturating_add_millis(minutes * 60_000);
            net += watthours;
            counter += watthours.max(0) / 2;
            of_house.push((time, f64::from(net)));
            of_device.push((time, f64::from(counter)));
        }
        home.import("house", &of_house);
        home.import("heat-pump", &of_device);
        home.pass(now, false);
        home.check(now);
        let late: Vec<(Timestamp, f64)> = late
            .into_iter()
            .map(|(minute, watthours)| {
                (at("2026-01-15T00:00:00").saturating_add_millis(minute * 60_000), f64::from(watthours))
            })
            .collect();
        home.import("house", &late);
        let from = at("2026-01-20T00:00:00").saturating_add_millis(removed.0 * MS_PER_DAY);
        let range = TimeRange::new(from, from.saturating_add_millis(removed.1 * MS_PER_DAY)).unwrap();
        home.store.delete_durably(&id("heat-pump"), range).unwrap();
        home.pass(now, false);
        home.check(now);
        prop_assert_eq!(home.pass(now, false), 0);
        home.memory = HistoryMemory::default();
        prop_assert_eq!(home.pass(now, false), 0);
    }
}
