//! Maps by sensor.

use std::collections::HashMap;

use crate::domain::SensorId;

/// A map by sensor. Each upload looks up its sensor a dozen times, so the hash is a fast one. It
/// does not resist chosen keys that collide, but only registered sensors are keys.
pub(crate) type SensorMap<V> = HashMap<SensorId, V, foldhash::fast::RandomState>;
