//! What a home of the store must do: a home is where readings live, such as the database of a household. The algorithms of
//! `read` and `change` know nothing else of it. A call goes through a trait, a reading never does. The blocks of a sensor alone
//! are a [`BlockSource`](crate::store::blocks::BlockSource), in the room `blocks`, because sealing plans over them there.
//!
//! | file | content |
//! | --- | --- |
//! | `sensor` | the readings of one sensor, to be read or changed |
//! | `readings` | those of all sensors |
//! | `memory` | a home in memory, for tests |

#[cfg(test)]
pub(crate) mod memory;
pub(crate) mod readings;
pub(crate) mod sensor;

pub(crate) use self::readings::{ReadingsHome, ReadingsWriter, SensorJob};
pub(crate) use self::sensor::{ReadingsChange, ReadingsView, SensorTurn};
