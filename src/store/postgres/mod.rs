//! The second storage backend: PostgreSQL, for more than one machine.
//!
//! | file | content |
//! | --- | --- |
//! | `url`, `settings` | the address of PostgreSQL, and settings of its use |
//! | `refusal`, `error` | reasons to refuse a server, and other errors |
//! | `tls`, `guard` | encrypted connections, and limits for a false server |
//! | `checks`, `standbys` | checks that a server is durable enough |
//! | `connect`, `pool` | connections, and their use by callers |
//! | `migrate` | its tables: `migrations/` |
//! | `runtime` | the thread of the connections |
//! | `database` | `Postgres`: the connected database |
//! | `readings` | the readings of sensors in its tables |
//! | `records` | records in its tables |
//! | `sensors` | the numbers of sensors, and their removal with their readings |
//! | `copy` | the registry, in memory |
//! | `leader` | the front-end that does the jobs of only one |
//! | `front_end` | the state of a front-end in memory |
//! | `watch` | keeps the copy up to date |
//! | `registry` | changes of records |
//! | `backend` | `PostgresBackend`: all of it, as a storage backend |
//! | `test_server`, `test_backend` | PostgreSQL for tests, and their stores there |

mod backend;
mod checks;
mod connect;
mod copy;
mod database;
mod error;
mod front_end;
mod guard;
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
mod test_backend;
#[cfg(test)]
#[allow(dead_code, reason = "each test binary uses what it needs")]
pub(in crate::store) mod test_server;
mod tls;
mod url;
mod watch;

pub(crate) use self::backend::PostgresBackend;
pub(crate) use self::migrate::PostgresPurpose;
pub use self::refusal::PostgresRefusal;
pub use self::settings::PostgresSettings;
pub use self::url::{PostgresUrl, PostgresUrlError};

#[cfg(test)]
mod tests;
