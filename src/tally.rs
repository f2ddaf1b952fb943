//! Counts of requests to devices and other sources since the start, for the metrics and the pages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::locks::lock;

/// All that is asked, with counts. `S` are the settings of each, `L` its last outcomes.
#[derive(Debug)]
pub struct Tallies<S, L>(Mutex<Vec<Arc<Tally<S, L>>>>);

/// Counts and the last outcomes of one of them.
#[derive(Debug)]
pub struct Tally<S, L> {
    settings: S,
    answers: AtomicU64,
    failures: AtomicU64,
    last: Mutex<L>,
}

impl<S, L> Default for Tallies<S, L> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<S: Clone + PartialEq, L: Default> Tallies<S, L> {
    /// The counts of these, in their order: those with settings that were known before go on.
    pub fn follow(&self, all: &[S]) -> Vec<Arc<Tally<S, L>>> {
        let mut known = lock(&self.0);
        let followed = all.iter().map(|settings| {
            let same = known.iter().find(|it| it.settings == *settings);
            same.map_or_else(|| Arc::new(Tally::new(settings.clone())), Arc::clone)
        });
        let followed: Vec<_> = followed.collect();
        known.clone_from(&followed);
        followed
    }

    /// The counts of all.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<Tally<S, L>>> {
        lock(&self.0).clone()
    }
}

impl<S, L> Tally<S, L> {
    fn new(settings: S) -> Self
    where
        L: Default,
    {
        Self {
            settings,
            answers: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            last: Mutex::default(),
        }
    }

    /// Its settings.
    #[must_use]
    pub const fn settings(&self) -> &S {
        &self.settings
    }

    /// The number of requests with a usable answer.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// The number of requests without one.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Reads or changes the last outcomes.
    pub(crate) fn with_last<R>(&self, of: impl FnOnce(&mut L) -> R) -> R {
        of(&mut lock(&self.last))
    }

    /// Counts a request.
    pub(crate) fn count(&self, is_answered: bool) {
        let count = if is_answered {
            &self.answers
        } else {
            &self.failures
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
