//! docs/PRICE-SOURCES.md: the binary, its settings, and sources that the tests play themselves, on loopback.

mod accounts;
mod by_name;
mod documented;
mod fetched;
mod fleet;
mod hostile;
mod in_browser;
pub(crate) mod market;
mod notices;
mod settings;
mod tariff;
