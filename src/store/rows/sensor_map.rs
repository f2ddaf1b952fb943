//! Maps by sensor.

use std::collections::HashMap;

use crate::domain::SensorId;

/// A map by sensor. Each upload looks its sensor up a dozen times, so the hash is a fast one. It is no match for somebody who
/// chooses keys that collide: only registered sensors are keys.
pub(crate) type SensorMap<V> = HashMap<SensorId, V, foldhash::fast::RandomState>;
