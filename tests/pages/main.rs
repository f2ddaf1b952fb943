//! Black-box tests of the pages over HTTP, as a browser without scripts meets them. Each test has a service of its own, in
//! this process, on a clock that only the test moves.

// Marked as test code for clippy, which takes only what is marked for such.
#[cfg(test)]
mod browser;
#[cfg(test)]
#[allow(
    dead_code,
    unused_imports,
    reason = "the support of tests/http has more than pages need"
)]
#[path = "../http/support/mod.rs"]
mod support;

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod assets;
#[cfg(test)]
mod charts;
#[cfg(test)]
mod dashboard;
#[cfg(test)]
mod description;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod headers;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod live;
#[cfg(test)]
mod password;
#[cfg(test)]
mod sensors;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod sign_in;
#[cfg(test)]
mod status;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod weight;
