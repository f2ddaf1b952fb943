//! The names on the wire.

pub(in crate::http) const SENSOR_ID: &str = "sensor_id";
pub(in crate::http) const API_ID: &str = "api_id";
pub(in crate::http) const API_KEY: &str = "api_key";

pub(super) const TIME: &str = "time";
pub(super) const WATTS: &str = "watts";
pub(super) const WATTHOURS: &str = "watthours";
pub(super) const READINGS: &str = "readings";

pub(super) const TYPE: &str = "type";
pub(in crate::http) const START_TIME: &str = "start_time";
pub(in crate::http) const END_TIME: &str = "end_time";
pub(super) const INTERVAL: &str = "interval";
pub(super) const TZ: &str = "tz";
pub(super) const AGG: &str = "agg";
pub(super) const FORMAT: &str = "format";
