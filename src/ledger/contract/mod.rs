//! Contracts, and the exact amounts of money that they give for energy (docs/MONEY.md). It knows no
//! readings: the caller has the energy of each slot of time.
//!
//! - `amount`: exact amounts of money
//! - `list`: a contract, and the contracts of an account; `json`: their text; `change`: their
//!   changes
//! - `flat`: the simplest contract; `household`: the contracts that forms can show
//! - `component`, `rate`, `zones`: the parts of a contract
//! - `day`, `coverage`: the properties of a day for zones, and whether zones cover all times
//! - `sets`, `holidays`, `wall`: months, weekdays, hours and holidays, and local time
//! - `series`: prices by the hour
//! - `days`: lists of announced days; `day_text`: their text
//! - `pricer`: energy becomes amounts; `charge`, `rate_charge`: each component adds up its own
//! - `bill`: the lines and their sums

mod amount;
mod bill;
mod change;
mod charge;
mod component;
mod coverage;
mod day;
mod day_text;
mod days;
mod flat;
mod holidays;
mod household;
mod json;
mod list;
mod pricer;
mod rate;
mod rate_charge;
mod series;
mod sets;
mod wall;
mod zones;

pub use self::amount::Amount;
pub use self::bill::{Bill, BillLine, BilledQuantity, LineKind};
pub use self::change::ContractChange;
pub use self::component::{Period, TaxBase};
pub use self::day_text::DayListError;
pub use self::days::{DateSpan, DayList, DayLists};
pub use self::flat::{FlatContract, FlatTerms};
pub use self::household::{
    HouseholdCharge, HouseholdContract, HouseholdRate, HouseholdTax, NamedPrice, PaintedPrice,
    WeekGrid,
};
pub use self::json::ContractError;
pub use self::list::{Contract, Contracts};
pub use self::pricer::{MarginalPrice, PriceSlot, Pricer, SlotCost};
pub use self::series::{PriceLength, PriceLine, PriceLines, PriceSeries, SeriesError, SeriesPrice};

use crate::domain::name::name;

name! {
    /// A name in a contract, of a price series, or in a day list: 1 to 64 bytes of UTF-8 without control
    /// characters.
    Label, 64
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
            let _ = PriceSeries::parse_csv(name.clone(), &text, PriceLength::UntilNext);
            let _ = PriceSeries::parse_json(name, &text, PriceLength::Hour);
        }
    }
}
