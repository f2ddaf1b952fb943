//! Black-box tests of the service over HTTP: docs/API.md line by line, with requests written out byte by byte where it
//! matters. Each test has a service of its own, in this process, on a clock that only the test moves.

// Marked as test code for clippy, which takes only what is marked for such.
#[cfg(test)]
mod support;

#[cfg(test)]
mod access_log;
#[cfg(test)]
mod assigned_times;
#[cfg(test)]
mod batches;
#[cfg(test)]
mod buckets;
#[cfg(test)]
mod chart;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod cors;
#[cfg(test)]
mod credentials;
#[cfg(test)]
mod downloads;
#[cfg(test)]
mod emoncms;
#[cfg(test)]
mod energy;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod fields;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod grafana;
#[cfg(test)]
mod health;
#[cfg(test)]
mod influx;
#[cfg(test)]
mod influx_clients;
#[cfg(test)]
mod latest_rate;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod packed;
#[cfg(test)]
mod real_clients;
#[cfg(test)]
mod sensors;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod throttles;
#[cfg(test)]
mod uploads;
