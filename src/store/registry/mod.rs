//! Accounts, credentials, sensors, the administrator and the sessions: in memory, as records of the database, and how they
//! change. Readings, and what is known of uploads, are elsewhere.
//!
//! | file | content |
//! | --- | --- |
//! | `registered` | `Registry`: all of it as of one moment |
//! | `records` | the records, and the trees that hold them |
//! | `edit` | changes, with their preconditions |
//! | `last_used` | when each credential was used last |

pub(crate) mod edit;
pub(crate) mod last_used;
pub(crate) mod records;
pub(crate) mod registered;
