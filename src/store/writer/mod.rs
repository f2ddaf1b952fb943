//! The committing thread: it takes the changes that are queued, makes them durable as a group, and answers each.

pub(crate) mod append;
pub(crate) mod commit;
pub(crate) mod delete;
pub(crate) mod hold;
pub(crate) mod journal;
pub(crate) mod landing;
pub(crate) mod queue;
pub(crate) mod registry;
