//! The texts of pages, by language. Each language is one file of `web/texts`, in the format of
//! Project Fluent (<https://projectfluent.org>): to add a language is to add its file; no code
//! lists them.
//!
//! - `language`: a language, its texts, and which one suits a browser
//! - `numbers`: numbers as a language writes them
//! - `order`: the order of names
//! - `region`: how dates, weeks and numbers are written in a region
//! - `tariffs`: the texts of tariffs, which are data in English

mod language;
mod numbers;
mod order;
mod region;
mod tariffs;

pub use self::language::{Language, TextValue};
pub use self::order::sort_key;
pub use self::region::{DateStyle, Region};
