//! Notifications for the service manager (`sd_notify` of systemd): starting, ready, reloading,
//! stopping, and the watchdog's keep-alive. Without a service manager they go nowhere.

use std::env;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sd_notify::NotifyState;
use tokio::time::sleep;

use crate::store::{Store, StoreError};

/// Whether a service manager listens.
pub(super) fn is_present() -> bool {
    // systemd sets it for units of `Type=notify`.
    env::var_os("NOTIFY_SOCKET").is_some()
}

/// How much time each notice of progress gives a start, and how often such a notice is due.
const START_MORE: Duration = Duration::from_mins(2);
const START_NOTICE: Duration = Duration::from_secs(20);

/// Runs `start`, however long it takes. As long as it makes progress, the service manager gives it
/// more time: the start of a large store, or after a crash, may take longer than the unit allows. A
/// start that hangs gets none.
pub(super) fn while_starting<T>(start: impl FnOnce() -> T) -> io::Result<T> {
    if !is_present() {
        return Ok(start());
    }
    let (ended, end) = mpsc::channel::<()>();
    let notices = thread::Builder::new().name("start".into());
    let notices = notices.spawn(move || {
        let mut spent = spent();
        loop {
            let more = u32::try_from(START_MORE.as_micros()).unwrap_or(u32::MAX);
            notify(&[NotifyState::ExtendTimeoutUsec(more)]);
            loop {
                // The start has ended.
                if end.recv_timeout(START_NOTICE) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if has_worked(&mut spent) {
                    break;
                }
            }
        }
    })?;
    let started = start();
    drop(ended);
    // Afterwards, no more notices of progress can come.
    let _ = notices.join();
    Ok(started)
}

/// Whether this process has worked since `before`, which is updated. Reading a disk takes CPU time
/// too.
fn has_worked(before: &mut Duration) -> bool {
    let now = spent();
    let worked = now.saturating_sub(*before);
    *before = now;
    // A thousandth of one core's time; the notices themselves take less.
    worked > START_NOTICE / 1_000
}

/// The CPU time of this process.
fn spent() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Notifies that clients are served from now on.
pub(super) fn ready() {
    notify(&[NotifyState::Ready]);
}

/// Notifies that the certificate is being read again; [`ready`] follows.
pub(super) fn reloading() {
    // RELOADING=1 requires MONOTONIC_USEC (sd_notify(3)) in units of `Type=notify-reload`. The
    // crate's function overflows where `time_t` has 32 bits, 36 minutes after boot.
    let now = clock_gettime(ClockId::Monotonic);
    let now = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
    notify(&[NotifyState::Reloading, NotifyState::MonotonicUsec(now)]);
}

/// Notifies that clients are no longer served.
pub(super) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Keeps the watchdog quiet as long as the committing thread answers. If the store accepts no more
/// changes or the thread hangs, the service manager restarts the service.
pub(super) async fn keep_alive(store: Arc<Store>) {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return;
    };
    loop {
        // Without a time limit: if the committing thread hangs, this hangs too, and the watchdog
        // expires.
        match store.ping().await {
            // A restart would not bring back an unreachable PostgreSQL.
            Ok(()) | Err(StoreError::NotForNow(_)) => notify(&[NotifyState::Watchdog]),
            Err(error) => log::debug!("not alive: {error}"),
        }
        // Half the timeout, as systemd recommends.
        sleep(timeout / 2).await;
    }
}

/// Keeps the watchdog quiet while there is no store that could hang.
pub(super) async fn keep_alive_without_store() {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return;
    };
    loop {
        notify(&[NotifyState::Watchdog]);
        sleep(timeout / 2).await;
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        log::warn!("cannot notify the service manager: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_start_that_works_gets_more_time() {
        let mut before = spent() + Duration::from_hours(1);
        assert!(!has_worked(&mut before));
        let mut before = Duration::ZERO;
        while spent() <= START_NOTICE / 1_000 {}
        assert!(has_worked(&mut before));
        assert!(before > START_NOTICE / 1_000);
    }
}
