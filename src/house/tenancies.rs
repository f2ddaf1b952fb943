//! The statements of all tenancies of a house in a range, beside that of the house.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::sensor_statement::{SensorStatement, SensorStatementAnswer, TenancyStatement};
use super::sensors::HouseSensors;
use super::statement::{csv_of_rows, so_far, statement};
use crate::domain::{Account, Decimal, MicroWh, SensorId, Timestamp};
use crate::ledger::contract::Tenancy;
use crate::ledger::{CostStatement, Flow, STATEMENT_COLUMNS, kilowatthours, statement_row};
use crate::store::{Registry, Store, StoreError};

/// The statements of tenancies, and that of the house.
pub struct TenanciesStatement {
    /// The tenancies with days in the range until now, by name.
    pub tenancies: Vec<TenancyStatement>,
    /// The statement of the house.
    pub house: CostStatement,
    /// The consumption of the house; `None` if it is unknown.
    pub used: Option<MicroWh>,
    /// A sub-meter of a tenancy that lies inside that of another one, whose energy has it, too.
    pub nested: Option<SensorId>,
}

/// A share of a house: its energy, and amounts of money. Unknown values are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseShare {
    /// The energy.
    pub energy: Option<MicroWh>,
    /// The real cost.
    pub real: Option<Decimal>,
    /// The amount to pay.
    pub charged: Option<Decimal>,
}

impl TenanciesStatement {
    /// The statements of an account from the start of `range` until before its end, or until `now`
    /// if that is sooner. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(
        store: &Store,
        account: &Account,
        range: Range<Timestamp>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let days = so_far(&range, now);
        let registry = store.registry();
        let touches = |tenancy: &&Tenancy| {
            let its = tenancy.range(&account.zone);
            days.start < days.end && its.start < days.end && days.start < its.end
        };
        let all = registry.tenancies(&account.name).filter(touches);
        let all: Vec<Tenancy> = all.cloned().collect();
        let nested = nested(&registry, account, &all);
        let whole = HouseSensors::of(store, &account.name, now)?;
        let slots = whole.between(store, &[days.start, days.end])?.all(|_| {})?;
        let used = slots
            .first()
            .and_then(|slot| whole.sums(slot).used.energy());
        Ok(Self {
            tenancies: SensorStatement::of_tenancies(store, account, (all, &days), now)?,
            house: statement(store, account, range, now)?,
            used,
            nested,
        })
    }

    /// Whether all of the house and of its tenants is known and has a price. If not, the amounts leave
    /// some energy out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_complete = |found: &SensorStatement| {
            // An agreed price leaves nothing out, but the real cost beside it may.
            found.is_complete() && found.sources.left_out() == MicroWh::ZERO
        };
        let mut all = self.tenancies.iter();
        self.house.is_complete() && all.all(|(_, it)| it.as_ref().is_ok_and(is_complete))
    }

    /// The house: its consumption, and the total of its statement.
    #[must_use]
    pub fn house_share(&self) -> HouseShare {
        HouseShare {
            energy: self.used,
            real: self.house.total(),
            charged: self.house.total(),
        }
    }

    /// The house less its tenants. Its energy is that of no tenant; its amounts are the rest of
    /// the house's statement once the tenants have paid.
    #[must_use]
    pub fn rest(&self) -> HouseShare {
        if self.nested.is_some() {
            return HouseShare::default();
        }
        let shares = self.tenancies.iter().map(|(_, found)| match found {
            Ok(found) => HouseShare::of(found),
            Err(_) => HouseShare::default(),
        });
        shares.fold(self.house_share(), HouseShare::less)
    }
}

impl HouseShare {
    /// The share of a statement.
    #[must_use]
    pub fn of(found: &SensorStatement) -> Self {
        Self {
            energy: found.measured.flow.map(Flow::net),
            real: found.real_cost(),
            charged: found.total(),
        }
    }

    fn less(self, other: Self) -> Self {
        let minus = |a: Option<Decimal>, b: Option<Decimal>| {
            let b = Decimal::from_millionths(b?.millionths().saturating_neg());
            Some(a?.saturating_add(b))
        };
        Self {
            energy: self.energy.zip(other.energy).map(|(a, b)| a - b),
            real: minus(self.real, other.real),
            charged: minus(self.charged, other.charged),
        }
    }
}

/// A sub-meter that lies inside that of another tenancy on some day of both.
fn nested(registry: &Registry, account: &Account, all: &[Tenancy]) -> Option<SensorId> {
    let whole_of = |id: &SensorId| registry.sensor(id).and_then(|it| it.part_of.clone());
    let is_inside = |inner: &Tenancy| {
        let days = inner.range(&account.zone);
        let is_around = |id: &SensorId| {
            let mut all = all.iter().filter(|it| it.sensor == *id);
            all.any(|it| {
                let its = it.range(&account.zone);
                its.start < days.end && days.start < its.end
            })
        };
        let wholes = std::iter::successors(whole_of(&inner.sensor), whole_of);
        // No sensor is part of itself; the number bounds the walk nevertheless.
        wholes.take(64).any(|id| is_around(&id))
    };
    let inner = all.iter().find(|it| is_inside(it));
    inner.map(|it| it.sensor.clone())
}

/// The statements of tenancies as the API and the commands answer them. Energies are in watt-hours,
/// amounts exact decimals in text. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenanciesAnswer {
    /// The account.
    pub account: String,
    /// Where the range begins; in the API's form.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// The currency of the amounts; null without contracts.
    pub currency: Option<String>,
    /// The statement of each tenancy with days in the range.
    pub statements: Vec<SensorStatementAnswer>,
    /// The tenancies without a statement.
    pub refused: Vec<RefusedTenancy>,
    /// Whether all of the house and of its tenants is known and has a price. If not, the amounts leave
    /// some energy out.
    pub complete: bool,
    /// The consumption of the house, and the total of its statement.
    pub house: ShareAnswer,
    /// The house less its tenants; null where one of them is unknown, or a sub-meter lies inside
    /// another one.
    pub rest: ShareAnswer,
}

/// A tenancy without a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedTenancy {
    /// Its name.
    pub tenancy: String,
    /// The reason.
    pub reason: String,
}

/// A share of a house.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareAnswer {
    /// Its energy.
    pub energy: Option<f64>,
    /// Its real cost.
    pub real_cost: Option<String>,
    /// The amount to pay.
    pub charged: Option<String>,
}

impl From<HouseShare> for ShareAnswer {
    fn from(share: HouseShare) -> Self {
        Self {
            energy: share.energy.map(MicroWh::watthours),
            real_cost: share.real.map(|amount| amount.to_string()),
            charged: share.charged.map(|amount| amount.to_string()),
        }
    }
}

impl TenanciesAnswer {
    /// The statements of an account.
    #[must_use]
    pub fn new(account: &Account, found: &TenanciesStatement) -> Self {
        let (mut statements, mut refused) = (Vec::new(), Vec::new());
        for (tenancy, found) in &found.tenancies {
            match found {
                Ok(found) => statements.push(SensorStatementAnswer::new(account, found)),
                Err(error) => refused.push(RefusedTenancy {
                    tenancy: tenancy.name.to_string(),
                    reason: error.to_string(),
                }),
            }
        }
        let range = found.house.range;
        Self {
            account: account.name.to_string(),
            from: range.start().to_string(),
            to: range.end().to_string(),
            currency: found
                .house
                .currency
                .as_ref()
                .map(|it| it.as_str().to_owned()),
            statements,
            refused,
            complete: found.is_complete(),
            house: found.house_share().into(),
            rest: found.rest().into(),
        }
    }
}

impl TenanciesStatement {
    /// It as a table: the name of the tenancy, then the columns of [`STATEMENT_COLUMNS`]. The rows
    /// of the house, and of its rest, have no name.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<String>> {
        let of = |name: &str, row: &[String]| {
            std::iter::once(name.to_owned())
                .chain(row.iter().cloned())
                .collect::<Vec<_>>()
        };
        let header = STATEMENT_COLUMNS.map(str::to_owned);
        let mut rows = vec![of("tenancy", &header)];
        for (tenancy, found) in &self.tenancies {
            let its = match found {
                Ok(found) => found.rows(),
                Err(error) => {
                    let mut row = statement_row("refused", <[String; 2]>::default(), String::new());
                    let [_, _, _, name, ..] = &mut row;
                    *name = error.to_string();
                    vec![row]
                }
            };
            rows.extend(its.iter().map(|row| of(tenancy.name.as_str(), row)));
        }
        let (house, rest) = (self.house_share(), self.rest());
        for (kind, energy, amount) in [
            ("house", house.energy, house.charged),
            ("rest", rest.energy, rest.charged),
            ("rest at the real cost", rest.energy, rest.real),
        ] {
            let energy = energy.map(kilowatthours).unwrap_or_default();
            let amount = amount.map(|it| it.to_string()).unwrap_or_default();
            let row = statement_row(kind, [energy, "kWh".to_owned()], amount);
            rows.push(of("", &row));
        }
        if !self.is_complete() {
            let row = statement_row("incomplete", <[String; 2]>::default(), String::new());
            rows.push(of("", &row));
        }
        rows
    }

    /// The same as comma-separated values.
    #[must_use]
    pub fn csv(&self) -> Vec<u8> {
        csv_of_rows(self.rows())
    }
}
