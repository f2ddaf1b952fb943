//! Records, whatever keeps them: their kinds, the bytes of their keys and values, how they are read and changed.
//!
//! | file | content |
//! | --- | --- |
//! | `kind` | the kinds of records |
//! | `view` | reading records |
//! | `changes` | changes of records, before they are written |
//! | `record` | the bytes of a record |
//! | `keys` | the keys of readings and blocks, and times in keys |
//! | `pieces` | records that are longer than an entry may be |

pub(crate) mod changes;
pub(crate) mod keys;
pub(crate) mod kind;
pub(crate) mod pieces;
pub(crate) mod record;
pub(crate) mod view;

pub(crate) use self::changes::{KindChanges, RecordChanges};
pub(crate) use self::kind::RecordKind;
pub(crate) use self::view::{KeyedRecord, Order, RecordsView};
