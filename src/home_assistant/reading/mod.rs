//! Reads the Home Assistants of accounts: their history, and then each new state.
//!
//! Nothing is stored about it besides the readings: a sensor's newest one says where to go on. So
//! history comes oldest first, a restart continues it, and after a lost connection what is missing is
//! asked for again, before new states are stored.
//!
//! - `base`: what the reader of one works with
//! - `progress`: what is read, and how far, for pages and commands
//! - `series`: the measures of sensors that are read, and where each goes on
//! - `registers`: rows of statistics become readings
//! - `history`: all of history, from statistics
//! - `states`: states of entities, from events and from answers
//! - `missed`: what came while nothing was connected; `live`: that, and each new state
//! - `feeds`: price series that are fed from entities; `steps`: states become prices
//! - `home`: the thread of one; `readers`: those of all

mod base;
mod feeds;
mod history;
mod home;
mod live;
mod missed;
mod progress;
mod readers;
mod registers;
mod series;
mod states;
mod steps;

pub use self::progress::{HomeProgress, ReadHomes, ReadStage};
pub use self::readers::HomeAssistantReaders;

#[cfg(test)]
pub(super) use self::registers::registers_of;
#[cfg(any(test, fuzzing))]
pub(super) use self::states::fuzz as fuzz_states;
