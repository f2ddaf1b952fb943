//! The registry: accounts, credentials, sensors and their additions, the administrator, people,
//! wall tablets, sessions and settings; in memory, as records, and changes of them. Readings and
//! activities are elsewhere.
//!
//! | file | content |
//! | --- | --- |
//! | `registered` | `Registry`: all of it as of one moment |
//! | `records` | the records, and loading all of them |
//! | `account_records` | the records of accounts |
//! | `correction_records` | the records of corrections |
//! | `correction_edit` | changes of corrections |
//! | `contract_records`, `contract_edit` | the records of contracts, and their changes |
//! | `entry`, `entry_edit`, `named_entries` | bills, formats of files, offers, purchases, tenancies, Home Assistants: their records, their changes, and those of a kind |
//! | `home_assistant_edit` | changes of Home Assistants, with their tokens |
//! | `bill_records`, `purchase_records` | what the records of bills and of purchases contain |
//! | `series_records`, `series_edit` | the records of price series, and their changes |
//! | `day_records`, `day_edit` | the records of day lists, and their changes |
//! | `notice_records` | the records of notices |
//! | `notice_edit` | changes of notices |
//! | `people_records`, `people_edit` | the records of people and wall tablets, and their changes |
//! | `setting_records`, `setting_edit` | the records of settings of the service, and their changes |
//! | `report_edit` | which reports went out |
//! | `linked_user_records`, `linked_user_edit` | the records of users of Home Assistant who are signed in by their visits, and their changes |
//! | `session_records`, `session_edit` | the records of sessions; changes of the administrator's password and of sessions |
//! | `shared_map` | a map that is cheap to copy |
//! | `edit` | changes, with their preconditions |
//! | `last_used` | the last use of each credential |
//! | `fuzz` | a fuzz target of records |

pub(crate) mod account_records;
pub(crate) mod bill_records;
mod contract_edit;
pub(crate) mod contract_records;
mod correction_edit;
pub(crate) mod correction_records;
mod day_edit;
pub(crate) mod day_records;
pub(crate) mod edit;
pub(crate) mod entry;
mod entry_edit;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod home_assistant_edit;
pub(crate) mod last_used;
mod linked_user_edit;
mod linked_user_records;
mod named_entries;
mod notice_edit;
pub(crate) mod notice_records;
mod people_edit;
pub(crate) mod people_records;
pub(crate) mod purchase_records;
pub(crate) mod records;
pub(crate) mod registered;
mod report_edit;
mod series_edit;
pub(crate) mod series_records;
mod session_edit;
mod session_records;
pub(crate) mod setting_edit;
pub(crate) mod setting_records;
mod shared_map;

pub(crate) use self::edit::RegistryEdit;
pub(crate) use self::entry::{AccountEntry, EntryName};
pub use self::entry::{LONGEST_FORMAT, check_format_length};
pub(crate) use self::last_used::LastUses;
pub(crate) use self::registered::Registry;
