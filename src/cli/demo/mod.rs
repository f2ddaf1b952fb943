//! `wattkeeper demo`: the whole service on simulated readings, in a throwaway store. The server has
//! no special code for it; the simulation is in `house`, where tariffs are tried on it.
//!
//! - `live`: readings sent every second, and the announcement
//! - `scratch`: the temporary folder

mod live;
mod scratch;

use std::iter::successors;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;

use self::live::LiveSender;
use self::scratch::ScratchDir;
use super::args::Global;
use crate::admin::{
    self, ContractRequest, EntryForm, EntryRequest, ImportHow, NewAccount, NewKey, OrNone,
    PriceRequest, PriceRow, PurchaseForm, ReadingRow, Request, SensorTerms, new_api_id,
    new_api_key, random,
};
use crate::config::Config;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{
    ApiId, ApiKey, LocalDate, Moment, Password, Phases, Plan, Scope, Timestamp, Zone,
};
use crate::house::{DEMO_SENSORS, DEMO_SENSORS_COUNT, Household, market_price};
use crate::ledger::PurchaseKind;
use crate::server::{Clock, Server, Signals, system_clock};
use crate::store::{PostgresUrl, Store};

const HISTORY_MS: i64 = 2 * 365 * MS_PER_DAY;
/// The number of days with hourly prices.
const HOURLY_DAYS: i32 = 91;
/// The time with readings every minute. Before that, and for plugs always, there are readings as
/// often as a hub keeps them.
const BY_MINUTE_MS: i64 = 365 * MS_PER_DAY;
const HUB_EVERY_MS: i64 = 15 * MS_PER_MINUTE;
const MS_PER_MINUTE: i64 = 60_000;
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// Show everything with simulated readings, in a throwaway store
///
/// Eighteen sensors, two years of history, and live readings every second, sent over HTTP as
/// real sensors do. Prints the address and the password of the dashboard, credentials, and
/// ready-made curl lines.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Demo {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value_t = DEFAULT_LISTEN)]
    listen: SocketAddr,
    /// Keep the store in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Keep the store in an empty PostgreSQL database, such as
    /// `postgres://me:secret@localhost/demo?sslmode=disable`
    // A string, because an error of the command line parser would show an invalid URL with its
    // password.
    #[arg(long, value_name = "URL", conflicts_with = "keep")]
    engine: Option<String>,
    /// Start at this time, such as 2026-05-14T12:00:00, with the clock running on from there
    /// [default: now]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    at: Option<Timestamp>,
}

impl Demo {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        global.start_log();
        let interrupted = watch_for_signals()?;
        let engine: Option<PostgresUrl> = self
            .engine
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(|expected| anyhow!("--engine: expected {expected}"))?;
        // The demo ignores the machine's configuration.
        let mut config = Config::default();
        config.http.listen = self.listen;
        // A temporary folder is removed at the end of this function, when the server has closed the
        // store.
        let (data_dir, _scratch) = if let Some(dir) = self.keep {
            (dir, None)
        } else {
            let scratch = ScratchDir::create()?;
            (scratch.path().clone(), Some(scratch))
        };
        config.data_dir = data_dir;
        config.store.engine = engine;
        // For a demo, a second server is not needed.
        config.store.allow_async = true;
        let clock = match self.at {
            Some(at) => set_to(at, system_clock()),
            None => system_clock(),
        };
        // Binds the address: if it is in use, this fails before two years of readings are
        // simulated.
        let server = Server::build(&config, Arc::clone(&clock))?;
        serve(global, server, &config, &clock, &interrupted)
    }
}

/// A clock that shows `at` now, and runs on like `clock`.
fn set_to(at: Timestamp, clock: Clock) -> Clock {
    let ahead_ms = at.millis() - clock().time.millis();
    Arc::new(move || {
        let Moment { time, elapsed } = clock();
        Moment {
            time: time.saturating_add_millis(ahead_ms),
            elapsed,
        }
    })
}

fn serve(
    global: &Global,
    server: Server,
    config: &Config,
    clock: &Clock,
    interrupted: &Arc<AtomicBool>,
) -> Result<()> {
    let store = server.store();
    if store.registry().accounts().next().is_some() {
        if let Some(engine) = &config.store.engine {
            bail!("{engine} already contains a store: name an empty database");
        }
        bail!(
            "{dir} already contains a store: `wattkeeper serve --data-dir {dir}` runs it",
            dir = config.data_dir.display()
        );
    }
    global.note("Simulating two years of readings …");
    let now = clock().time;
    let (api_id, api_key) = (new_api_id()?, new_api_key()?);
    let password = choose_password(&store, now)?;
    enrol(&store, &api_id, &api_key, now)?;
    let Some(household) = fill(&store, now, interrupted)? else {
        return Ok(store.close()?);
    };
    // The lock on the store is released with its last owner, which is the server.
    drop(store);
    let live = LiveSender {
        address: server.local_address(),
        base_path: config.http.base_path.clone(),
        password,
        api_id,
        api_key,
        json: global.json,
        household,
        clock: Arc::clone(clock),
        interrupted: Arc::clone(interrupted),
        server: server.handle(),
    };
    let sender = thread::Builder::new()
        .name("live readings".into())
        .spawn(move || live.run())?;
    let ended = server.run_until_stopped(|| {});
    // In any case the thread must end too.
    interrupted.store(true, Ordering::Relaxed);
    let sent = sender.join();
    ended?;
    sent.unwrap_or_else(|_| bail!("sending live readings failed"))
}

/// Sets a random password of the administrator.
fn choose_password(store: &Arc<Store>, now: Timestamp) -> Result<String> {
    // Easy to type on a phone.
    let eight: String = new_api_key()?.reveal().chars().take(8).collect();
    let password = format!("demo-{eight}");
    let hash = Password::new(&password)?.hash(random().context("making a salt")?)?;
    let hash = hash.as_str().to_owned();
    admin::run(store, Request::SetPassword { hash }, now)?;
    Ok(password)
}

/// The household's tariff by day and by night.
const FIRST_CONTRACT: &str = r#"{"from":"1970-01-01","name":"Day and night","currency":"€","components":[{"energy":{"name":"grid","zones":[{"name":"day","price":0.34},{"name":"night","price":0.26,"hours":"22:00-06:00"}]}},{"fixed":{"name":"Standing charge","price":0.42,"per":"day"}},{"export":{"price":0.08}}]}"#;

/// Tariffs that the household could have.
const OFFERS: [&str; 2] = [
    r#"{"from":"1970-01-01","name":"One price","currency":"€","components":[{"energy":{"price":0.31}},{"fixed":{"name":"Standing charge","price":0.35,"per":"day"}},{"export":{"price":0.08}}]}"#,
    r#"{"from":"1970-01-01","name":"Cheap nights","currency":"€","components":[{"energy":{"zones":[{"name":"day","price":0.38},{"name":"night","price":0.19,"hours":"23:00-05:00"}]}},{"fixed":{"name":"Standing charge","price":0.45,"per":"day"}},{"export":{"price":0.08}}]}"#,
];

/// The household's hourly tariff since a day.
fn hourly_contract(from: LocalDate) -> String {
    format!(
        r#"{{"from":"{from}","name":"By the hour","currency":"€","components":[{{"energy":{{"name":"Market","series":"market","factor":1.19,"surcharge":0.17}}}},{{"fixed":{{"name":"Standing charge","price":0.42,"per":"day"}}}},{{"export":{{"price":0.08}}}}]}}"#
    )
}

/// The market prices from a day until the end of tomorrow.
fn market(from: LocalDate, zone: &Zone, today: LocalDate) -> Vec<PriceRow> {
    let end = today.plus_days(2).unwrap_or(today).start(zone);
    let hours = successors(Some(from.start(zone)), |hour| {
        Some(hour.saturating_add_millis(MS_PER_HOUR))
    });
    let prices = hours.take_while(|hour| *hour < end).map(|hour| PriceRow {
        from_ms: hour.millis(),
        to_ms: hour.millis() + MS_PER_HOUR,
        millionths: market_price(hour).millionths(),
    });
    prices.collect()
}

/// The household's panels, bought a year before its readings begin; `None` where the clock is set to
/// a time without any.
fn panels(account: String, today: LocalDate) -> Option<Request> {
    let date = today
        .plus_days(-3 * 365)
        .filter(|date| date.year() >= 1970)?;
    let form = PurchaseForm {
        name: "Solar panels".into(),
        kind: PurchaseKind::Panels.as_str().into(),
        date: date.to_string(),
        amount: "9800".into(),
        subsidy: "600".into(),
        costs_per_year: "90".into(),
    };
    let account = Some(account);
    let form = EntryForm::Purchase(form);
    Some(Request::Entries(EntryRequest::Put { account, form }))
}

/// Registers the account, its contract, its purchase, its key and its sensors.
fn enrol(store: &Arc<Store>, api_id: &ApiId, api_key: &ApiKey, now: Timestamp) -> Result<()> {
    const ZONE: &str = "Europe/Berlin";
    let account = || "demo".to_owned();
    let zone = Zone::parse(ZONE)?;
    let today = LocalDate::at(now, &zone);
    let hourly_from = today.plus_days(-HOURLY_DAYS).unwrap_or(today);
    let contract = |text: String| {
        Request::Contracts(ContractRequest::Change {
            account: Some(account()),
            text,
        })
    };
    let first = [
        Request::AddAccount(NewAccount {
            name: account(),
            plan: Plan::Paid,
            zone: ZONE.into(),
            phases: Phases::Separate,
        }),
        contract(FIRST_CONTRACT.to_owned()),
        contract(hourly_contract(hourly_from)),
        Request::Prices(PriceRequest::Put {
            account: Some(account()),
            series: "market".into(),
            currency: "EUR".into(),
            has_unit: false,
            prices: market(hourly_from, &zone, today),
        }),
        Request::AddKey(NewKey {
            account: account(),
            api_id: api_id.to_string(),
            key_hash: api_key.hash(),
            scope: Scope::Full,
            label: "demo".into(),
        }),
    ];
    let offers = OFFERS.map(|offer| {
        Request::Entries(EntryRequest::Put {
            account: Some(account()),
            form: EntryForm::Offer(offer.into()),
        })
    });
    let sensors = DEMO_SENSORS.map(|sensor| Request::AddSensor {
        id: sensor.id.into(),
        account: account(),
        terms: SensorTerms {
            name: Some(sensor.name.into()),
            role: Some(sensor.role),
            register: Some(sensor.meter),
            part_of: sensor.part_of.map(|id| OrNone::Is(id.into())),
            ..SensorTerms::default()
        },
    });
    let purchase = panels(account(), today);
    let first = first.into_iter().chain(offers).chain(purchase);
    for request in first.chain(sensors) {
        admin::run(store, request, now)?;
    }
    Ok(())
}

/// Stores two years of readings that end at `now`; returns the household at that time, or `None` if
/// interrupted.
fn fill(store: &Arc<Store>, now: Timestamp, interrupted: &AtomicBool) -> Result<Option<Household>> {
    let mut times = reading_times(now).peekable();
    let start = times.peek().map_or(now, |(time, _)| *time);
    let mut household = Household::new(start);
    let mut chunks = [const { Vec::new() }; DEMO_SENSORS_COUNT];
    // In chunks, so that memory stays bounded, and Ctrl-C is noticed between them.
    while times.peek().is_some() {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        while chunks.iter().all(|c| c.len() < Store::IMPORT_CHUNK)
            && let Some((time, all)) = times.next()
        {
            for (chunk, reading) in chunks.iter_mut().zip(household.read(time, all)) {
                chunk.extend(reading.map(ReadingRow::from));
            }
        }
        for (sensor, chunk) in DEMO_SENSORS.iter().zip(&mut chunks) {
            let import = Request::Import {
                sensor: sensor.id.into(),
                rows: std::mem::take(chunk),
                how: ImportHow::Store,
            };
            admin::run(store, import, now)?;
        }
    }
    Ok(Some(household))
}

/// The times of the readings until `now`, and whether the plugs have one. They are those of days, so
/// that past days are the same whenever the demo is started.
fn reading_times(now: Timestamp) -> impl Iterator<Item = (Timestamp, bool)> {
    let last = |time: Timestamp, every_ms: i64| {
        time.saturating_add_millis(-time.millis().rem_euclid(every_ms))
    };
    // Saturates: `--at` may name a time in the first supported year.
    let [start, by_minute] =
        [HISTORY_MS, BY_MINUTE_MS].map(|ms| last(now.saturating_add_millis(-ms), MS_PER_DAY));
    let next = move |time: &Timestamp| {
        let is_new = *time >= by_minute;
        let step = if is_new { MS_PER_MINUTE } else { HUB_EVERY_MS };
        Some(time.saturating_add_millis(step))
    };
    successors(Some(start), next)
        .take_while(move |time| *time <= last(now, MS_PER_MINUTE))
        .map(|time| (time, time.millis().rem_euclid(HUB_EVERY_MS) == 0))
}

/// Handles SIGINT and SIGTERM from the beginning, so that the folder is removed in any case; the
/// running server has its own handlers.
fn watch_for_signals() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = runtime.block_on(async { Signals::new(false) })?;
    let flag = Arc::clone(&interrupted);
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            // Only a running runtime delivers signals, so it moves here. Nobody joins this thread,
            // because a signal may never come.
            runtime.block_on(signals.stop());
            flag.store(true, Ordering::Relaxed);
        })?;
    Ok(interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_days_have_the_same_readings_whenever_it_is_started() {
        let of = |now: &str| {
            let today = Timestamp::parse("2026-03-18T00:00:00").unwrap();
            let times = reading_times(Timestamp::parse(now).unwrap());
            let past = times.filter(move |(time, _)| *time < today);
            past.collect::<Vec<_>>()
        };
        let past = of("2026-03-18T14:30:07");
        assert!(past == of("2026-03-18T00:41:00") && past.len() > 500_000);
        let count = reading_times(Timestamp::parse("2026-03-18T00:41:30").unwrap());
        assert_eq!(count.count() - past.len(), 42);
    }
}
