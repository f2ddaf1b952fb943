//! Encoding of requests and responses. This room knows no store, no settings of a protocol and no
//! client.
//!
//! - `body`: request bodies within limits; `budget`: of memory; `inflate`: of work
//! - `params`: query strings; `form`: forms
//! - `points`, `number`: results as JSON, NDJSON and CSV
//! - `stream`: results as streamed responses; `list`: lists; `held`: whole answers
//! - `error`: errors as statuses; `problem`: as problem details
//! - `turns`: limits on long work that runs at once
//! - `text`: received text in messages and the log

pub(crate) mod body;
mod budget;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod held;
mod inflate;
pub(crate) mod list;
pub(crate) mod number;
pub(crate) mod params;
pub(crate) mod points;
pub(crate) mod problem;
pub(crate) mod stream;
pub(crate) mod text;
mod turns;

pub(crate) use self::body::{Body, BodyLimits, BodySender, BodySize};
pub(crate) use self::budget::Reservation;
pub(crate) use self::error::{ApiError, LoggedHourly};
pub(crate) use self::inflate::Packing;
pub(crate) use self::points::{Format, PointWriter};
pub(crate) use self::problem::ErrorCode;
pub(crate) use self::stream::{Download, Downloads};
pub(crate) use self::turns::Turns;
