//! The terms of the field as values that cannot be wrong. Nothing here does I/O, reads a clock, or knows the store or the web.
//!
//! - `account`: accounts, their credentials and scopes
//! - `password`, `session`: the administrator's password, and sessions of browsers
//! - `sensor`, `role`: sensors, what they measure, and when one is active
//! - `reading`: readings
//! - `time`: points in time and ranges; `clock`: a clock that was wrong for a while
//! - `calendar`: time zones; `interval`: buckets of hours, days, months; `date`: dates without a zone
//! - `unit`, `price`: units of power and energy; the price of energy
//! - `decimal`: exact decimals
//! - `energy`: exact amounts of energy; `meter`: what is set about a meter
//! - `name`, `words`, `number`: names, enums of words, and arithmetic that these share

pub mod account;
pub mod calendar;
pub mod clock;
pub mod date;
pub mod decimal;
pub mod energy;
pub mod interval;
pub mod meter;
pub mod name;
pub(crate) mod number;
pub mod password;
pub mod price;
pub mod reading;
pub mod role;
pub mod sensor;
pub mod session;
pub mod time;
pub mod unit;
pub mod words;

pub use self::account::{Account, AccountName, ApiId, ApiKey, Credential, KeyHash, Plan, Scope};
pub use self::calendar::{LocalTime, OffsetPeriod, Zone};
pub use self::clock::{Clock, ClockWatch, Moment};
pub use self::date::{LocalDate, Weekday};
pub use self::decimal::Decimal;
pub use self::energy::MicroWh;
pub use self::interval::{Calendar, Interval, SoFar};
pub use self::meter::{Meter, MeterKind, PowerLimit, Rollover, Sign};
pub use self::name::NameError;
pub use self::password::{Password, PasswordError, PasswordHash};
pub use self::price::{Currency, Price};
pub use self::reading::{Measures, Reading, Register, Upload, UploadedReading};
pub use self::role::Role;
pub use self::sensor::{Arrivals, Sensor, SensorId, SilentAfter};
pub use self::session::{Session, SessionId, SessionToken};
pub use self::time::{TimeError, TimeRange, Timestamp};
pub use self::unit::{EnergyUnit, PowerUnit};
