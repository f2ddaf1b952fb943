//! What the service manager is told, where there is one that wants to know (`sd_notify` of systemd): that the service is ready,
//! reloads, stops, and, as long as the store answers, that it is alive.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::sleep;

use crate::store::Store;

/// Whether there is one.
pub(super) fn is_there() -> bool {
    env::var_os("NOTIFY_SOCKET").is_some()
}

/// Clients are answered from here on.
pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// The certificate is being read again; [`ready`] once it was.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => log::warn!("the service manager was not told of the reload: {error}"),
    }
}

/// No more clients are answered.
pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// Says that the service is alive, as often as the service manager wants to hear it, each time once the committing thread has
/// answered. Of a store that takes nothing more, or whose thread hangs, it says nothing: then the service is started anew.
pub(super) async fn keep_alive(store: Arc<Store>) {
    let Some(within) = sd_notify::watchdog_enabled() else {
        return;
    };
    loop {
        match store.answer().await {
            Ok(()) => tell(&[NotifyState::Watchdog]),
            Err(error) => log::debug!("not alive: {error}"),
        }
        sleep(pause(within)).await;
    }
}

/// Twice as often as it must be heard.
fn pause(within: Duration) -> Duration {
    within / 2
}

fn tell(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        log::warn!("the service manager was not told: {error}");
    }
}
