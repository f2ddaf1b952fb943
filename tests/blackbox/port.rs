//! Ports for programs with a port argument, and for addresses without a listener yet.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// The first port, and how many: below all that systems give to connections and to listeners that
/// ask for any (from 16,000 on in gVisor, 32,768 on in Linux, 49,152 on in macOS).
const PORTS: (u16, u16) = (10_240, 5_000);

/// A port of loopback that is free, and that no other test gets. The system would give one that it
/// gives to the next test too.
pub(crate) fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let (first, count) = PORTS;
    // Other runs of the tests, at the same time, begin elsewhere.
    let start = std::process::id().wrapping_mul(97) % u32::from(count);
    let mut ports = std::iter::repeat_with(|| {
        let taken = u32::from(TAKEN.fetch_add(1, Ordering::Relaxed));
        first + u16::try_from((start + taken) % u32::from(count)).unwrap()
    });
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    ports
        .by_ref()
        .take(count.into())
        .find(is_free)
        .expect("a port that is free")
}
