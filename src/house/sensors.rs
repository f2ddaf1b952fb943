//! The sensors of a house, each at its place, with all that its energy depends on.

use std::ops::Range;

use crate::domain::{
    AccountName, Arrivals, Interval, Meter, Phases, Role, Sensor, SensorId, Timestamp, Zone,
};
use crate::ledger::Facts;
use crate::ledger::house::{HousePlan, PlacedSensor};
use crate::ledger::notice::{SilenceLimit, SilenceState};
use crate::ledger::utility::UtilityMeter;
use crate::query::{LedgerEnergy, first_counted, first_reading};
use crate::store::{Registry, Store, StoreError};

/// The sensors of an account, as of one moment.
pub struct HouseSensors {
    /// Where each of them measures.
    pub plan: HousePlan,
    /// The sensors, by id; in the order of the plan.
    pub sensors: Vec<HouseSensor>,
    /// Whether its sensors at the grid are the phases of one meter.
    pub nets_phases: bool,
}

/// A sensor, with the settings and corrections of its energy.
#[derive(Clone)]
pub struct HouseSensor {
    /// Its settings.
    pub sensor: Sensor,
    /// People's corrections of its readings.
    pub facts: Facts,
    /// The readings of the utility's meter, for a sensor without own readings.
    pub utility: Option<UtilityMeter>,
    /// Whether it has readings.
    pub has_readings: bool,
    /// Outside of this time nothing is missing. It begins with the first reading, and ends with the
    /// newest one if the next one is not late or the sensor was revoked; else now.
    pub expected: Range<Timestamp>,
}

impl HouseSensors {
    /// The sensors of `account` at `now`, with revoked ones, whose energy counts. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(store: &Store, account: &AccountName, now: Timestamp) -> Result<Self, StoreError> {
        let registry = store.registry();
        let own = || registry.sensors().filter(|it| it.account == *account);
        // Otherwise the sensors inside a removed one would be lost with it.
        let is_around = |it: &Sensor| own().any(|inside| inside.part_of.as_ref() == Some(&it.id));
        let is_gone = |it: &Sensor| !it.authorized && it.role == Role::SubMeter && is_around(it);
        Self::these(store, own().filter(|it| !is_gone(it)), now)
    }

    /// These sensors of one account, as of `now`. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn these<'a>(
        store: &Store,
        sensors: impl Iterator<Item = &'a Sensor>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let registry = store.registry();
        let sensors = sensors.map(|sensor| HouseSensor::new(store, &registry, sensor, now));
        let mut sensors: Vec<HouseSensor> = sensors.collect::<Result<_, _>>()?;
        leave_no_gap(&mut sensors, now);
        let place_of = |id: &SensorId| sensors.iter().position(|it| it.sensor.id == *id);
        let placed: Vec<PlacedSensor> = sensors
            .iter()
            .map(|it| PlacedSensor {
                role: it.sensor.role,
                inside: it.sensor.part_of.as_ref().and_then(place_of),
                has_uploaded: it.has_data(),
            })
            .collect();
        let plan = HousePlan::new(&placed).map_err(|error| {
            // The store refuses such settings.
            StoreError::Damaged(format!("the parts of sensors: {error}"))
        })?;
        let account = sensors.first().map(|it| &it.sensor.account);
        let account = account.and_then(|name| registry.account(name));
        Ok(Self {
            plan,
            nets_phases: account.is_some_and(|it| it.phases == Phases::Balanced),
            sensors,
        })
    }

    /// Some of them; then none lies inside another.
    #[must_use]
    pub fn only(&self, is_kept: impl Fn(&HouseSensor) -> bool) -> Self {
        let is_at = |place: usize| self.sensors.get(place).is_some_and(&is_kept);
        Self {
            plan: self.plan.only(is_at),
            sensors: self
                .sensors
                .iter()
                .filter(|it| is_kept(it))
                .cloned()
                .collect(),
            nets_phases: self.nets_phases,
        }
    }
}

impl HouseSensor {
    fn new(
        store: &Store,
        registry: &Registry,
        sensor: &Sensor,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let corrections = registry.corrections(&sensor.account);
        let of_utility = || corrections.map(|all| all.utility_of(&sensor.id));
        // Not its activity: that stays when readings are deleted.
        let first = first_counted(store, &sensor.id)?;
        let utility = match first {
            Some(_) => None,
            None => of_utility().filter(|meter| meter.periods().next().is_some()),
        };
        let typed = || utility.iter().flat_map(UtilityMeter::periods);
        let begin = first.or_else(|| typed().next().map(|period| period.from));
        let end = if sensor.authorized {
            awaited_from(store, sensor, now)?
        } else {
            let last = newest_reading(store, sensor, Timestamp::MAX)?;
            last.or_else(|| typed().last().map(|period| period.to))
                .unwrap_or(now)
        };
        Ok(Self {
            facts: registry.metered(sensor).1,
            expected: begin.unwrap_or(Timestamp::MIN)..end,
            has_readings: first.is_some(),
            utility,
            sensor: sensor.clone(),
        })
    }

    /// When its readings begin, or those of the utility's meter. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn begin(&self, store: &Store) -> Result<Option<Timestamp>, StoreError> {
        let first = first_counted(store, &self.sensor.id)?;
        let mut typed = self.utility.iter().flat_map(UtilityMeter::periods);
        Ok(first.or_else(|| typed.next().map(|period| period.from)))
    }

    /// Whether it measures the energy drawn from the grid.
    pub(super) const fn is_import(&self) -> bool {
        matches!(self.sensor.role, Role::Grid | Role::GridImport)
    }

    /// Its first reading, where nothing is missing before it; `None` without readings.
    pub(super) fn begin_of_data(&self) -> Option<Timestamp> {
        self.has_data().then_some(self.expected.start)
    }

    /// Whether anything is known of it.
    pub(super) const fn has_data(&self) -> bool {
        self.utility.is_some() || self.has_readings
    }
}

/// A house is always at the grid: energy before the first of its meters there, between two of them,
/// or after the last one is missing.
fn leave_no_gap(sensors: &mut [HouseSensor], now: Timestamp) {
    let is_import = |it: &&mut HouseSensor| it.is_import() && it.has_data();
    let mut at_grid: Vec<&mut HouseSensor> = sensors.iter_mut().filter(is_import).collect();
    at_grid.sort_by_key(|it| it.expected.start);
    let mut until = Timestamp::MIN;
    for it in &mut at_grid {
        it.expected.start = it.expected.start.min(until);
        until = until.max(it.expected.end);
    }
    if at_grid.iter().all(|it| !it.sensor.authorized)
        && let Some(last) = at_grid.into_iter().max_by_key(|it| it.expected.end)
    {
        last.expected.end = last.expected.end.max(now);
    }
}

/// Its energy, by the rules of the ledger.
impl HouseSensor {
    /// By an interval of the calendar, from the start of `range` until before its end: the slots at
    /// its ends are cut there. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn by_interval(
        &self,
        store: &Store,
        range: Range<Timestamp>,
        (zone, interval): (&Zone, Interval),
    ) -> Result<LedgerEnergy, StoreError> {
        let by = (zone.clone(), interval);
        match &self.utility {
            Some(meter) => Ok(LedgerEnergy::of_stretches(meter.stretches(), range, by)),
            None => LedgerEnergy::by_interval(store, &self.sensor.id, self.meter(), range, by),
        }
    }

    /// Between each two neighbours of these ascending times. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn between(&self, store: &Store, times: &[Timestamp]) -> Result<LedgerEnergy, StoreError> {
        match &self.utility {
            Some(meter) => Ok(LedgerEnergy::of_stretches_between(meter.stretches(), times)),
            None => LedgerEnergy::between(store, &self.sensor.id, self.meter(), times),
        }
    }

    /// Its meter, and the corrections in effect.
    pub(super) fn meter(&self) -> (Meter, Facts) {
        (self.sensor.meter, self.facts.clone())
    }
}

/// The newest reading, if the next one is not late; else now.
fn awaited_from(store: &Store, sensor: &Sensor, now: Timestamp) -> Result<Timestamp, StoreError> {
    let activity = store.activity(&sensor.id)?.unwrap_or_default();
    let is_awaited = match silence_of(store, sensor, activity.arrivals, now) {
        Some(state) => state != SilenceState::Uploading,
        // A single upload teaches no spacing. As long as its power is shown, as if it were of now,
        // nothing is missing either.
        None => !activity.arrivals.is_some_and(|it| it.recent(now)),
    };
    if is_awaited {
        return Ok(now);
    }
    let register = store
        .register_at(&sensor.id, now)?
        .map(|register| register.time);
    let newest = register.max(activity.newest_power.map(|power| power.time));
    Ok(newest.unwrap_or(now).min(now))
}

/// The time of the newest reading at or before `time`, if there is one.
fn newest_reading(
    store: &Store,
    sensor: &Sensor,
    time: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let register = store.register_at(&sensor.id, time)?.map(|it| it.time);
    let power = store.power_at(&sensor.id, time)?.map(|it| it.time);
    Ok(register.max(power))
}

/// For how long two ranges overlap, in milliseconds.
pub(super) fn overlap_ms(one: &Range<Timestamp>, other: &Range<Timestamp>) -> i64 {
    let (from, to) = (one.start.max(other.start), one.end.min(other.end));
    to.millis().saturating_sub(from.millis()).max(0)
}

/// The time of the newest reading of a sensor. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn last_reading_of(store: &Store, sensor: &Sensor) -> Result<Option<Timestamp>, StoreError> {
    newest_reading(store, sensor, Timestamp::MAX)
}

/// When the history of a house begins: with the first reading at the grid or, without sensors there,
/// of any sensor. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn history_begins(
    store: &Store,
    account: &AccountName,
) -> Result<Option<Timestamp>, StoreError> {
    let registry = store.registry();
    // The energy of revoked sensors counts, too.
    let all = registry.sensors().filter(|it| it.account == *account);
    let all: Vec<Sensor> = all.cloned().collect();
    let at_grid = all.iter().filter(|it| it.role.is_at_grid());
    let at_grid: Vec<Sensor> = at_grid.cloned().collect();
    first_reading(store, if at_grid.is_empty() { &all } else { &at_grid })
}

/// Whether a sensor with these arrivals uploads as usual; `None` if it never did, or only once.
/// From memory: it does not block.
#[must_use]
pub fn silence_of(
    store: &Store,
    sensor: &Sensor,
    arrivals: Option<Arrivals>,
    now: Timestamp,
) -> Option<SilenceState> {
    let (limit, last) = silence_limit_of(store, sensor, arrivals)?;
    Some(limit.state(last, now))
}

/// After how long a sensor with these arrivals is silent, and its last upload; `None` if it never
/// uploaded, or only once. From memory: it does not block.
#[must_use]
pub fn silence_limit_of(
    store: &Store,
    sensor: &Sensor,
    arrivals: Option<Arrivals>,
) -> Option<(SilenceLimit, Timestamp)> {
    let arrivals = arrivals?;
    let limit = if let Some(limit) = sensor.silent_after {
        SilenceLimit::set(limit)
    } else {
        let apart_ms = arrivals.spacing_ms()?;
        // Readings that come in batches are closer together than the uploads.
        let usual_ms = store.usual_spacing_ms(&sensor.id).unwrap_or(0);
        SilenceLimit::learnt(usual_ms.max(apart_ms))
    };
    Some((limit, arrivals.newest()))
}

/// The authorized sensors of an account, by id.
pub fn sensors_of<'a>(
    registry: &'a Registry,
    account: &'a AccountName,
) -> impl Iterator<Item = &'a Sensor> {
    let sensors = registry.sensors();
    sensors.filter(move |sensor| sensor.account == *account && sensor.authorized)
}
