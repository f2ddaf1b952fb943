//! Messages of grid operators in Germany and Austria, as they send them to customers.
//!
//! - `mscons`: MSCONS messages, made of the segments of `edifact`; `message_kind`: other messages
//! - `ebutilities`: XML of ebUtilities
//! - `metered`: a series of either, by its OBIS code (`obis`)

mod ebutilities;
mod edifact;
mod message_kind;
mod metered;
mod mscons;
mod obis;

pub(super) use self::ebutilities::{begins_with_ebutilities, read_ebutilities};
pub(super) use self::edifact::begins_with_edifact;
pub(super) use self::mscons::read_mscons;
