//! What energy costs, as pages: statements, contracts and price series. Amounts and prices come from the rooms below; nothing here
//! computes one.
//!
//! - `statement`: what a range cost; `sheet`: it as a file
//! - `contracts`: the contracts of an account; `summary`: a contract in words
//! - `form`: what is typed about a contract; `meaning`: the contract that it means; `contract`: the page to add, change and remove one
//! - `prices`: the price series of an account, and uploads; `series`: one of them

pub(crate) mod contract;
pub(crate) mod contracts;
mod form;
mod meaning;
pub(crate) mod prices;
pub(crate) mod series;
mod sheet;
pub(crate) mod statement;
mod summary;
