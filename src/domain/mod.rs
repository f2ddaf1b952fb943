//! The terms of the field as values that cannot be invalid. Nothing here reads a clock or knows the
//! store or the web, and only the rules of time zones are read from files.
//!
//! - `account`: accounts, their credentials and scopes
//! - `password`, `session`: passwords, and sessions of browsers
//! - `person`, `wall`: people, their rights, and wall tablets
//! - `home_user`: users of Home Assistant
//! - `sensor`, `role`: sensors, their roles, and when one is active
//! - `reading`: readings; `charge`: the state of charge of a battery
//! - `time`: points in time and ranges; `clock`: detection of a temporarily wrong clock
//! - `calendar`: time zones; `zone_data`: the source of their rules; `interval`: buckets of hours,
//!   days, months; `date`: dates without a zone; `against`: what a range is compared with
//! - `unit`, `currency`: units of power and energy, and of money
//! - `decimal`: exact decimals
//! - `energy`: exact amounts of energy; `meter`: the settings of a meter
//! - `secret`: texts that are never shown; `service_setting`: settings of the service that the
//!   store keeps; `sent_reports`: which reports went out
//! - `entry_kind`: the kinds of entries that people make by name; `grid_answer`: whether a further
//!   sensor at the grid is counted besides
//! - `host`: addresses of other machines
//! - `home_assistant`: the Home Assistant of an account
//! - `name`, `words`, `number`: names, enums of words, and arithmetic that these share; `object`:
//!   values that must be JSON objects

pub mod account;
pub mod against;
pub mod calendar;
pub mod charge;
pub mod clock;
pub mod currency;
pub mod date;
pub mod decimal;
pub mod energy;
pub mod entry_kind;
pub mod grid_answer;
pub mod home_assistant;
pub mod home_user;
pub mod host;
pub mod interval;
pub mod meter;
pub mod name;
pub(crate) mod number;
pub mod object;
pub mod password;
pub mod person;
pub mod reading;
pub mod role;
pub mod secret;
pub mod sensor;
pub mod sent_reports;
pub mod service_setting;
pub mod session;
pub mod time;
pub mod unit;
pub mod wall;
pub mod words;
pub mod zone_data;

pub use self::account::{
    Account, AccountName, ApiId, ApiKey, Credential, KeyHash, Phases, Plan, Scope,
};
pub use self::against::{Against, YearStep, year_earlier};
pub use self::calendar::{LocalTime, OffsetPeriod, Zone};
pub use self::charge::StateOfCharge;
pub use self::clock::{Clock, ClockWatch, Moment};
pub use self::currency::Currency;
pub use self::date::{LocalDate, Weekday};
pub use self::decimal::Decimal;
pub use self::energy::MicroWh;
pub use self::entry_kind::EntryKind;
pub use self::grid_answer::GridAnswer;
pub(crate) use self::home_assistant::HomeAssistantTokens;
pub use self::home_assistant::{
    EntityId, FedPower, FedSensor, HomeAssistantAddress, HomeAssistantEntry,
    NotHomeAssistantAddress, PowerPart,
};
pub use self::home_user::{HomeUser, HomeUserId, HomeUserName};
pub use self::host::{host_and_port, is_public, percent_decoded};
pub use self::interval::{Calendar, Interval, SoFar, WeekStart};
pub use self::meter::{Between, Meter, MeterKind, PowerLimit, Rollover, Sign};
pub use self::name::NameError;
pub use self::object::{FromObject, field_at};
pub use self::password::{Password, PasswordError, PasswordHash};
pub use self::person::{Membership, Person, PersonName, Rights};
pub use self::reading::{Measures, Reading, Register, Upload, UploadedReading};
pub use self::role::Role;
pub use self::secret::Secret;
pub use self::sensor::{Arrivals, Sensor, SensorId, SentParts, SilentAfter};
pub use self::sent_reports::{ReportKind, SentReports};
pub use self::service_setting::{ServiceSetting, ServiceSettings, SettingValue};
pub use self::session::{LinkedUser, SavedForm, Session, SessionId, SessionOwner, SessionToken};
pub use self::time::{TimeError, TimeRange, Timestamp};
pub use self::unit::{EnergyUnit, PowerUnit};
pub use self::wall::{WallName, WallTablet};
pub use self::zone_data::ZoneData;
