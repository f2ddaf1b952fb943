//! The second home of readings: an engine that speaks the protocol of PostgreSQL, for more than one machine.
//!
//! | file | content |
//! | --- | --- |
//! | `url`, `settings` | which engine, and how it is used |
//! | `refusal`, `error` | what it may not be, and what can go wrong |
//! | `tls` | encrypted connections |
//! | `checks` | whether it keeps what it is given |
//! | `connect`, `pool` | connections, and who uses them |
//! | `migrate` | its tables: `migrations/` |
//! | `runtime` | the thread that connections live on |
//! | `engine` | an engine in use |
//! | `test_server` | PostgreSQL for tests |

mod checks;
mod connect;
mod engine;
mod error;
mod migrate;
mod pool;
mod refusal;
mod runtime;
mod settings;
#[cfg(test)]
mod test_server;
mod tls;
mod url;

pub use self::engine::Engine;
pub use self::refusal::EngineRefusal;
pub use self::settings::EngineSettings;
pub use self::url::{EngineUrl, EngineUrlError};

#[cfg(test)]
mod tests;
