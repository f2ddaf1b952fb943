//! Limits by address: on failed sign-ins and, where it is set, on requests.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::domain::account::ApiId;

/// A limit on how often something may happen in a minute, counted by address and by what else tells
/// the cases apart.
///
/// Cases are counted in 65,536 buckets that a secret hash picks, so that no number of addresses
/// takes more memory than that, and nobody can aim at another's bucket.
pub(crate) struct Limit {
    buckets: Option<DefaultKeyedRateLimiter<u16>>,
    hash: RandomState,
    clock: DefaultClock,
}

impl Limit {
    /// So many in a minute; 0: any number.
    pub(crate) fn per_minute(count: u32) -> Self {
        Self {
            buckets: NonZeroU32::new(count)
                .map(|count| RateLimiter::keyed(Quota::per_minute(count))),
            hash: RandomState::new(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts one more from `address`; where there were too many, says how long to wait.
    pub(crate) fn count(&self, address: IpAddr, api_id: Option<&ApiId>) -> Result<(), Duration> {
        let Some(buckets) = &self.buckets else {
            return Ok(());
        };
        let case = (network(address), api_id.map(ApiId::as_str));
        let bucket = self.hash.hash_one(case).to_le_bytes();
        let [first, second, ..] = bucket;
        buckets
            .check_key(&u16::from_le_bytes([first, second]))
            .map_err(|refused| refused.wait_time_from(self.clock.now()))
    }
}

/// What counts as one address: all of an IPv6 network, since a single host has 2^64 of them.
fn network(address: IpAddr) -> IpAddr {
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

    fn allowed(limit: &Limit, from: &str, api_id: &str) -> usize {
        let api_id = ApiId::new(api_id).unwrap();
        (0..100)
            .take_while(|_| limit.count(address(from), Some(&api_id)).is_ok())
            .count()
    }

    #[test]
    fn addresses_and_ids_are_counted_apart() {
        let limit = Limit::per_minute(5);
        assert_eq!(allowed(&limit, "1.1.1.1", "a"), 5);
        assert_eq!(allowed(&limit, "1.1.1.1", "b"), 5);
        assert_eq!(allowed(&limit, "2.2.2.2", "a"), 5);
        assert_eq!(allowed(&limit, "1.1.1.1", "a"), 0);
        let wait = limit
            .count(address("1.1.1.1"), Some(&ApiId::new("a").unwrap()))
            .unwrap_err();
        assert!(
            wait > Duration::ZERO && wait <= Duration::from_secs(12),
            "{wait:?}"
        );
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let limit = Limit::per_minute(5);
        assert_eq!(allowed(&limit, "2001:db8::1", "a"), 5);
        assert_eq!(allowed(&limit, "2001:db8::2", "a"), 0);
        assert_eq!(allowed(&limit, "2001:db8:0:1::1", "a"), 5);
    }

    #[test]
    fn zero_is_no_limit() {
        assert_eq!(allowed(&Limit::per_minute(0), "1.1.1.1", "a"), 100);
    }
}
