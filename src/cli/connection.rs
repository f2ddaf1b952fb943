//! A command's way to the store: opened here, or through the server that has it open.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::exchange;
use crate::admin::{
    self, AccountRow, AdminError, FindingsRow, KeyRow, ReadingRow, Request, Response, SensorRow,
    socket,
};
use crate::config::Config;
use crate::http::operate::admin as admin_route;
use crate::server::{Clock, system_clock};
use crate::store::{BackupPage, OpenMode, Store, StoreError};
use anyhow::{Context as _, Result, bail};

/// How long a store that is in use is waited for: another command has it for a moment, a server that
/// is starting has not said yet where it listens.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long between two tries.
pub(super) const PAUSE: Duration = Duration::from_millis(100);
/// How long a running server may take for one request: removing a sensor of many years takes a while.
const ANSWER_WITHIN: Duration = Duration::from_mins(5);

/// An open way to the store.
pub(super) struct Connection {
    way: Way,
}

enum Way {
    /// This process has the store.
    Direct { store: Arc<Store>, clock: Clock },
    /// A running server has it.
    Server(RunningServer),
}

impl Connection {
    /// Opens the store in the data dir; where a server has it, connects to that.
    ///
    /// Opening comes first: only the lock on the data dir proves whether the store is in use.
    pub(super) fn open(config: &Config, mode: OpenMode) -> Result<Self> {
        let given_up = Instant::now() + PATIENCE;
        loop {
            let locked = match Store::open(&config.data_dir, config.store.settings(), mode) {
                Ok(store) => {
                    let (store, clock) = (Arc::new(store), system_clock());
                    return Ok(Self {
                        way: Way::Direct { store, clock },
                    });
                }
                Err(error @ StoreError::Locked { .. }) => error,
                Err(error) => return Err(error.into()),
            };
            let unreachable = match RunningServer::find(&config.data_dir) {
                Ok(server) => {
                    return Ok(Self {
                        way: Way::Server(server),
                    });
                }
                Err(error) => error,
            };
            if Instant::now() > given_up {
                bail!("{locked}, and it does not answer: {unreachable}");
            }
            thread::sleep(PAUSE);
        }
    }

    /// Has one request carried out.
    pub(super) fn ask(&self, request: Request) -> Result<Response> {
        match &self.way {
            Way::Direct { store, clock } => Ok(admin::run(store, request, clock().time)?),
            Way::Server(server) => server.ask(&request),
        }
    }

    /// [`Self::ask`] for a request that is answered with accounts.
    pub(super) fn accounts(&self, request: Request) -> Result<Vec<AccountRow>> {
        match self.ask(request)? {
            Response::Accounts(rows) => Ok(rows),
            other => unexpected(&other),
        }
    }

    /// [`Self::ask`] for a request that is answered with credentials.
    pub(super) fn keys(&self, request: Request) -> Result<Vec<KeyRow>> {
        match self.ask(request)? {
            Response::Keys(rows) => Ok(rows),
            other => unexpected(&other),
        }
    }

    /// [`Self::ask`] for a request that is answered with sensors.
    pub(super) fn sensors(&self, request: Request) -> Result<Vec<SensorRow>> {
        match self.ask(request)? {
            Response::Sensors(rows) => Ok(rows),
            other => unexpected(&other),
        }
    }

    /// The sensor of that id.
    pub(super) fn sensor(&self, id: &str) -> Result<SensorRow> {
        let rows = self.sensors(Request::FindSensor { id: id.to_owned() })?;
        rows.into_iter().next().context("the answer is empty")
    }

    /// [`Self::ask`] for a request that is answered with readings.
    pub(super) fn readings(&self, request: Request) -> Result<Vec<ReadingRow>> {
        match self.ask(request)? {
            Response::Readings(rows) => Ok(rows),
            other => unexpected(&other),
        }
    }

    /// [`Self::ask`] for a request that is answered with a number of readings.
    pub(super) fn count(&self, request: Request) -> Result<u64> {
        match self.ask(request)? {
            Response::Count(count) => Ok(count),
            other => unexpected(&other),
        }
    }

    /// What a check finds.
    pub(super) fn check(&self) -> Result<FindingsRow> {
        match self.ask(Request::Check)? {
            Response::Findings(findings) => Ok(findings),
            other => unexpected(&other),
        }
    }

    /// [`Self::ask`] for a request that is answered with a piece of a backup.
    pub(super) fn backup_page(&self, request: Request) -> Result<BackupPage> {
        match self.ask(request)? {
            Response::BackupPage(page) => Ok(page),
            other => unexpected(&other),
        }
    }

    /// Ends it; what is not on disk yet is written.
    pub(super) fn close(self) -> Result<()> {
        match self.way {
            Way::Direct { store, .. } => Ok(store.close()?),
            Way::Server(_) => Ok(()),
        }
    }
}

/// Whether a server, of whatever version, has the store in `data_dir`.
pub(super) fn is_served(data_dir: &Path) -> bool {
    RunningServer::find(data_dir).is_ok()
}

/// Asks the server that has the store in `data_dir` whether it is well; an error says what is wrong.
pub(super) fn ask_health(data_dir: &Path) -> Result<()> {
    let server = RunningServer::find(data_dir)
        .with_context(|| format!("no server runs on {}", data_dir.display()))?;
    let answer = server.ask(&Request::Health);
    answer.map(drop).context("the service is not well")
}

fn unexpected<T>(answer: &Response) -> Result<T> {
    let kind = match answer {
        Response::Accounts(_) => "accounts",
        Response::Keys(_) => "keys",
        Response::Sensors(_) => "sensors",
        Response::Readings(_) => "readings",
        Response::Count(_) => "a number",
        Response::Findings(_) => "findings",
        Response::BackupPage(_) => "a piece of a backup",
        Response::Done => "nothing",
    };
    bail!("the server answered with {kind}, which was not asked for")
}

/// A server that has the store open and takes requests for it.
struct RunningServer {
    data_dir: PathBuf,
}

impl RunningServer {
    /// The server that listens on the socket in `data_dir`.
    fn find(data_dir: &Path) -> io::Result<Self> {
        socket::connect(data_dir)?;
        Ok(Self {
            data_dir: data_dir.to_owned(),
        })
    }

    fn ask(&self, request: &Request) -> Result<Response> {
        let config = bincode::config::standard();
        let body = bincode::serde::encode_to_vec(request, config)?;
        let (status, body) = self
            .post(&body)
            .context("asking the running server: is it still there?")?;
        match status {
            200 => {}
            404 => bail!(
                "the running server is version {}, this command is {}: use the same for both",
                String::from_utf8_lossy(&body),
                env!("CARGO_PKG_VERSION")
            ),
            _ => bail!("the running server answered {status}; its log may say why"),
        }
        let (answer, _): (Result<Response, AdminError>, usize) =
            bincode::serde::decode_from_slice(&body, config)
                .context("the running server's answer makes no sense")?;
        Ok(answer?)
    }

    fn post(&self, body: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        let stream = socket::connect(&self.data_dir)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.set_write_timeout(Some(ANSWER_WITHIN))?;
        exchange::post(stream, "localhost", admin_route::PATH, body)
    }
}

/// An address that a client on this machine can connect to: a server that listens on all addresses
/// listens on this one too.
pub(super) fn reachable(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_reached_by_loopback() {
        for (listening, reached) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("192.168.1.2:80", "192.168.1.2:80"),
            ("127.0.0.1:1", "127.0.0.1:1"),
        ] {
            assert_eq!(reachable(listening.parse().unwrap()).to_string(), reached);
        }
    }
}
