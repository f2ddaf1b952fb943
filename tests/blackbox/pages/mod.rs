//! The pages over HTTP, as a browser without scripts sees them. Each test has a service of its own, in this process, on a
//! clock that only the test moves.

mod accounts;
mod assets;
pub(crate) mod browser;
mod charts;
mod dashboard;
mod description;
mod forms;
mod headers;
mod hostile;
mod keys;
mod live;
mod password;
mod sensors;
mod sessions;
mod setup;
mod sign_in;
mod status;
mod steps;
mod weight;
