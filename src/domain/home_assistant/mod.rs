//! The Home Assistant of an account, as people describe it.
//!
//! - `address`: where it is
//! - `entry`: what people enter about it, with the sensors that it feeds
//! - `tokens`: the tokens that the store keeps, apart from the entries

mod address;
mod entry;
mod tokens;

pub use self::address::{HomeAssistantAddress, NotHomeAssistantAddress};
pub use self::entry::{EntityId, FedPower, FedSensor, HomeAssistantEntry, PowerPart};
pub(crate) use self::tokens::HomeAssistantTokens;
