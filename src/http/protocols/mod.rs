//! The protocols by which programs write and read readings: "elec" v0.2, InfluxDB, Emoncms, and charts as pictures.

pub(crate) mod chart;
pub(crate) mod elec;
pub(crate) mod emoncms;
pub(crate) mod influx;
