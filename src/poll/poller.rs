//! The thread that polls all devices, as long as the service runs.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use futures_util::future::join_all;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::Instant;

use super::get;
use super::host::{PolledHost, PollerParts};
use super::settings::DeviceAddress;
use super::tally::DeviceTally;
use crate::domain::Clock;
use crate::ingest::{DeviceIngest, Ingest, LogLimit, Protocol};
use crate::store::Store;

/// Threads for blocking work besides the requests: looking up hosts, adding sensors.
const OTHER_THREADS: usize = 2;

/// The thread. Dropping this stops it, without waiting for answers.
pub struct Poller {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Poller {
    /// Starts the thread, which notes the outcome of each poll in `devices`.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, ingest, clock): (Arc<Store>, Ingest, Clock),
        devices: Vec<Arc<DeviceTally>>,
    ) -> io::Result<Self> {
        let (stop, mut stopping) = watch::channel(false);
        let mut hosts: BTreeMap<DeviceAddress, Vec<(usize, Arc<DeviceTally>)>> = BTreeMap::new();
        for (index, device) in devices.into_iter().enumerate() {
            let address = device.settings().address.clone();
            hosts.entry(address).or_default().push((index, device));
        }
        // Everything except HTTP requests runs on one thread; each host has at most one request
        // under way.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(hosts.len() + OTHER_THREADS)
            .thread_name("poll-request")
            .build()?;
        let shared = PollerParts {
            agent: get::agent(),
            device_ingest: DeviceIngest::new(
                store,
                ingest.clone(),
                Protocol::Poll,
                "section [[poll]]",
            ),
            ingest,
            clock,
            log_limit: Mutex::new(LogLimit::default()),
        };
        let thread = thread::Builder::new().name("poll".into()).spawn(move || {
            let polling = async {
                let now = Instant::now();
                let hosts = hosts
                    .into_values()
                    .map(|devices| PolledHost::new(devices, now).run(&shared));
                tokio::select! {
                    _ = stopping.changed() => {}
                    _ = join_all(hosts) => {}
                }
            };
            runtime.block_on(polling);
            // A request under way holds no part of the store, so nobody waits for its answer.
            runtime.shutdown_background();
        })?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already logged.
            let _ = thread.join();
        }
    }
}
