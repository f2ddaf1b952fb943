//! What contains or works around sled: opening with care, keys, records, syncs, panics. It knows no reading and no block.

pub(crate) mod failure;
pub(crate) mod format;
pub(crate) mod keys;
pub(crate) mod locks;
pub(crate) mod mark;
pub(crate) mod open;
pub(crate) mod panics;
pub(crate) mod record;
pub(crate) mod sync;
pub(crate) mod watch;
pub(crate) mod write_batch;
