//! Counts of failed sign-ins.

use std::sync::atomic::{AtomicU64, Ordering};

/// The target of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignInTarget {
    /// The API, by an api id and its key.
    Api,
    /// The pages, by the administrator's password.
    Pages,
    /// The metrics, by their token.
    Metrics,
}

impl SignInTarget {
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
pub(crate) struct FailedSignIns([AtomicU64; 3]);

impl FailedSignIns {
    /// Counts one more.
    pub(crate) fn count(&self, target: SignInTarget) {
        // Relaxed: each count is independent, and nothing else is published with it.
        self.at(target).fetch_add(1, Ordering::Relaxed);
    }

    /// The count since the start.
    pub(crate) fn so_far(&self, target: SignInTarget) -> u64 {
        self.at(target).load(Ordering::Relaxed)
    }

    const fn at(&self, target: SignInTarget) -> &AtomicU64 {
        let Self([api, pages, metrics]) = self;
        match target {
            SignInTarget::Api => api,
            SignInTarget::Pages => pages,
            SignInTarget::Metrics => metrics,
        }
    }
}
