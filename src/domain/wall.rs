//! Wall tablets.

use super::account::AccountName;
use super::name::name;
use super::session::{SessionId, WRITTEN_EVERY};
use super::time::Timestamp;

name! {
    /// The name of a wall tablet: 1 to 64 bytes of UTF-8 without control characters.
    WallName, 64
}

/// A tablet on a wall, which shows one account to everybody in front of it. Its link contains the
/// token of its session, which lasts until it is revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallTablet {
    /// Its name, which identifies it.
    pub name: WallName,
    /// The account that it shows.
    pub account: AccountName,
    /// The hash of the token in its link.
    pub session: SessionId,
    /// The time when its link was made.
    pub created: Timestamp,
    /// The time of its last use, to within a day; `None` if never.
    pub last_used: Option<Timestamp>,
}

impl WallTablet {
    /// The maximum number of tablets.
    pub const MOST: usize = 16;

    /// The tablet to write after a use; `None` if the written use is recent enough.
    #[must_use]
    pub fn used(&self, now: Timestamp) -> Option<Self> {
        let due = |last: Timestamp| last.saturating_add(WRITTEN_EVERY) <= now;
        self.last_used.is_none_or(due).then(|| Self {
            last_used: Some(now),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_of_a_tablet_is_written_once_a_day() {
        const HOUR_MS: i64 = 3_600_000;
        let at = |hours: i64| Timestamp::from_millis(hours * HOUR_MS).unwrap();
        let tablet = WallTablet {
            name: WallName::new("hall").unwrap(),
            account: AccountName::new("home").unwrap(),
            session: SessionId([1; 32]),
            created: at(0),
            last_used: None,
        };
        let used = tablet.used(at(1)).unwrap();
        assert_eq!(used.last_used, Some(at(1)));
        assert_eq!(used.used(at(24)), None);
        assert_eq!(used.used(at(25)).unwrap().last_used, Some(at(25)));
    }
}
