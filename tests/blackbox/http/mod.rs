//! The service over HTTP: docs/API.md line by line, with requests written out byte by byte where it matters. Each test has a
//! service of its own, in this process, on a clock that only the test moves.

mod access_log;
mod assigned_times;
mod batches;
mod buckets;
mod chart;
mod clock;
mod connections;
mod corrections;
mod cors;
mod credentials;
mod downloads;
mod emoncms;
mod energy;
mod errors;
mod examples;
mod fields;
mod formats;
mod grafana;
mod health;
mod hosts;
mod influx;
mod influx_clients;
mod latest_rate;
mod limits;
mod metrics;
mod openapi;
mod packed;
mod real_clients;
mod sensors;
mod sites;
mod streams;
mod throttles;
mod uploads;
