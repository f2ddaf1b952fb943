//! The statement of a sub-meter by the price of a tenancy: an agreed price, or the real cost; and a
//! base fee.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{SensorStatement, SensorStatementError, SourceLine};
use crate::domain::{Account, Currency, Decimal, MicroWh, SensorId, Timestamp};
use crate::house::statement::so_far;
use crate::ledger::contract::{Announced, BillLine, Tenancy};
use crate::ledger::house::{MeasuredSlot, ValuedEnergy};
use crate::ledger::{CostStatement, TouchCount};
use crate::store::{Store, StoreError};

/// The tenancy of a statement.
pub struct ChargedTenancy {
    /// Its terms.
    pub tenancy: Tenancy,
    /// The lines of its base fee.
    pub fees: Vec<BillLine>,
}

/// A tenancy, and its statement.
pub type TenancyStatement = (Tenancy, Result<SensorStatement, SensorStatementError>);

impl SensorStatement {
    /// The statements of tenancies, each of its days in `range`, until `now`. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of_tenancies(
        store: &Store,
        account: &Account,
        (tenancies, range): (Vec<Tenancy>, &Range<Timestamp>),
        now: Timestamp,
    ) -> Result<Vec<TenancyStatement>, StoreError> {
        let within = |tenancy: &Tenancy| {
            let days = tenancy.range(&account.zone);
            days.start.max(range.start)..days.end.min(range.end)
        };
        let ranges: Vec<Range<Timestamp>> = tenancies.iter().map(within).collect();
        let asked = tenancies.iter().zip(&ranges);
        let asked: Vec<(&SensorId, Range<Timestamp>)> = asked
            .map(|(tenancy, range)| (&tenancy.sensor, range.start..range.end.max(range.start)))
            .collect();
        let found = Self::each(store, account, &asked, now)?;
        let charged = found.into_iter().zip(ranges).zip(tenancies);
        let charged = charged.map(|((found, range), tenancy)| {
            if range.start >= range.end {
                let outside = outside(&tenancy);
                return (tenancy, Err(outside));
            }
            let days = so_far(&range, now);
            let found = found.map(|it| it.charged_by(tenancy.clone(), account, days));
            (tenancy, found)
        });
        Ok(charged.collect())
    }

    /// The statement of one tenancy. Blocks on the disk.
    ///
    /// # Errors
    /// [`SensorStatementError`].
    pub fn of_tenancy(
        store: &Store,
        account: &Account,
        (tenancy, range): (&Tenancy, &Range<Timestamp>),
        now: Timestamp,
    ) -> Result<Self, SensorStatementError> {
        let found = Self::of_tenancies(store, account, (vec![tenancy.clone()], range), now)?;
        let nothing = || Err(SensorStatementError::NoSensor(tenancy.sensor.clone()));
        let found = found.into_iter().next();
        found.map_or_else(nothing, |(_, found)| found)
    }

    /// The statement by a tenancy, of these days of it.
    fn charged_by(mut self, tenancy: Tenancy, account: &Account, days: Range<Timestamp>) -> Self {
        // A sub-meter that came later than the tenant measured nothing until then.
        if days.start < self.begins && self.begins < days.end {
            let (count, listed) = &mut self.gaps;
            *count += 1;
            listed.insert(0, days.start..self.begins);
            listed.truncate(Self::MOST_LISTED);
            let unknown_ms = self.begins.millis() - days.start.millis();
            self.measured = self.measured + MeasuredSlot::unknown(unknown_ms);
        }
        // Nor does one that was revoked before the tenant went.
        if days.start < self.ends && self.ends < days.end {
            self.add_gap(self.ends..days.end);
            let unknown_ms = days.end.millis() - self.ends.millis();
            self.measured = self.measured + MeasuredSlot::unknown(unknown_ms);
        }
        if let Some(price) = tenancy.price {
            let mut sums = BTreeMap::<_, MicroWh>::new();
            for line in &self.lines {
                let sum = sums.entry(line.source).or_insert(MicroWh::ZERO);
                *sum = *sum + line.energy;
            }
            let lines = sums.into_iter().map(|(source, energy)| SourceLine {
                contract: Some((tenancy.name.clone(), tenancy.from)),
                source,
                energy,
                price: Some(price),
                amount: Some(ValuedEnergy::at(Some(price), energy).value.rounded()),
            });
            self.lines = lines.collect();
        }
        let fees = self.fees_of(&tenancy, account);
        self.charged = Some(ChargedTenancy { tenancy, fees });
        self
    }

    /// The lines of the base fee in its range.
    fn fees_of(&self, tenancy: &Tenancy, account: &Account) -> Vec<BillLine> {
        // Amounts have no currency without contracts, and any will do.
        let currency = self.currency.as_ref().map_or("EUR", Currency::as_str);
        let contracts = match tenancy.fee_contract(currency) {
            Ok(contracts) => contracts,
            Err(error) => {
                let name = &tenancy.name;
                log::error!("the base fee of the tenancy {name} has no contract: {error}");
                return Vec::new();
            }
        };
        let bill = CostStatement::new(
            &contracts,
            &account.zone,
            &Announced::default(),
            self.range,
            TouchCount::default(),
            |_| MeasuredSlot::default(),
        );
        let mut lines = bill.bill.lines;
        lines.retain(|line| line.amount != Decimal::ZERO);
        lines
    }
}

fn outside(tenancy: &Tenancy) -> SensorStatementError {
    SensorStatementError::OutsideTenancy {
        name: tenancy.name.to_string(),
        from: tenancy.from,
        until: tenancy.until,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MeterKind, Role, TimeRange};
    use crate::house::TenanciesStatement;
    use crate::house::tests::{at, id, import, open};
    use crate::ledger::contract::{ContractChange, tenancy};
    use crate::ledger::kilowatthours;
    use crate::store::AccountEntry;

    const HOUR_MS: i64 = 3_600_000;
    /// Midnight in Berlin.
    const START: &str = "2026-03-24T23:00:00";

    fn hour(nth: i64) -> Timestamp {
        at(START).saturating_add_millis(nth * HOUR_MS)
    }

    /// Ten days of a house that draws a kilowatt, of which a flat draws a quarter; the clocks change
    /// on the fifth day.
    fn house(dir: &std::path::Path) -> (Store, Account) {
        let sensors = [("flat", Role::SubMeter), ("grid", Role::GridImport)];
        let sensors = sensors.map(|(name, role)| (name, role, MeterKind::Counter));
        let (store, account) = open(dir, &sensors);
        let contract = r#"[{"from":"2026-01-01","name":"Flat","currency":"€","components":[{"energy":{"price":0.32}},{"fixed":{"name":"meter","price":1,"per":"day"}}]}]"#;
        let put = ContractChange::parse(contract).unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, put))
            .unwrap();
        for (name, rise) in [("flat", 62.5), ("grid", 250.0)] {
            let registers = (0..=40_u32 * 24).map(|nth| {
                let time = at(START).saturating_add_millis(i64::from(nth) * HOUR_MS / 4);
                (time, 7.5 + rise * f64::from(nth))
            });
            import(&store, name, &registers.collect::<Vec<_>>());
        }
        (store, account)
    }

    fn add(store: &Store, account: &Account, text: &str) {
        let (name, entry) = (account.name.clone(), AccountEntry::Tenancy(tenancy(text)));
        let added = store.edit(move |edit| edit.put_entry(&name, entry, None));
        added.unwrap();
    }

    fn statement(
        store: &Store,
        account: &Account,
        name: &str,
        range: &Range<Timestamp>,
    ) -> Result<SensorStatement, SensorStatementError> {
        let registry = store.registry();
        let mut all = registry.tenancies(&account.name);
        let tenancy = all.find(|it| it.name.as_str() == name).unwrap();
        SensorStatement::of_tenancy(store, account, (tenancy, range), hour(240))
    }

    #[test]
    fn a_sub_meter_that_is_gone_is_missing_until_the_tenant_goes() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path());
        add(
            &store,
            &account,
            r#"{"name":"a","sensor":"flat","from":"2026-03-25","price":0.2}"#,
        );
        let later = TimeRange::new(hour(120).saturating_add_millis(1), hour(240)).unwrap();
        store.delete_durably(&id("flat"), later).unwrap();
        store
            .update_sensor_durably(&id("flat"), |sensor| sensor.authorized = false)
            .unwrap();
        let found = statement(&store, &account, "a", &(hour(0)..hour(240))).unwrap();
        assert_eq!(text(found.total()), "6");
        assert!(!found.is_complete());
        assert_eq!(found.coverage().missing.to_string(), "0.5");
        assert_eq!(found.gaps, (1, vec![hour(120)..hour(240)]));
        let all = TenanciesStatement::of(&store, &account, hour(0)..hour(240), hour(240));
        assert!(!all.unwrap().is_complete());
    }

    fn text(amount: Option<Decimal>) -> String {
        amount.map_or_else(|| "-".to_owned(), |amount| amount.to_string())
    }

    #[test]
    fn each_tenancy_has_its_days_and_its_price() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path());
        // Three days, then seven and an hour, with the change of the clocks.
        add(
            &store,
            &account,
            r#"{"name":"before","sensor":"flat","from":"2026-01-01","until":"2026-03-27","price":0.2,"base_fee":31}"#,
        );
        add(
            &store,
            &account,
            r#"{"name":"now","sensor":"flat","from":"2026-03-28","base_fee":"3.1"}"#,
        );
        let range = hour(0)..hour(240);
        let of = |name| statement(&store, &account, name, &range).unwrap();
        let before = of("before");
        let energy = |found: &SensorStatement| kilowatthours(found.measured.flow.unwrap().net());
        assert_eq!(energy(&before), "18");
        // 18 kWh at 0.20, and three of the 31 days of March at 31 a month.
        assert_eq!(text(before.total()), "6.6");
        assert_eq!(text(before.real_cost()), "5.76");
        assert!(before.is_complete());
        let now = of("now");
        assert_eq!(energy(&now), "42");
        // 42 kWh at 0.32. Four of the 31 days of March, and three of the 30 days of April with an hour
        // more.
        assert_eq!(text(now.real_cost()), "13.44");
        assert_eq!(text(now.total()), "14.154306");
        // Together they have all that the sub-meter has.
        let asked = (&id("flat"), range.clone());
        let whole = SensorStatement::of(&store, &account, asked, hour(240)).unwrap();
        assert_eq!(text(whole.total()), "19.2");
        // Beside the house.
        let all = TenanciesStatement::of(&store, &account, range, hour(240)).unwrap();
        let (house, rest) = (all.house_share(), all.rest());
        assert_eq!(text(house.charged), "86.841667");
        assert_eq!(rest.energy.map(kilowatthours).unwrap(), "180");
        assert_eq!(text(rest.real), "67.641667");
        assert_eq!(text(rest.charged), "66.087361");
    }

    #[test]
    fn a_range_without_days_of_the_tenancy_has_no_statement() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path());
        add(
            &store,
            &account,
            r#"{"name":"a","sensor":"flat","from":"2026-01-01","until":"2026-03-24"}"#,
        );
        add(
            &store,
            &account,
            r#"{"name":"b","sensor":"gone","from":"2026-01-01"}"#,
        );
        for (name, expected) in [
            ("a", "is from 2026-01-01 until 2026-03-24: expected a range"),
            ("b", "no sensor gone"),
        ] {
            let range = hour(0)..hour(24);
            let found = statement(&store, &account, name, &range);
            let error = found.err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
        // Those that have days are listed, and nobody knows what is left to the house.
        let all = TenanciesStatement::of(&store, &account, hour(0)..hour(24), hour(240)).unwrap();
        assert_eq!(all.tenancies.len(), 1);
        assert_eq!(all.rest().energy, None);
    }
}
