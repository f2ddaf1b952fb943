//! How requests and answers are written: bodies within their limits, parameters, points, numbers, streams, errors as statuses.

pub(crate) mod body;
pub(crate) mod error;
pub(crate) mod number;
pub(crate) mod params;
pub(crate) mod points;
pub(crate) mod stream;
