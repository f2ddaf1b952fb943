//! The protocols that programs use to write and read readings. Pages for people and metrics are
//! elsewhere.
//!
//! - `elec`: the "elec" API v0.2
//! - `influx`: the parts of InfluxDB's API that writers need
//! - `emoncms`: the parts of Emoncms' API that uploaders need
//! - `chart`: charts as pictures

pub(crate) mod chart;
pub(crate) mod elec;
pub(crate) mod emoncms;
pub(crate) mod influx;
