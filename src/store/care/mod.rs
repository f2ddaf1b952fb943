//! What keeps a store well: check, back up, restore, salvage, and how much of the disk it takes.

pub(crate) mod backup;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod counts;
pub(crate) mod salvage;
pub(crate) mod size;
