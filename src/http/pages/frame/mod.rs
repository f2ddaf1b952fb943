//! What all pages share: sessions, guards, forms, addresses, numbers in words.

pub(crate) mod address;
pub(crate) mod admin_call;
pub(crate) mod assets;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod form;
pub(crate) mod guard;
pub(crate) mod headers;
pub(crate) mod layout;
pub(crate) mod problem;
pub(crate) mod session;
