//! The statement of one sub-meter, such as that of a car or a flat: its energy by source, line by
//! line, with gaps and corrections. It claims no legal validity. `lines`: its lines; `answer`: the
//! same for the API and the commands; `several`: several statements in one walk; `tenant`: by the
//! price of a tenancy.

mod answer;
mod lines;
mod several;
mod tenant;

use std::ops::Range;

use thiserror::Error;

pub use self::answer::{SensorStatementAnswer, sensor_statement_csv};
pub use self::lines::{EnergySource, SourceLine};
pub use self::tenant::{ChargedTenancy, TenancyStatement};
use crate::domain::{
    Account, Currency, Decimal, LocalDate, MicroWh, Role, Sensor, SensorId, TimeRange, Timestamp,
};
use crate::ledger::contract::{Amount, BillLine};
use crate::ledger::house::{MeasuredSlot, UsedSources};
use crate::ledger::{AmountGap, Correction, Flow, TimeShares};
use crate::store::{Store, StoreError};

/// The statement of a sub-meter.
pub struct SensorStatement {
    /// The sub-meter.
    pub sensor: Sensor,
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The currency of the amounts; `None` without contracts.
    pub currency: Option<Currency>,
    /// The energy by contract, source and price.
    pub lines: Vec<SourceLine>,
    /// The energy as the ledger has it, and for how long it is known.
    pub measured: MeasuredSlot,
    /// The same by source, in all lines.
    pub sources: UsedSources,
    /// The number of times without readings of the sub-meter, and the first ones, to the quarter of
    /// an hour.
    pub gaps: (usize, Vec<Range<Timestamp>>),
    /// The end of the last one.
    gap_end: Option<Timestamp>,
    /// Where its readings begin; the beginning of the range, or later.
    begins: Timestamp,
    /// Where those of a revoked sensor end; the end of the range, or earlier.
    ends: Timestamp,
    /// The number of events of the sub-meter.
    pub events: usize,
    /// The number of its corrections in effect that touch the range, and the first ones.
    pub corrections: (usize, Vec<Correction>),
    /// By which tenancy it is charged; `None` for the real cost alone.
    pub charged: Option<ChargedTenancy>,
}

/// Why there is no statement of a sensor.
#[derive(Debug, Error)]
pub enum SensorStatementError {
    /// The account has no such sensor.
    #[error("the account has no sensor {0}")]
    NoSensor(SensorId),
    /// It is no sub-meter.
    #[error(
        "{0} has the role {role}: expected a sub-meter, whose energy has sources", role = .1.as_str()
    )]
    NoSubMeter(SensorId, Role),
    /// The range has none of its days.
    #[error("the tenancy {name:?} {}: expected a range with some of its days", days_of(*.from, *.until))]
    OutsideTenancy {
        /// Its name.
        name: String,
        /// Its first day.
        from: LocalDate,
        /// Its last day.
        until: Option<LocalDate>,
    },
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn days_of(from: LocalDate, until: Option<LocalDate>) -> String {
    until.map_or_else(
        || format!("begins on {from}"),
        |until| format!("is from {from} until {until}"),
    )
}

impl SensorStatement {
    /// The most gaps and corrections that are listed.
    pub const MOST_LISTED: usize = 50;

    /// The statement of a sub-meter from the start of `range` until before its end, or until `now`
    /// if that is sooner. The range has at most [`super::HousePrices::MOST_DAYS`] days. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`SensorStatementError`].
    pub fn of(
        store: &Store,
        account: &Account,
        (id, range): (&SensorId, Range<Timestamp>),
        now: Timestamp,
    ) -> Result<Self, SensorStatementError> {
        let found = Self::each(store, account, &[(id, range)], now)?;
        let nothing = || Err(SensorStatementError::NoSensor(id.clone()));
        found.into_iter().next().unwrap_or_else(nothing)
    }

    /// How much of its time is known.
    #[must_use]
    pub fn coverage(&self) -> TimeShares {
        let MeasuredSlot {
            estimated_ms,
            missing_ms,
            ..
        } = self.measured;
        TimeShares::of(self.range, (estimated_ms, missing_ms))
    }

    /// The gap of the total; `None` without one.
    #[must_use]
    pub fn gap(&self) -> Option<AmountGap> {
        let energy = self.measured.flow.map_or(MicroWh::ZERO, Flow::net);
        AmountGap::of(energy, self.left_out(), self.coverage().missing)
    }

    /// The energy that the total leaves out, because its source or its price is unknown. An agreed
    /// price is that of all sources.
    #[must_use]
    pub fn left_out(&self) -> MicroWh {
        if self.agreed_price().is_some() {
            return MicroWh::ZERO;
        }
        self.sources.left_out()
    }

    /// The energy with a known source and without a price.
    fn unpriced(&self) -> MicroWh {
        if self.agreed_price().is_some() {
            return MicroWh::ZERO;
        }
        self.sources.known().unpriced
    }

    /// The price of the tenancy; `None` for the real cost.
    fn agreed_price(&self) -> Option<Decimal> {
        self.charged.as_ref()?.tenancy.price
    }

    /// The sum of the amounts; `None` if nothing is known, or nothing has a price.
    #[must_use]
    pub fn total(&self) -> Option<Decimal> {
        self.measured.flow?;
        if self.agreed_price().is_none() {
            self.real_cost()?;
        }
        let amounts = self.lines.iter().filter_map(|line| line.amount);
        let fees = self.fees().iter().map(|line| line.amount);
        Some(
            amounts
                .chain(fees)
                .fold(Decimal::ZERO, Decimal::saturating_add),
        )
    }

    /// The real cost of the energy; `None` if nothing is known, or nothing has a price.
    #[must_use]
    pub fn real_cost(&self) -> Option<Decimal> {
        self.measured.flow?;
        self.currency.as_ref()?;
        self.sources.real_cost().map(Amount::rounded)
    }

    /// The lines of the base fee of the tenancy.
    #[must_use]
    pub fn fees(&self) -> &[BillLine] {
        self.charged.as_ref().map_or(&[], |it| &it.fees)
    }

    /// Whether all energy is known, and has a source and a price. If not, the total leaves the rest
    /// out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_known = self.measured.missing_ms == 0 && self.left_out() == MicroWh::ZERO;
        self.total().is_some() && is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::MeterKind;
    use crate::house::tests::{at, id, import, open};
    use crate::ledger::contract::{ContractChange, Label, PriceLength, PriceSeries};
    use crate::ledger::{Author, Fact, FactRange, Made, MeterChange};

    const QUARTER_MS: i64 = 900_000;
    /// Monday, midnight in Berlin.
    const START: &str = "2026-01-04T23:00:00";

    fn quarter(nth: i64) -> Timestamp {
        at(START).saturating_add_millis(nth * QUARTER_MS)
    }

    /// A house that draws a kilowatt for a day, half of it for the car. By this contract.
    fn house(dir: &std::path::Path, contracts: &str) -> (Store, Account) {
        let sensors = [("car", Role::SubMeter), ("grid", Role::GridImport)];
        let sensors = sensors.map(|(name, role)| (name, role, MeterKind::Counter));
        let (store, account) = open(dir, &sensors);
        let put = ContractChange::parse(contracts).unwrap();
        let name = account.name.clone();
        let changed = store.edit(move |edit| edit.change_contracts(&name, put));
        changed.unwrap();
        for (name, rise) in [("car", 125.0), ("grid", 250.0)] {
            let registers =
                (0..=96_u32).map(|nth| (quarter(nth.into()), 7.5 + rise * f64::from(nth)));
            import(&store, name, &registers.collect::<Vec<_>>());
        }
        (store, account)
    }

    fn statement(store: &Store, account: &Account) -> SensorStatement {
        let asked = (&id("car"), quarter(0)..quarter(200));
        SensorStatement::of(store, account, asked, quarter(96)).unwrap()
    }

    fn lines(found: &SensorStatement) -> Vec<[String; 4]> {
        let text = |value: Option<Decimal>| value.map_or("-".to_owned(), |it| it.to_string());
        let line = |line: &SourceLine| {
            [
                line.source.as_str().to_owned(),
                crate::ledger::kilowatthours(line.energy),
                text(line.price),
                text(line.amount),
            ]
        };
        found.lines.iter().map(line).collect()
    }

    #[test]
    fn each_contract_and_price_has_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let contracts = r#"[
            {"from":"2026-01-01","name":"Zones","currency":"€","components":[
                {"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}},
                {"fixed":{"name":"standing","price":9,"per":"day"}},{"tax":{"name":"VAT","percent":10}}]}]"#;
        let (store, account) = house(dir.path(), contracts);
        let found = statement(&store, &account);
        assert_eq!(
            lines(&found),
            [["grid", "4", "0.22", "0.88"], ["grid", "8", "0.33", "2.64"]]
        );
        assert_eq!(found.total(), Some(Decimal::parse("3.52").unwrap()));
        assert!(found.is_complete());
        assert_eq!(found.sources.own_share(), Some(0.0));
        assert_eq!((found.gaps.0, found.corrections.0), (0, 0));
        // Only a sub-meter has one.
        for (name, expected) in [
            (
                "grid",
                "grid has the role grid-import: expected a sub-meter, whose energy has sources",
            ),
            ("bike", "the account has no sensor bike"),
        ] {
            let asked = (&id(name), quarter(0)..quarter(96));
            let error = SensorStatement::of(&store, &account, asked, quarter(96));
            assert_eq!(error.err().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn many_prices_share_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let contract = r#"[{"from":"2026-01-01","name":"Market","currency":"€","components":[{"energy":{"series":"spot"}}]}]"#;
        let (store, account) = house(dir.path(), contract);
        let put = |hours: u32| {
            // An hour each at 0.01, 0.02 and so on, from midnight on.
            let price = |hour: u32| {
                let time = quarter(i64::from(hour) * 4);
                let price = Decimal::from_millionths(i64::from(hour + 1) * 10_000);
                (time, Some(price))
            };
            let prices = (0..hours).map(price).collect();
            let name = Label::new("spot").unwrap();
            let series = PriceSeries::from_beginnings(name, prices, PriceLength::Hour).unwrap();
            store.put_prices_durably(&account.name, &series).unwrap();
        };
        put(12);
        let found = statement(&store, &account);
        assert_eq!(found.lines.len(), 13);
        assert_eq!(lines(&found)[0], ["grid", "6", "-", "-"]);
        assert_eq!(lines(&found)[12], ["grid", "0.5", "0.12", "0.06"]);
        assert!(!found.is_complete());
        assert_eq!(found.sources.left_out(), MicroWh::new(6_000_000_000));
        put(24);
        let found = statement(&store, &account);
        // 0.5 kWh each at 0.01 to 0.24.
        assert_eq!(lines(&found), [["grid", "12", "0.125", "1.5"]]);
        assert!(found.is_complete());
    }

    #[test]
    fn gaps_and_corrections_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let flat = r#"[{"from":"2026-01-01","name":"Flat","currency":"€","components":[{"energy":{"price":0.5}}]}]"#;
        let (store, account) = house(dir.path(), flat);
        let made = |at: Timestamp| Made::new(at, Author::CommandLine, "it was loose").unwrap();
        let wrong = FactRange::new(quarter(40), quarter(44)).unwrap();
        let change = MeterChange {
            old_end: MicroWh::from_watthours(7.5 + 125.0 * 60.0),
            new_start: MicroWh::from_watthours(2.5),
        };
        for fact in [Fact::Wrong(wrong), Fact::MeterChanged(quarter(60), change)] {
            let fact = Correction::new(1, id("car"), made(quarter(96)), fact).unwrap();
            let name = account.name.clone();
            let added = store.edit(move |edit| edit.add_correction(&name, fact));
            added.unwrap();
        }
        // The new meter counts from 2.5 on.
        let later = TimeRange::new(quarter(60), quarter(96)).unwrap();
        store.delete_durably(&id("car"), later).unwrap();
        let registers =
            (61..=90_u32).map(|nth| (quarter(nth.into()), 2.5 + 125.0 * f64::from(nth - 60)));
        import(&store, "car", &registers.collect::<Vec<_>>());
        let mut found = statement(&store, &account);
        let (count, listed) = &found.corrections;
        let kinds: Vec<&str> = listed
            .iter()
            .map(|one| one.fact().kind().as_str())
            .collect();
        assert_eq!((*count, kinds), (2, vec!["wrong", "meter-changed"]));
        // Nothing after the 90th quarter; the wrong readings lie within one step.
        assert_eq!(found.gaps, (1, vec![quarter(90)..quarter(96)]));
        let energy = found.measured.flow.unwrap().net();
        assert_eq!(energy, MicroWh::from_watthours(125.0 * 90.0));
        // Nobody knows when the energy between the wrong readings flowed.
        assert_eq!(
            lines(&found),
            [
                ["grid", "10.625", "0.5", "5.3125"],
                ["unknown", "0.625", "-", "-"]
            ]
        );
        assert!(!found.is_complete());
        let rows: Vec<String> = found.rows().iter().map(|row| row.join(",")).collect();
        let gap = "gap,,,2026-01-05T21:30:00.000Z,2026-01-05T23:00:00.000Z,,,,";
        assert!(rows.contains(&gap.to_owned()), "{rows:?}");
        assert!(
            rows.contains(&"corrections,,,,,2,,,".to_owned()),
            "{rows:?}"
        );
        // Of many, the first ones are listed; each is counted once.
        for nth in 0..60 {
            let from = 100 + 4 * nth;
            found.add_gap(quarter(from)..quarter(from + 1));
            found.add_gap(quarter(from + 1)..quarter(from + 2));
        }
        let (count, listed) = &found.gaps;
        assert_eq!((*count, listed.len()), (61, SensorStatement::MOST_LISTED));
        assert_eq!(listed[49], quarter(292)..quarter(294));
    }
}
