//! The names of fields and parameters.

pub(crate) const SENSOR_ID: &str = "sensor_id";

pub(crate) const TIME: &str = "time";
pub(crate) const WATTS: &str = "watts";
pub(crate) const WATTHOURS: &str = "watthours";
pub(crate) const STATE_OF_CHARGE: &str = "state_of_charge";
pub(crate) const READINGS: &str = "readings";

pub(crate) const TYPE: &str = "type";
pub(crate) const START_TIME: &str = "start_time";
pub(crate) const END_TIME: &str = "end_time";
pub(crate) const INTERVAL: &str = "interval";
pub(crate) const TZ: &str = "tz";
pub(crate) const AGG: &str = "agg";
pub(crate) const FORMAT: &str = "format";
pub(crate) const CORRECTED: &str = "corrected";
pub(crate) const OPEN: &str = "open";
pub(crate) const NAME: &str = "name";
pub(crate) const YEAR_EARLIER: &str = "year_earlier";
pub(crate) const SOURCES: &str = "sources";
pub(crate) const COUNTRY: &str = "country";
pub(crate) const KIND: &str = "kind";
pub(crate) const OFFER: &str = "offer";
pub(crate) const WITHOUT: &str = "without";
