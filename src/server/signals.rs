//! The signals that the service listens to.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// To stop: SIGTERM, SIGINT.
    Stop,
    /// To read the certificate again: SIGHUP.
    Reload,
}

/// The signals.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Option<Signal>,
}

impl Signals {
    /// Listens to them. SIGHUP ends a process that does not listen to it, as a terminal does that is closed; so it is listened to
    /// only where something `can_reload`.
    pub(super) fn new(can_reload: bool) -> io::Result<Self> {
        let hangup = can_reload.then(|| signal(SignalKind::hangup()));
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: hangup.transpose()?,
        })
    }

    /// What the next one asks for.
    pub(super) async fn next(&mut self) -> Asked {
        let Self {
            terminate,
            interrupt,
            hangup,
        } = self;
        let hung_up = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => Asked::Stop,
            _ = interrupt.recv() => Asked::Stop,
            _ = hung_up => Asked::Reload,
        }
    }

    /// Waits for one that asks to stop.
    pub(super) async fn stop(&mut self) {
        while self.next().await != Asked::Stop {}
    }
}
