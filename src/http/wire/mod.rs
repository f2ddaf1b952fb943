//! How requests and responses are encoded. This room knows no store, no settings of a protocol and no client.
//!
//! - `body`: request bodies within limits; `budget`: of memory; `gunzip`: of work
//! - `params`: query strings and forms
//! - `points`, `number`: results as JSON, NDJSON and CSV
//! - `stream`: results as streamed responses
//! - `error`: errors as statuses and problem details
//! - `text`: received text for messages and the log

pub(crate) mod body;
mod budget;
pub(crate) mod error;
mod gunzip;
pub(crate) mod number;
pub(crate) mod params;
pub(crate) mod points;
pub(crate) mod stream;
pub(crate) mod text;

pub(crate) use self::body::{Body, BodyLimits, BodySender};
pub(crate) use self::error::{ApiError, ErrorCode};
pub(crate) use self::points::{Format, PointWriter};
pub(crate) use self::stream::Downloads;
