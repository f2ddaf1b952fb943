//! Limits by address: on failed sign-ins and, if configured, on requests.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Mutex;
use std::time::Duration;

use crate::domain::ApiId;
use crate::locks::lock;

/// A rate limit per minute, by address and, for some callers, by `api_id`.
///
/// Requests are counted in 65,536 buckets chosen by a secret hash, so memory is bounded for any
/// number of addresses, and nobody can aim at another client's bucket.
pub(crate) struct Limit {
    /// The time that one request costs; `None` for no limit.
    interval: Option<Duration>,
    /// How far ahead of the clock a bucket may be paid for: a full minute's requests may come at
    /// once.
    burst: Duration,
    hash: RandomState,
    /// For each bucket, the elapsed time that its requests have used up (generic cell rate
    /// algorithm).
    paid_until: Mutex<HashMap<u16, Duration>>,
}

impl Limit {
    /// At most `count` per minute; 0 means no limit.
    pub(crate) fn per_minute(count: u32) -> Self {
        let interval = Duration::from_mins(1).checked_div(count);
        Self {
            interval,
            // One interval less, since the request itself costs one. A count of 0 has no interval,
            // so nothing underflows.
            burst: interval.map_or(Duration::ZERO, |it| it * (count - 1)),
            hash: RandomState::new(),
            paid_until: Mutex::default(),
        }
    }

    /// Counts one request from `address`, `elapsed` after the start of the service. If there were
    /// too many, the error is the time to wait.
    pub(crate) fn count(
        &self,
        elapsed: Duration,
        address: IpAddr,
        api_id: Option<&ApiId>,
    ) -> Result<(), Duration> {
        let Some(interval) = self.interval else {
            return Ok(());
        };
        let key = (network(address), api_id.map(ApiId::as_str));
        let [first, second, ..] = self.hash.hash_one(key).to_le_bytes();
        let bucket = u16::from_le_bytes([first, second]);
        let mut buckets = lock(&self.paid_until);
        // A new bucket is paid for up to now, so the whole burst is left.
        let paid_until = buckets.entry(bucket).or_insert(elapsed);
        // Time without requests does not add up: the burst stays the most that is possible at once.
        let start = elapsed.max(*paid_until);
        let wait = start.saturating_sub(elapsed + self.burst);
        // A refused request costs nothing, so a client that keeps trying does not prolong its own
        // wait.
        if !wait.is_zero() {
            return Err(wait);
        }
        *paid_until = start + interval;
        Ok(())
    }
}

/// Folds an IPv6 address into its /64 network, since a single host has 2^64 addresses.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn id(text: &str) -> ApiId {
        ApiId::new(text).unwrap()
    }

    /// How many requests pass at that second.
    fn allowed_at(second: u64, limit: &Limit, from: &str, api_id: &str) -> usize {
        let (now, api_id) = (Duration::from_secs(second), id(api_id));
        (0..100)
            .take_while(|_| limit.count(now, address(from), Some(&api_id)).is_ok())
            .count()
    }

    #[test]
    fn addresses_and_ids_are_counted_apart() {
        let limit = Limit::per_minute(5);
        let allowed = |from, api_id| allowed_at(7, &limit, from, api_id);
        assert_eq!(allowed("1.1.1.1", "a"), 5);
        assert_eq!(allowed("1.1.1.1", "b"), 5);
        assert_eq!(allowed("2.2.2.2", "a"), 5);
        assert_eq!(allowed("1.1.1.1", "a"), 0);
        let wait = limit.count(Duration::from_secs(7), address("1.1.1.1"), Some(&id("a")));
        assert_eq!(wait, Err(Duration::from_secs(12)));
    }

    #[test]
    fn requests_pass_again_as_time_does() {
        let limit = Limit::per_minute(5);
        let allowed = |second| allowed_at(second, &limit, "1.1.1.1", "a");
        assert_eq!(allowed(0), 5);
        assert_eq!(allowed(11), 0);
        assert_eq!(allowed(12), 1);
        assert_eq!(allowed(36), 2);
        // However long nothing came.
        assert_eq!(allowed(3_600), 5);
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let limit = Limit::per_minute(5);
        let allowed = |from| allowed_at(7, &limit, from, "a");
        assert_eq!(allowed("2001:db8::1"), 5);
        assert_eq!(allowed("2001:db8::2"), 0);
        assert_eq!(allowed("2001:db8:0:1::1"), 5);
    }

    #[test]
    fn zero_is_no_limit() {
        let limit = Limit::per_minute(0);
        assert_eq!(allowed_at(0, &limit, "1.1.1.1", "a"), 100);
    }
}
