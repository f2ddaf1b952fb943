//! Accounts, credentials, sensors, the administrator and the sessions: in memory, as records of the database, and how they
//! change. Readings, and what is known of uploads, are elsewhere.
//!
//! | file | content |
//! | --- | --- |
//! | `registered` | `Registry`: all of it as of one moment |
//! | `records` | the records, and the trees that hold them |
//! | `correction_records` | the records of corrections |
//! | `correction_edit` | changes of corrections |
//! | `edit` | changes, with their preconditions |
//! | `last_used` | when each credential was used last |

mod correction_edit;
pub(crate) mod correction_records;
pub(crate) mod edit;
pub(crate) mod last_used;
pub(crate) mod records;
pub(crate) mod registered;

pub(crate) use self::edit::RegistryEdit;
pub(crate) use self::last_used::LastUses;
pub(crate) use self::records::RegistryTrees;
pub(crate) use self::registered::Registry;
