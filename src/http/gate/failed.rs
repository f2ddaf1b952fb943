//! Counts of failed sign-ins.

use std::sync::atomic::{AtomicU64, Ordering};

/// The target of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// The API, by an api id and its key.
    Api,
    /// The pages, by the administrator's password.
    Pages,
    /// The metrics, by their token.
    Metrics,
}

impl Door {
    pub(crate) const ALL: [Self; 3] = [Self::Api, Self::Pages, Self::Metrics];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Pages => "pages",
            Self::Metrics => "metrics",
        }
    }
}

/// Sign-ins that failed since the start.
#[derive(Debug, Default)]
pub(crate) struct Failed([AtomicU64; 3]);

impl Failed {
    /// Counts one more.
    pub(crate) fn count(&self, door: Door) {
        // Relaxed: each count stands alone, and nothing else is published with it.
        self.at(door).fetch_add(1, Ordering::Relaxed);
    }

    /// The count since the start.
    pub(crate) fn so_far(&self, door: Door) -> u64 {
        self.at(door).load(Ordering::Relaxed)
    }

    const fn at(&self, door: Door) -> &AtomicU64 {
        let Self([api, pages, metrics]) = self;
        match door {
            Door::Api => api,
            Door::Pages => pages,
            Door::Metrics => metrics,
        }
    }
}
