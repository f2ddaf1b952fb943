//! The second home of readings: an engine that speaks the protocol of PostgreSQL, for more than one machine.
//!
//! | file | content |
//! | --- | --- |
//! | `url`, `settings` | which engine, and how it is used |
//! | `refusal`, `error` | what it may not be, and what can go wrong |
//! | `tls`, `guard` | encrypted connections, and limits for a false engine |
//! | `checks`, `standbys` | whether it keeps what it is given |
//! | `connect`, `pool` | connections, and who uses them |
//! | `migrate` | its tables: `migrations/` |
//! | `runtime` | the thread that connections live on |
//! | `engine` | an engine in use |
//! | `readings` | the readings of sensors there |
//! | `records` | records in its tables |
//! | `sensors` | the numbers of sensors, and how they go with their readings |
//! | `copy` | what is registered, in memory |
//! | `leader` | which front-end does what only one may do |
//! | `front_end` | what a front-end keeps in memory |
//! | `watch` | keeps the copy up to date |
//! | `registry` | changes of records |
//! | `home` | `EngineHome`: all of it, as the home of a store |
//! | `test_server`, `test_home` | PostgreSQL for tests, and their stores there |

mod checks;
mod connect;
mod copy;
mod engine;
mod error;
mod front_end;
mod guard;
mod home;
mod leader;
mod migrate;
mod pool;
mod readings;
mod records;
mod refusal;
mod registry;
mod runtime;
mod sensors;
mod settings;
mod standbys;
#[cfg(test)]
mod test_home;
#[cfg(test)]
#[allow(dead_code, reason = "each test binary uses what it needs")]
mod test_server;
mod tls;
mod url;
mod watch;

pub(crate) use self::home::EngineHome;
pub(crate) use self::migrate::EnginePurpose;
pub use self::refusal::EngineRefusal;
pub use self::settings::EngineSettings;
pub use self::url::{EngineUrl, EngineUrlError};

#[cfg(test)]
mod tests;
