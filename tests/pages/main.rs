//! Black-box tests of the pages over HTTP, as a browser without scripts meets them. Each test has a service of its own, in
//! this process, on a clock that only the test moves.

// Marked as test code for clippy, which takes only what is marked for such.
#![cfg(test)]

mod browser;
#[allow(
    dead_code,
    unused_imports,
    reason = "the support of tests/http has more than pages need"
)]
#[path = "../http/support/mod.rs"]
mod support;

mod accounts;
mod assets;
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
