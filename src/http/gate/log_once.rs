//! What was logged once already.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// What was logged, so that a client that sends the same each second does not fill the log.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<HashSet<String>>);

impl Told {
    /// The most that is kept in mind; beyond it nothing is new.
    const MOST: usize = 256;

    /// Whether this is told for the first time.
    pub(crate) fn is_new(&self, what: &str) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < Self::MOST && !told.contains(what) && told.insert(what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_once_and_so_many_at_most() {
        let told = Told::default();
        assert!(told.is_new("a") && !told.is_new("a") && told.is_new("b"));
        let new = (0..1_000).filter(|n| told.is_new(&n.to_string())).count();
        assert_eq!(new, Told::MOST - 2);
    }
}
