//! Reading: rows laid over blocks in order, in bounded memory.

pub(crate) mod digest;
pub(crate) mod scan;
