//! `wattkeeper import --from`: readings of another server with the "elec" API, from its answers.
//! They are stored window by window, so an import that ends early can be continued.
//!
//! The API has no registers, only the energy between one and the next (`type=consumption`). Added
//! up, they are a register again, which begins at 0; a sensor whose register is `interval` gets
//! them unchanged.
//!
//! - `client`: requests, and the waits between them; `answer`: their results
//! - `copy`: windows of readings, and where they begin

mod answer;
mod client;
mod copy;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use ureq::http::Uri;

use self::client::{ElecClient, ElecCredentials};
use self::copy::ElecCopy;
use crate::admin::SensorRow;
use crate::cli::args::Global;
use crate::cli::input::read_text;
use crate::domain::{MeterKind, Timestamp};
use crate::server::system_clock;
use crate::store::OpenMode;

/// The longest file with credentials.
const CREDENTIAL_BYTES: usize = 4_096;

// No doc comment, because clap would take it for the command's description. The source of a copy,
// and its range.
#[derive(Args, Clone, Debug)]
pub(super) struct RemoteArgs {
    #[arg(
        help = "Copy from another server of the \"elec\" API instead of a file: its base address, such as https://example.org/api/v0.2"
    )]
    #[arg(long, value_name = "URL", requires = "sensor", conflicts_with_all = ["list", "file", "time", "watts", "watthours", "filters", "sheet", "unit", "tz", "dates", "skip_bad"])]
    from: Option<ElecAddress>,
    /// The sensor's id there [default: that of --sensor]
    #[arg(long, value_name = "ID", requires = "from")]
    remote_sensor: Option<String>,
    /// The first time to copy [default: the newest stored reading]
    #[arg(long, value_name = "TIME", requires = "from", value_parser = Timestamp::parse_or_date)]
    start: Option<Timestamp>,
    /// The last time to copy [default: now]
    #[arg(long, value_name = "TIME", requires = "from", value_parser = Timestamp::parse_or_date)]
    end: Option<Timestamp>,
    #[arg(
        help = "A file with the api_id in its first line and the api_key in its second [default: ELEC_API_ID and ELEC_API_KEY of the environment]"
    )]
    #[arg(long, value_name = "FILE", requires = "from")]
    credentials: Option<PathBuf>,
    /// The seconds between two requests
    #[arg(long, value_name = "SECONDS", requires = "from", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=3_600))]
    pause: u16,
}

/// The base address of another server.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ElecAddress(String);

/// Complete, because it contains nothing secret.
impl std::fmt::Debug for ElecAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ElecAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected =
            "expected an address such as https://example.org/api/v0.2, without user and query";
        let uri: Uri = text.parse().map_err(|_| expected)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().filter(|it| !it.as_str().contains('@'));
        let is_whole = is_http && authority.is_some_and(|it| !it.host().is_empty());
        if !is_whole || uri.query().is_some() {
            return Err(expected);
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl RemoteArgs {
    /// Whether to copy from a server.
    pub(super) const fn is_given(&self) -> bool {
        self.from.is_some()
    }

    /// Copies readings to `sensor`.
    pub(super) fn run(&self, global: &Global, sensor: &SensorRow, dry_run: bool) -> Result<()> {
        let Some(address) = &self.from else {
            return Ok(());
        };
        let credentials = read_credentials(self.credentials.as_deref())?;
        let now = system_clock()().time;
        let end = self.end.unwrap_or(now).min(now);
        let remote = self.remote_sensor.as_ref().unwrap_or(&sensor.sensor_id);
        if address.0.starts_with("http:") {
            global.note("the credentials are sent without encryption: use https if the server can");
        }
        let client = ElecClient::new(address, credentials, remote, self.pause, global.quiet);
        let copy = global.with_store(OpenMode::Existing, |store| {
            let mut copy = ElecCopy::open(store, sensor, self.start, end, dry_run)?;
            copy.run(client, global.quiet)?;
            Ok(copy.finish())
        })?;
        if let Some((time, register)) = copy.register
            && sensor.register != MeterKind::Interval
        {
            global.note(&format!(
                "the copied register ends at {kwh} kWh. If uploads of the meter itself follow, record that: wattkeeper correct meter-changed {id} \
                 --at {at} --old-end {kwh} --new-start KWH",
                kwh = register / 1e3,
                id = sensor.sensor_id,
                at = time.saturating_add_millis(1_000),
            ));
        }
        let mut outcome = copy.summary.json();
        if let Some(outcome) = outcome.as_object_mut() {
            outcome.insert("stored".to_owned(), json!(copy.stored));
        }
        let last = if dry_run {
            "This was a dry run, and nothing was stored.".to_owned()
        } else {
            format!("stored {} readings", copy.stored)
        };
        global.print(&outcome, &format!("{}\n{last}", copy.summary.text()))
    }
}

/// Reads the credentials from the file, or else from the environment.
fn read_credentials(path: Option<&Path>) -> Result<ElecCredentials> {
    let given = match path {
        Some(path) => {
            let text = read_text(path, CREDENTIAL_BYTES)?;
            let mut lines = text.lines().map(|line| line.trim().to_owned());
            [lines.next(), lines.next()]
        }
        None => ["ELEC_API_ID", "ELEC_API_KEY"].map(|name| std::env::var(name).ok()),
    };
    match given.map(|text| text.filter(|text| !text.is_empty())) {
        [Some(api_id), Some(api_key)] => Ok(ElecCredentials { api_id, api_key }),
        _ => bail!(
            "the server's credentials are missing: name a file with the api_id in its first line and the api_key in its second with \
             --credentials, or set ELEC_API_ID and ELEC_API_KEY in the environment"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_secrets() {
        let parse = |text: &str| text.parse::<ElecAddress>().map(|it| it.0);
        assert_eq!(
            parse("https://a.example/api/v0.2/").unwrap(),
            "https://a.example/api/v0.2"
        );
        assert_eq!(parse("http://[::1]:80").unwrap(), "http://[::1]:80");
        for text in [
            "a.example",
            "ftp://a",
            "https://",
            "https://me:pw@a",
            "https://a/?api_key=x",
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
