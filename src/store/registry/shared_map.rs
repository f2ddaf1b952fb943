//! An ordered map that is cheap to copy: copies share its parts until they change. Each change of the registry makes a copy, and a
//! store of many houses has a hundred thousand sensors.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The most entries of a part, which a change copies.
const MOST: usize = 256;

/// An ordered map in parts, each by a key that is not above its first one. None is empty.
#[derive(Clone)]
pub(crate) struct SharedMap<K, V>(BTreeMap<K, Arc<BTreeMap<K, V>>>);

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let (_, part) = self.0.range(..=key).next_back()?;
        part.get(key)
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Puts a value in the place of the one with its key, if there is one.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.0.range(..=&key).next_back().is_none() {
            // Below all others: the first part begins with it from now on.
            let first = self.0.pop_first().map(|(_, part)| part);
            self.0.insert(key.clone(), first.unwrap_or_default());
        }
        let Some((_, part)) = self.0.range_mut(..=&key).next_back() else {
            return;
        };
        let part = Arc::make_mut(part);
        part.insert(key, value);
        let middle = part.keys().nth(MOST / 2).cloned();
        if let Some(middle) = middle.filter(|_| part.len() > MOST) {
            let behind = part.split_off(&middle);
            self.0.insert(middle, Arc::new(behind));
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let (first, part) = self.0.range_mut(..=key).next_back()?;
        if !part.contains_key(key) {
            return None;
        }
        let first = first.clone();
        let part = Arc::make_mut(part);
        let removed = part.remove(key);
        if part.is_empty() {
            self.0.remove(&first);
        }
        removed
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(|part| part.len()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.values().flat_map(|part| part.iter())
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
        Self(BTreeMap::new())
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
                prop_assert!(map.0.values().all(|part| (1..=MOST).contains(&part.len())));
            }
        }
    }
}
