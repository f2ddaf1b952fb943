//! What the first screen is about: the energy of each period, where today's goes, and its hours.

use super::course::EnergyBucket;
use super::energy::{HouseEnergies, against_of, table_of_periods};
use super::periods::periods;
use super::table::PricedRange;
use super::uses::HouseUse;
use crate::domain::{Account, Against, Calendar, Interval, Timestamp, WeekStart};
use crate::store::{Store, StoreError};

/// The energy of a house by periods, and today's by device and by hour.
#[derive(Clone, Debug, PartialEq)]
pub struct HouseToday {
    /// The energy of its periods.
    pub energies: HouseEnergies,
    /// What they and the uses are compared with.
    pub against: Against,
    /// Where today's energy goes.
    pub uses: HouseUse,
    /// The hours of today, until midnight; those to come have no energy.
    pub hours: Vec<EnergyBucket>,
}

impl HouseToday {
    /// At `now`, compared as asked or, by default, with last year if there is a year of history.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn at(
        store: &Store,
        account: &Account,
        (now, weeks): (Timestamp, WeekStart),
        asked: Option<Against>,
    ) -> Result<Self, StoreError> {
        let against = against_of(store, account, (now, weeks), asked)?;
        let periods = periods(&account.zone, (now, weeks), against);
        let [today, ..] = periods;
        let day = Calendar::new(account.zone.clone(), Interval::Day).bucket(now);
        let day = day.start()..day.end().saturating_add_millis(1);
        let hours = EnergyBucket::empty(account, &day, Interval::Hour);
        let starts = hours.iter().map(|it| it.time.start());
        let devices = PricedRange {
            range: today.now.start()..now,
            with_devices: true,
        };
        let times = starts.chain([day.end]).collect();
        let table = table_of_periods(store, account, (now, &periods, times), &[devices])?;
        let uses = HouseUse::of_table(store, account, &table, (today, false))?;
        Ok(Self {
            energies: HouseEnergies::of_table(&table, periods),
            against,
            uses,
            hours: EnergyBucket::of_table(hours, &table, &account.zone, Interval::Hour),
        })
    }
}
