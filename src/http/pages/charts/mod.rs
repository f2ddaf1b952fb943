//! Charts on pages: what is looked at, and the ways to other views.

pub(crate) mod account_scope;
pub(crate) mod chart;
pub(crate) mod picture;
pub(crate) mod span;
pub(crate) mod view;
