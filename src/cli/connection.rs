//! A command's access to the store: opened by this process, or through the server that has it open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::exchange;
use crate::admin::{self, Request, Response, UnexpectedResponse, socket};
use crate::config::Config;
use crate::export::ExportSource;
use crate::http::operate::admin::PATH;
use crate::server::system_clock;
use crate::store::{OpenMode, Store, StoreError};

/// How long to wait for a store that is in use: another command may have it for a moment, and a
/// starting server does not listen yet.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a running server may take for most requests: removing a sensor with many years of
/// readings takes a while.
const ANSWER_WITHIN: Duration = Duration::from_mins(5);

/// Access to the store.
pub(super) enum StoreConnection {
    /// This process has it open.
    Direct(Arc<Store>),
    /// A running server has it open, with this data dir.
    Server(PathBuf),
}

impl StoreConnection {
    /// Opens the store in the data dir, or connects to the server that has it. A store in
    /// PostgreSQL is opened alongside its servers.
    ///
    /// Opening comes first, because only the lock on the data dir proves whether the store is in
    /// use.
    pub(super) fn open(config: &Config, mode: OpenMode) -> Result<Self> {
        let dir = &config.data_dir;
        let open = || config.store.open(dir, mode);
        let is_locked = |error: &StoreError| matches!(error, StoreError::Locked { .. });
        match retry_while_locked(dir, open, is_locked) {
            Ok(store) => Ok(Self::Direct(Arc::new(store))),
            Err(error) if is_locked(&error) => match socket::connect(dir) {
                // Only proves that a server answers: each request opens its own connection.
                Ok(_) => Ok(Self::Server(dir.clone())),
                Err(why) => bail!("{error}, and it does not answer: {why}"),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// As [`Self::open`], but through the running server if there is one, also beside PostgreSQL:
    /// it alone knows what its parts do.
    pub(super) fn running_or_opened(config: &Config, mode: OpenMode) -> Result<Self> {
        let dir = &config.data_dir;
        match socket::connect(dir) {
            Ok(_) => Ok(Self::Server(dir.clone())),
            Err(_) => Self::open(config, mode),
        }
    }

    /// Carries out one request.
    pub(super) fn ask<T>(&self, request: Request) -> Result<T>
    where
        T: TryFrom<Response, Error = UnexpectedResponse>,
    {
        Ok(self.answer(request)?.try_into()?)
    }

    /// Closes the access; everything is written to disk first.
    pub(super) fn close(self) -> Result<()> {
        match self {
            Self::Direct(store) => Ok(store.close()?),
            Self::Server(_) => Ok(()),
        }
    }
}

impl ExportSource for StoreConnection {
    fn answer(&self, request: Request) -> Result<Response> {
        match self {
            Self::Direct(store) => Ok(admin::run(store, request, system_clock()().time)?),
            Self::Server(data_dir) => {
                if request.holds_hash() {
                    let user = rustix::process::geteuid().as_raw();
                    socket::check_owner(data_dir, user)?;
                }
                ask_server(data_dir, &request)
            }
        }
    }
}

/// Calls `open` until the store in `data_dir` is no longer locked, its server answers, or the time
/// is up.
pub(super) fn retry_while_locked<T, E>(
    data_dir: &Path,
    open: impl Fn() -> Result<T, E>,
    is_locked: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let opened = open();
        // A server that answers keeps the lock as long as it runs, so waiting for it is pointless.
        let is_final = !opened.as_ref().is_err_and(&is_locked);
        if is_final || socket::connect(data_dir).is_ok() || Instant::now() > deadline {
            return opened;
        }
        thread::sleep(PAUSE);
    }
}

/// Asks the server that has the store in `data_dir` whether it is healthy; the error has the fault.
pub(super) fn check_health(data_dir: &Path) -> Result<()> {
    // Without a server this fails; afterwards, an error of the request is about the health of the
    // service.
    socket::connect(data_dir)
        .with_context(|| format!("no server runs on {}", data_dir.display()))?;
    ask_server(data_dir, &Request::Health).context("the service is not healthy")?;
    Ok(())
}

fn ask_server(data_dir: &Path, request: &Request) -> Result<Response> {
    let config = bincode::config::standard();
    let body = bincode::serde::encode_to_vec(request, config)?;
    let (status, body) = post(data_dir, &body, answer_within(request))
        .context("cannot ask the running server: did it stop?")?;
    match status {
        200 => {}
        // The path contains the version. Every other path is answered with 404 and the server's
        // version.
        404 => bail!(
            "the running server is version {}, this command is {}: use the same for both",
            String::from_utf8_lossy(&body),
            env!("CARGO_PKG_VERSION")
        ),
        _ => bail!("the running server answered {status}; its log may say why"),
    }
    let (answer, _): (Result<Response, String>, usize) =
        bincode::serde::decode_from_slice(&body, config)
            .context("cannot decode the running server's answer")?;
    answer.map_err(anyhow::Error::msg)
}

/// How long the server may take for a request; `None` for as long as it lives. Its end closes the
/// socket.
const fn answer_within(request: &Request) -> Option<Duration> {
    match request {
        // Reads the whole store, of any size.
        Request::Check => None,
        _ => Some(ANSWER_WITHIN),
    }
}

fn post(data_dir: &Path, body: &[u8], within: Option<Duration>) -> Result<(u16, Vec<u8>)> {
    let stream = socket::connect(data_dir)?;
    stream.set_read_timeout(within)?;
    stream.set_write_timeout(Some(ANSWER_WITHIN))?;
    exchange::post(stream, "localhost", PATH, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_may_take_as_long_as_the_store_is_large() {
        assert_eq!(answer_within(&Request::Check), None);
        assert_eq!(answer_within(&Request::Health), Some(ANSWER_WITHIN));
    }
}
