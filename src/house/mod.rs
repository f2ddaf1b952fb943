//! The sums of a house's sensors, from the store: energy by time, its cost, statements, and the
//! dashboard's numbers. How they are worded and laid out is the pages' job.
//!
//! - `sensors`: the sensors of a house, and the settings and corrections of their energy
//! - `flows`: their energy side by side, slot by slot; `sensor_runs`: the reader of that energy;
//!   `netting`: energy netted between the phases of one meter
//! - `cost`, `sensor_cost`: its costs; `prices`: the contracts for that; `peaks`: its peaks, for
//!   several ranges; `peak_guard`: the running span of a demand charge; `price_walk`: the one walk of
//!   prices over energy; `price_window`: price series, some at a time; `exchange`: prices in another
//!   currency
//! - `comparison`: what the contracts and each offer cost in a range; `side_by_side`: a statement, or
//!   those of several contracts or houses, in one walk, and `slot_count`: not too many of them;
//!   `priced_part`, `priced_side`: the result for each, and `priced_row` as it is answered; `scenario`:
//!   houses as they would have been; `metered`: the energy that contracts count
//! - `known_year`: whether enough is known to say something about a year
//! - `what_if`: what a range would have cost with another battery, other panels or another load
//! - `report`: energy in rows (`row`, `values`); `statement`: the costs of a range
//! - `savings`: what the panels and the battery saved, and how far purchases are paid back
//! - `utility`: the utility's meter and bills, compared with the ledger; `typed_reading`: unlikely readings; `line_words`: how lines of a
//!   statement are called
//! - `forecast`: energy and costs until the end of the month and of the year
//! - `group`: several sensors added up, for charts
//! - `day_prices`: the prices of today and tomorrow; `cheapest`: when they are lowest; `price_gaps`: the gaps of a
//!   price series
//! - `table`: energy between given times and its cost, in one walk for a whole page; `energy`: the
//!   energy of periods
//! - `source_walk`: where the energy of each sub-meter came from; `sensor_statement`: its costs by
//!   source; `tenancies`: those that tenants pay, and the rest of the house
//! - `today`: the energy of periods, and today's by device and by hour
//! - `uses`: consumption by device; `base_load`: power that devices draw all the time;
//!   `power`: power now
//! - `course`: a range in buckets, as a whole and for a picture; `supply`: the sources of
//!   consumption
//! - `power`: the power now
//! - `preview`: what a contract would have cost in the last full month; `demo_house`: the household of
//!   the demo, for a house without readings
//! - `gap_tests`: conclusions about houses with silent meters
//! - `nights`: days and nights by the clock of an account
//! - `periods`: today, yesterday, this week, month and year, each with the time that it is compared with
//!
//! Unknown values are `None`, never zero.

mod base_load;
mod cheapest;
mod comparison;
mod cost;
mod course;
mod day_prices;
mod demo_house;
mod energy;
mod exchange;
mod flows;
mod forecast;
mod group;
mod known_year;
mod line_words;
mod metered;
mod netting;
mod nights;
mod peak_guard;
mod peaks;
mod periods;
mod power;
mod preview;
mod price_gaps;
mod price_walk;
mod price_window;
mod priced_part;
mod priced_row;
mod priced_side;
mod prices;
mod report;
mod row;
mod savings;
mod scenario;
mod sensor_cost;
mod sensor_runs;
mod sensor_statement;
mod sensors;
mod side_by_side;
mod slot_count;
mod source_walk;
mod statement;
mod supply;
mod table;
mod tenancies;
mod today;
mod typed_reading;
mod uses;
mod utility;
mod values;
mod what_if;

pub use self::cheapest::{
    CheapestAnswer, CheapestError, CheapestField, CheapestForm, CheapestQuestion, CheapestView,
};
pub use self::comparison::{
    CompareError, ComparedRow, ComparisonAnswer, ContractComparison, compare,
};
pub use self::course::{CourseRanges, EnergyBucket, EnergyCourse};
pub use self::day_prices::{DayPrices, PriceStep};
pub use self::demo_house::{DEMO_SENSORS, DEMO_SENSORS_COUNT, Household, market_price};
pub use self::energy::{Comparison, Energies, Energy, HouseEnergies};
pub use self::flows::FlowSlot;
pub use self::forecast::{
    ForecastAnswer, ForecastPeriod, LikelyAmount, LikelyEnergy, TestedMonth, forecast,
};
pub use self::group::{EnergyBar, Reset, Resets, SensorGroup, interval_for};
pub use self::known_year::PaybackReason;
pub use self::line_words::part_text;
pub use self::nights::AccountDays;
pub use self::peak_guard::{DemandRow, PeakAnswer, PeakGuard, PeakNow, PeaksNow};
pub use self::power::{HousePower, PowerNow, Presence};
pub use self::preview::{ContractPreview, preview, preview_month};
pub use self::price_gaps::PriceGaps;
pub use self::priced_row::SideAmounts;
pub use self::priced_side::{PricedMonth, PricedSide, PricedSides};
pub use self::prices::{ExtraPrices, HousePrices};
pub use self::report::{EnergyQuestion, EnergyReport, SourcesError};
pub use self::row::{EnergyColumn, EnergyRow};
pub use self::savings::{
    HouseSavings, Payback, PaybackAnswer, PaybackRow, SavedRow, SavingsAnswer, SavingsError,
    paybacks, savings, statement_without,
};
pub use self::scenario::HouseWithout;
pub use self::sensor_statement::{
    EnergySource, SensorStatement, SensorStatementAnswer, SensorStatementError, SourceLine,
    sensor_statement_csv,
};
pub use self::sensors::{
    HouseSensor, HouseSensors, history_begins, last_reading_of, sensors_of, silence_limit_of,
    silence_of,
};
pub use self::statement::{
    ConvertedPrices, OtherCurrency, StatementAnswer, StatementLine, offer_statement, statement,
    statement_csv,
};
pub use self::supply::Supply;
pub use self::tenancies::{HouseShare, ShareAnswer, TenanciesAnswer, TenanciesStatement};
pub use self::today::HouseToday;
pub use self::typed_reading::reading_doubt;
pub use self::uses::{DeviceUse, HouseUse, UsedPart};
pub use self::utility::{
    AmountRow, CalibrationRow, OfferedCorrection, PeriodRow, UtilityAnswer, UtilityBill,
    UtilityPart, UtilitySensor, UtilityWalk, utility, utility_bill, utility_of_sensor,
};
pub use self::what_if::{
    BatteryRule, SizedHouse, WhatIf, WhatIfAnswer, WhatIfAssumption, WhatIfError, WhatIfField,
    WhatIfForm, WhatIfQuestion, WhatIfRow, WhatIfSize, what_if,
};

#[cfg(test)]
mod gap_tests;
#[cfg(test)]
pub(crate) mod tests;
