//! The parts of InfluxDB's HTTP API that its writers need: `/write` and `/api/v2/write`, their
//! requests about the server, and their queries for where to resume. docs/INFLUX.md describes it.
//!
//! - `call`: parts shared by all handlers: settings, sign-in, response headers
//! - `about`: requests that clients make before they write: `/ping`, `/health`, `/ready`, buckets
//! - `write`: the two addresses for lines
//! - `query`: the two addresses for queries; `influxql` and `flux` parse them with `lexer`, `last`
//!   finds the newest values
//! - `error`: errors in InfluxDB's two formats

mod about;
mod call;
mod error;
mod flux;
mod influxql;
mod last;
mod lexer;
mod query;
mod write;

use actix_web::http::Method;
use actix_web::web;

use self::about::{buckets, health, ping, ready};
pub(crate) use self::call::Influx;
use self::query::{query_v1, query_v2};
use self::write::{write_v1, write_v2};
use crate::http::gate::resource::{either, for_programs, on, only, taking};
use crate::http::wire::BodySize;
use crate::http::wire::body::SMALL;

/// The routes. They have no base path, because InfluxDB's clients have no setting for one.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let ping = only("GET, HEAD", "/ping").route(on(Method::GET).to(ping));
    let query = taking("GET, POST", "/query", BodySize::AtMost(SMALL));
    let query = query.route(either(Method::GET, Method::POST).to(query_v1));
    let lines_v1 = taking("POST", "/write", BodySize::Readings).route(web::post().to(write_v1));
    let lines_v2 =
        taking("POST", "/api/v2/write", BodySize::Readings).route(web::post().to(write_v2));
    let query_flux = taking("POST", "/api/v2/query", BodySize::AtMost(SMALL));
    let query_flux = query_flux.route(web::post().to(query_v2));
    let health = only("GET", "/health").route(web::get().to(health));
    let ready = only("GET", "/ready").route(web::get().to(ready));
    let buckets = only("GET", "/api/v2/buckets").route(web::get().to(buckets));
    cfg.service(for_programs(ping))
        .service(for_programs(health))
        .service(for_programs(ready))
        .service(for_programs(buckets))
        .service(for_programs(query))
        .service(for_programs(lines_v1))
        .service(for_programs(lines_v2))
        .service(for_programs(query_flux));
}

/// Parses a query of InfluxQL or Flux, for fuzzing.
#[cfg(any(test, fuzzing))]
pub fn fuzz_query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Only a panic matters here.
    drop(influxql::statements(&text));
    drop(flux::last_of(&text));
}
