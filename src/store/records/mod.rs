//! Records, independent of the backend: their kinds, the bytes of their keys and values, reading
//! and changing them.
//!
//! | file | content |
//! | --- | --- |
//! | `kind` | the kinds of records |
//! | `view` | reading records |
//! | `changes` | changes of records, before they are written |
//! | `record` | the bytes of a record |
//! | `keys` | the keys of readings and blocks, and times in keys |
//! | `pieces` | records that exceed the maximum length of an entry |

pub(crate) mod changes;
pub(crate) mod keys;
pub(crate) mod kind;
pub(crate) mod pieces;
pub(crate) mod record;
pub(crate) mod view;

pub(crate) use self::changes::{KindChanges, RecordChanges};
pub(crate) use self::kind::RecordKind;
pub(crate) use self::view::{KeyedRecord, Order, RecordsView};
