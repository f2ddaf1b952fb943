//! Decides which refused requests are logged, so that a client that is refused every second does
//! not fill the log.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Mutex;
use std::time::Duration;

use super::limits::network;
use crate::locks::lock;

/// The key by which log lines are alike: the client (none on the Unix socket), the status, and the
/// error code.
pub(crate) type Refusal = (Option<IpAddr>, u16, Option<&'static str>);

/// The refused requests of the last minute.
#[derive(Default)]
pub(crate) struct RefusalLog(Mutex<HashMap<Refusal, Seen>>);

struct Seen {
    /// When it was last logged, as time since the start.
    logged: Duration,
    /// The number of refusals since then.
    unlogged: u64,
}

impl RefusalLog {
    /// The time between two similar lines.
    const PAUSE: Duration = Duration::from_mins(1);
    /// Beyond this many entries, clients share one entry for each status and code, because anybody
    /// can make requests from many addresses.
    const MOST: usize = 1_024;

    /// Counts a refusal, `elapsed` after the start. If it is to be logged, returns the number of
    /// unlogged ones since the last similar line.
    pub(crate) fn count(&self, elapsed: Duration, (client, status, code): Refusal) -> Option<u64> {
        let mut seen = lock(&self.0);
        let is_new = |seen: &Seen| elapsed.saturating_sub(seen.logged) >= Self::PAUSE;
        let mut key = (client.map(network), status, code);
        if !seen.contains_key(&key) && seen.len() >= Self::MOST {
            seen.retain(|_, seen| !is_new(seen));
            if seen.len() >= Self::MOST {
                key.0 = Some(Ipv4Addr::UNSPECIFIED.into());
            }
        }
        let Some(known) = seen.get_mut(&key) else {
            let logged = elapsed;
            seen.insert(
                key,
                Seen {
                    logged,
                    unlogged: 0,
                },
            );
            return Some(0);
        };
        if !is_new(known) {
            known.unlogged += 1;
            return None;
        }
        known.logged = elapsed;
        Some(std::mem::take(&mut known.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(client: u32, status: u16) -> Refusal {
        (Some(Ipv4Addr::from_bits(client).into()), status, None)
    }

    #[test]
    fn a_line_a_minute_for_each_client_and_reason() {
        let refusals = RefusalLog::default();
        let count = |second, refusal| refusals.count(Duration::from_secs(second), refusal);
        assert_eq!(count(1, refusal(1, 401)), Some(0));
        assert_eq!(count(2, refusal(1, 401)), None);
        assert_eq!(count(60, refusal(1, 401)), None);
        assert_eq!(count(60, refusal(2, 401)), Some(0));
        assert_eq!(count(60, refusal(1, 403)), Some(0));
        let (client, status, _) = refusal(1, 401);
        assert_eq!(count(60, (client, status, Some("bad_token"))), Some(0));
        assert_eq!(count(61, refusal(1, 401)), Some(2));
        assert_eq!(count(62, refusal(1, 401)), None);
        assert_eq!(count(200, refusal(1, 401)), Some(1));
    }

    #[test]
    fn any_number_of_clients_takes_little_memory_and_few_lines() {
        let refusals = RefusalLog::default();
        let clients = 1..=100_000_u32;
        let lines = clients.filter(|client| {
            refusals
                .count(Duration::ZERO, refusal(*client, 401))
                .is_some()
        });
        assert_eq!(lines.count(), RefusalLog::MOST + 1);
        assert!(refusals.0.lock().unwrap().len() <= RefusalLog::MOST + 1);
        // Old entries make room.
        assert_eq!(
            refusals.count(RefusalLog::PAUSE, refusal(200_000, 401)),
            Some(0)
        );
        assert_eq!(refusals.0.lock().unwrap().len(), 1);
    }
}
