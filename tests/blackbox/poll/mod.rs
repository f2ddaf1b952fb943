//! docs/POLLING.md: the binary, its settings, and devices that the tests play themselves, on loopback.

mod answers;
pub(crate) mod device;
mod hostile;
pub(crate) mod house;
mod in_browser;
pub(crate) mod logins;
mod outages;
mod registers;
mod settings;
mod station;
