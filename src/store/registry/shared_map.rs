//! An ordered map that is cheap to copy: copies share its parts until they change. Each change of
//! the registry makes a copy, and a store of many houses has a hundred thousand sensors.

use std::fmt;
use std::sync::Arc;

/// The maximum number of entries in a part, which a change copies.
const MOST: usize = 256;

/// An ordered map in parts, in order, each with its first key. None is empty.
#[derive(Clone)]
pub(crate) struct SharedMap<K, V>(Vec<(K, Arc<SharedPart<K, V>>)>);

/// Keys in order, and the value of each. Each upload looks up its sensor: with sorted keys, that
/// takes about half as many comparisons as in a tree, whose nodes are searched one key after the
/// other.
#[derive(Clone)]
struct SharedPart<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    /// The place of the part that would contain `key`; `None` if it is below all parts.
    fn place(&self, key: &K) -> Option<usize> {
        let behind = self.0.partition_point(|(first, _)| first <= key);
        behind.checked_sub(1)
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let (_, part) = self.0.get(self.place(key)?)?;
        part.values.get(part.keys.binary_search(key).ok()?)
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Puts a value, replacing the one with its key, if there is one.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        // A key below all others goes into the first part.
        let place = self.place(&key).unwrap_or(0);
        let Some((first, part)) = self.0.get_mut(place) else {
            let part = SharedPart {
                keys: vec![key.clone()],
                values: vec![value],
            };
            self.0.push((key, Arc::new(part)));
            return;
        };
        let part = Arc::make_mut(part);
        match part.keys.binary_search(&key) {
            Ok(at) => {
                if let Some(known) = part.values.get_mut(at) {
                    *known = value;
                }
            }
            Err(at) => {
                if at == 0 {
                    first.clone_from(&key);
                }
                part.keys.insert(at, key);
                part.values.insert(at, value);
            }
        }
        if part.keys.len() > MOST {
            let behind = SharedPart {
                keys: part.keys.split_off(MOST / 2),
                values: part.values.split_off(MOST / 2),
            };
            let first = behind.keys.first().cloned();
            self.0
                .splice(place + 1..=place, first.map(|it| (it, Arc::new(behind))));
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.place(key)?;
        let (first, part) = self.0.get_mut(place)?;
        let at = part.keys.binary_search(key).ok()?;
        let part = Arc::make_mut(part);
        part.keys.remove(at);
        let removed = part.values.remove(at);
        match part.keys.first() {
            Some(left) => first.clone_from(left),
            None => drop(self.0.remove(place)),
        }
        Some(removed)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|(_, part)| part.keys.len()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let parts = self.0.iter();
        parts.flat_map(|(_, part)| part.keys.iter().zip(&part.values))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for SharedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K: Ord + Clone + fmt::Debug, V: Clone + fmt::Debug> fmt::Debug for SharedMap<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shared_map_is_a_map_and_leaves_copies_alone(
            changes in vec((0_u16..2_000, any::<Option<u8>>()), 0..3_000),
            copied_at in 0_usize..3_000,
        ) {
            let (mut map, mut model) = (SharedMap::default(), BTreeMap::new());
            let mut copies = None;
            for (n, (key, value)) in changes.into_iter().enumerate() {
                if n == copied_at {
                    copies = Some((map.clone(), model.clone()));
                }
                if let Some(value) = value {
                    map.insert(key, value);
                    model.insert(key, value);
                } else {
                    prop_assert_eq!(map.remove(&key), model.remove(&key));
                }
                prop_assert_eq!(map.get(&key), model.get(&key));
            }
            for (map, model) in copies.into_iter().chain([(map, model)]) {
                prop_assert!(map.iter().eq(model.iter()));
                prop_assert_eq!(map.len(), model.len());
                for (first, part) in &map.0 {
                    prop_assert_eq!(Some(first), part.keys.first());
                    prop_assert!(part.keys.len() <= MOST);
                    prop_assert_eq!(part.keys.len(), part.values.len());
                }
            }
        }
    }
}
