//! Notices to people, and their ends: functions from numbers to notices (docs/HOUSE.md). The
//! earlier state is a parameter, so that a value at its limit does not open and close a notice all
//! the time.
//!
//! - `kind`: a notice, its kind and its subject
//! - `known`: the state of an open notice
//! - `silence`: sensors that stopped uploading
//! - `meter`: notices about a sensor's meter
//! - `mistake`: mistakes in the set-up of sensors
//! - `usage`: notices about unusual consumption
//! - `service`: notices about the service itself
//! - `peak`: notices about a new peak ahead
//! - `upload`: notices about a sensor's uploads; `fault`: the kinds of their faults

mod fault;
mod kind;
mod known;
mod meter;
mod mistake;
mod peak;
mod service;
mod silence;
mod upload;
mod usage;

pub use self::fault::{ClockFault, MisnamedField};
pub use self::kind::{DayUse, Notice, NoticeKind, NoticeSubject, PeakAhead};
pub use self::known::{KnownNotice, NoticeChange, NoticeKey};
pub use self::meter::{
    DirectionWeek, MeterDay, implausible_power, inverted_sign, open_event, power_drift,
};
pub use self::mistake::{
    BothMeasures, HouseWeek, SensorHours, are_kilowatts, grid_swapped, may_be_kilowatts, mistake,
    parts_exceed_house, same_meters, wrong_unit,
};
pub use self::peak::peak_ahead;
pub use self::service::{
    backup_overdue, disk_nearly_full, price_conflict, price_source_late, prices_missing,
    store_damaged, wrong_clock,
};
pub use self::silence::{SilenceLimit, SilenceState, sensor_silent, usual_spacing_ms};
pub use self::upload::{sensor_clock, unknown_field};
pub use self::usage::{UsedDay, base_load, base_load_rose, unusual_day, usual_base_load};
