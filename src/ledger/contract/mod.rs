//! Contracts, and the exact amounts of money that they give for energy (docs/MONEY.md). It knows no
//! readings: the caller has the energy of each slot of time.
//!
//! - `amount`, `percent`: exact amounts of money, and percentages of them
//! - `list`: a contract, and the contracts of an account; `json`: their text; `change`: their
//!   changes; `template`, `country`: tariffs to start from; `plausible`: whether a contract is meant
//!   so
//! - `flat`: the simplest contract; `household`: the contracts that forms can show; `tenancy`: who
//!   pays for a sub-meter
//! - `component`: the parts of a contract; `energy_terms`, `rate`, `zones`, `tiers`, `series_rate`,
//!   `price_table`, `scope`: those of energy; `demand_terms`: those of demand; `advances`: payments
//!   before the bill
//! - `conditions`: when zones and demand apply; `coverage`: whether zones cover all times; `sets`,
//!   `holidays`, `days`, `day`: months, hours, holidays, announced days and other properties of
//!   days; `day_text`: day lists as text; `wall`: local time; `period`: months to billing periods
//! - `series`: prices by the hour
//! - `pricer`: turns energy into amounts; `charge`: the amount of a component; `new_charge`:
//!   charges from components; `announced`: the data around them; `charge_base`: their sums; `fixed_charge`, `step_charge`: charges for
//!   time; `clock_finder`: which conditions hold at a time;
//!   `rate_charge`, `tier_count`, `cap_count`, `energy_limit`: charges for energy; `price_finder`: the price at a time; `demand_charge`,
//!   `peaks`: charges for demand, and `demand_now`: one at a moment; `period_amount`: amounts that depend on a whole period
//! - `bill`: the lines and their sums; `paying`: billing periods, and the advances in a range

mod advances;
mod amount;
mod announced;
mod bill;
mod cap_count;
mod change;
mod charge;
mod charge_base;
mod clock_finder;
mod component;
mod conditions;
mod country;
mod coverage;
mod day;
mod day_text;
mod days;
mod demand_charge;
mod demand_now;
mod demand_terms;
mod energy_limit;
mod energy_terms;
mod fixed_charge;
mod flat;
mod holidays;
mod household;
mod json;
mod list;
mod new_charge;
mod paying;
mod peaks;
mod percent;
mod period;
mod period_amount;
mod plausible;
mod price_finder;
mod price_table;
mod pricer;
mod rate;
mod rate_charge;
mod scope;
mod series;
mod series_rate;
mod sets;
mod step_charge;
mod template;
mod tenancy;
mod tier_count;
mod tiers;
mod wall;
mod zones;

pub use self::amount::Amount;
pub use self::announced::Announced;
pub use self::bill::{Bill, BillLine, BilledQuantity, LineKind, LinePart};
pub use self::change::ContractChange;
pub use self::charge_base::TaxBase;
pub use self::country::Country;
pub use self::day_text::DayListError;
pub use self::days::{DateSpan, DayList, DayLists};
pub use self::demand_now::{DemandNow, PeakPower, SpanCourse};
pub use self::flat::{FlatContract, FlatTerms};
pub use self::household::{
    HouseholdCharge, HouseholdContract, HouseholdRate, HouseholdTax, NamedPrice, PaintedPrice,
    WeekGrid,
};
pub use self::json::ContractError;
pub use self::list::{Contract, Contracts};
pub use self::percent::Percent;
pub use self::period::Period;
pub use self::plausible::{MoneyContext, MoneyDoubt};
pub use self::pricer::{MarginalPrice, MeteredEnergy, PeakHistory, PriceSlot, Pricer, SlotCost};
pub use self::series::{
    ExchangePath, Holes, MeanPeriod, MeanPeriods, PriceLength, PriceLine, PriceLines, PriceSeries,
    PriceUnit, SeriesError, SeriesPrice, per_megawatt_hour,
};
pub use self::template::{
    ContractTemplate, ParamKind, ParamSource, TariffAnswer, TariffError, TariffFault, TariffParam,
    TariffStart, TemplateKind,
};

pub use self::tenancy::Tenancy;
#[cfg(test)]
pub(crate) use self::tenancy::tests::tenancy;
use crate::domain::name::name;

name! {
    /// A name in a contract, of a price series, or in a day list: 1 to 64 bytes of UTF-8 without control
    /// characters.
    Label, 64
}

impl Label {
    /// Whether it is the same name as another one: people type names with other capitals.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self == other || self.as_str().to_lowercase() == other.as_str().to_lowercase()
    }

    /// The one of these names that is the same: with the same capitals if there is one.
    pub fn same_of<'a>(
        &self,
        mut known: impl Iterator<Item = &'a Self> + Clone,
    ) -> Option<&'a Self> {
        let mut exact = known.clone();
        let exact = exact.find(|one| *one == self);
        exact.or_else(|| known.find(|one| self.is_same(one)))
    }
}

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    //! The room's fuzz target (see `crate::fuzz`).

    use super::{Contracts, DayList, Label, PriceLength, PriceSeries};

    /// Contracts, price series and day lists.
    ///
    /// # Panics
    /// If contracts that were read are not read again as they are printed.
    pub fn contracts(bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(contracts) = Contracts::parse(&text) {
            assert_eq!(Contracts::parse(&contracts.to_string()), Ok(contracts));
        }
        if let Ok(name) = Label::new("day-ahead") {
            let _ = DayList::parse(name.clone(), &text);
            let _ = PriceSeries::parse_json(name, &text, (None, PriceLength::Hour));
        }
    }
}
