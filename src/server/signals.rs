//! The signals that the service handles.

use std::io;

use tokio::signal::unix::{self, SignalKind, signal};

/// The request of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// To stop: SIGTERM, SIGINT.
    Stop,
    /// To read the certificate again: SIGHUP.
    Reload,
}

/// The handlers of the signals.
pub(crate) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hangup: Option<unix::Signal>,
}

impl Signals {
    /// Handles signals from now on; SIGHUP only if something `can_reload`.
    pub(crate) fn new(can_reload: bool) -> io::Result<Self> {
        // Without a handler, SIGHUP ends the process, as it should when its terminal is closed.
        let hangup = can_reload.then(|| signal(SignalKind::hangup()));
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: hangup.transpose()?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Signal {
        let Self {
            terminate,
            interrupt,
            hangup,
        } = self;
        let hung_up = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                // Never ready, so that `select!` waits only for the others.
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => Signal::Stop,
            _ = interrupt.recv() => Signal::Stop,
            _ = hung_up => Signal::Reload,
        }
    }

    /// Waits for the next signal that requests a stop.
    pub(crate) async fn stop(&mut self) {
        while self.next().await != Signal::Stop {}
    }
}
