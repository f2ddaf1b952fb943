//! Notifications for the service manager (`sd_notify` of systemd): ready, reloading, stopping, and the watchdog's keep-alive.
//! Without a service manager they go nowhere.

use std::env;
use std::sync::Arc;

use rustix::time::{ClockId, clock_gettime};
use sd_notify::NotifyState;
use tokio::time::sleep;

use crate::store::{Store, StoreError};

/// Whether a service manager listens.
pub(super) fn is_present() -> bool {
    // systemd sets it for units of `Type=notify`.
    env::var_os("NOTIFY_SOCKET").is_some()
}

/// Clients are served from now on.
pub(super) fn ready() {
    notify(&[NotifyState::Ready]);
}

/// The certificate is being read again; [`ready`] follows.
pub(super) fn reloading() {
    // RELOADING=1 goes with MONOTONIC_USEC (sd_notify(3)); units of `Type=notify-reload` require it. The function of the
    // crate overflows where `time_t` has 32 bits, 36 minutes after boot.
    let now = clock_gettime(ClockId::Monotonic);
    let now = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
    notify(&[NotifyState::Reloading, NotifyState::MonotonicUsec(now)]);
}

/// Clients are no longer served.
pub(super) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Keeps the watchdog quiet as long as the committing thread answers. If the store takes no more changes or the thread hangs,
/// the service manager restarts the service.
pub(super) async fn keep_alive(store: Arc<Store>) {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return;
    };
    loop {
        // Without a time limit: if the committing thread hangs, so does this, and the watchdog expires.
        match store.ping().await {
            // Of an engine that is away, a restart would not bring it back.
            Ok(()) | Err(StoreError::NotForNow(_)) => notify(&[NotifyState::Watchdog]),
            Err(error) => log::debug!("not alive: {error}"),
        }
        // Half the timeout, as systemd recommends.
        sleep(timeout / 2).await;
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        log::warn!("cannot notify the service manager: {error}");
    }
}
