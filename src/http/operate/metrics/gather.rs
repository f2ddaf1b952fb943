//! Each metric with its name, its meaning and its source.

use prometheus::Result;
use prometheus::proto::MetricFamily;

use crate::domain::{Sensor, Timestamp};
use crate::home_assistant::HistoryTally;
use crate::http::gate::{AppState, SignInTarget};
use crate::http::operate::metrics::scrape::{Scrape, number};
use crate::ingest::Protocol;
use crate::ledger::notice::NoticeKind;
use crate::poll::DeviceTally;
use crate::price_sources::SourceTally;
use crate::status;
use crate::status::BackupState;
use crate::store::{Activity, Store};

/// Gathers all metrics. Reads the files of the store and the backup folder, so it blocks. A value
/// that cannot be read is left out.
pub(crate) fn gather(app: &AppState) -> Result<Vec<MetricFamily>> {
    let scrape = Scrape::default();
    service(&scrape, app)?;
    uploads(&scrape, app)?;
    polls(&scrape, app)?;
    price_sources(&scrape, app)?;
    history(&scrape, app)?;
    store(&scrape, app)?;
    sensors(&scrape, app)?;
    backups(&scrape, app)?;
    notices(&scrape, app)?;
    let mut families = scrape.families();
    // The store counts its commits as they happen; everything else is looked up for this scrape.
    families.extend(app.store.commit_metrics());
    Ok(families)
}

fn service(scrape: &Scrape, app: &AppState) -> Result<()> {
    scrape.gauges(
        "wattkeeper_build_info",
        "The version, always 1.",
        ["version"],
        [([env!("CARGO_PKG_VERSION")], 1.0)],
    )?;
    scrape.gauge(
        "wattkeeper_uptime_seconds",
        "Time since the start.",
        app.monitor.up(app.now()).as_secs_f64(),
    )?;
    scrape.gauge(
        "process_resident_memory_bytes",
        "Resident memory of the process.",
        status::resident_bytes().map(number),
    )?;
    scrape.counters(
        "wattkeeper_failed_sign_ins_total",
        "Failed sign-ins since the start: to the API by key, to the pages by password, to the metrics by token.",
        ["door"],
        SignInTarget::ALL.map(|target| ([target.name()], number(app.failed.so_far(target)))),
    )
}

fn uploads(scrape: &Scrape, app: &AppState) -> Result<()> {
    // A client of "elec" learns from the response that its message was useless; these clients do
    // not.
    let silent = [
        Protocol::Mqtt,
        Protocol::Influx,
        Protocol::Emoncms,
        Protocol::Poll,
        Protocol::HomeAssistant,
    ];
    scrape.counters(
        "wattkeeper_unused_messages_total",
        "Messages and answers of devices since the start, or values in them, that could not be used, by the protocol.",
        ["protocol"],
        silent.map(|it| ([it.name()], number(app.ingest.received(it).unused))),
    )?;
    let received = Protocol::ALL.map(|protocol| ([protocol.name()], app.ingest.received(protocol)));
    scrape.counters(
        "wattkeeper_received_readings_total",
        "Readings stored since the start, by the protocol that they arrived by.",
        ["protocol"],
        received.map(|(protocol, counts)| (protocol, number(counts.readings))),
    )?;
    scrape.counters(
        "wattkeeper_received_bytes_total",
        "Bytes of the messages that carried them, decompressed.",
        ["protocol"],
        received.map(|(protocol, counts)| (protocol, number(counts.bytes))),
    )
}

fn polls(scrape: &Scrape, app: &AppState) -> Result<()> {
    let devices = app.polled.list();
    let of = |count: fn(&DeviceTally) -> u64| {
        let devices = devices.iter();
        devices.map(move |device| ([device.name()], number(count(device))))
    };
    scrape.counters(
        "wattkeeper_poll_answers_total",
        "Usable answers since the start of each device that is polled.",
        ["device"],
        of(DeviceTally::answers),
    )?;
    scrape.counters(
        "wattkeeper_poll_failures_total",
        "Polls since the start of each device that brought no usable answer.",
        ["device"],
        of(DeviceTally::failures),
    )
}

fn price_sources(scrape: &Scrape, app: &AppState) -> Result<()> {
    let sources = app.price_sources.list();
    let of = |count: fn(&SourceTally) -> u64| {
        let sources = sources.iter();
        sources.map(move |source| {
            let settings = source.settings();
            let account = settings.account.as_ref().map_or("", |name| name.as_str());
            ([account, settings.series.as_str()], number(count(source)))
        })
    };
    scrape.counters(
        "wattkeeper_price_source_answers_total",
        "Usable answers since the start of each price source, by the account and the series that it fills.",
        ["account", "series"],
        of(SourceTally::answers),
    )?;
    scrape.counters(
        "wattkeeper_price_source_failures_total",
        "Requests since the start to each price source that brought no usable answer.",
        ["account", "series"],
        of(SourceTally::failures),
    )
}

fn history(scrape: &Scrape, app: &AppState) -> Result<()> {
    let all = app.history.list();
    if all.is_empty() {
        return Ok(());
    }
    let sum = |of: fn(&HistoryTally) -> u64| number(all.iter().map(|it| of(it)).sum::<u64>());
    scrape.counter(
        "wattkeeper_home_assistant_hours_total",
        "Hours of statistics that Home Assistant accepted since the start.",
        sum(|it| it.last().hours),
    )?;
    scrape.counter(
        "wattkeeper_home_assistant_passes_total",
        "Comparisons since the start after which Home Assistant had all of the history.",
        sum(HistoryTally::answers),
    )?;
    scrape.counter(
        "wattkeeper_home_assistant_failures_total",
        "Attempts since the start to send history to Home Assistant that failed.",
        sum(HistoryTally::failures),
    )
}

fn store(scrape: &Scrape, app: &AppState) -> Result<()> {
    let disk = app.store.disk_use().ok();
    scrape.gauge(
        "wattkeeper_store_bytes",
        "Size of all files of the store.",
        disk.map(|disk| number(disk.bytes)),
    )?;
    scrape.gauge(
        "wattkeeper_disk_free_bytes",
        "Free space on the disk of the store.",
        disk.and_then(|disk| disk.free).map(number),
    )?;
    scrape.counter(
        "wattkeeper_store_written_bytes_total",
        "Bytes written to the store's files since the start.",
        number(Store::bytes_written()),
    )?;
    scrape.gauge(
        "wattkeeper_store_writable",
        "1 while the store accepts changes, 0 once a write failed.",
        f64::from(u8::from(app.store.unavailable().is_none())),
    )
}

fn sensors(scrape: &Scrape, app: &AppState) -> Result<()> {
    let now = app.counted_now();
    let registry = app.store.registry();
    let ids: Vec<_> = registry.sensors().map(|sensor| &sensor.id).collect();
    // Values that cannot be read are left out.
    let activities = app.store.activities(&ids).unwrap_or_default().into_iter();
    let known: Vec<(&Sensor, Activity)> = registry
        .sensors()
        .zip(activities.map(Option::unwrap_or_default))
        .collect();
    let is_active = |activity: &Activity| activity.arrivals.is_some_and(|own| own.active(now));
    let active = known.iter().filter(|(_, activity)| is_active(activity));
    let count = |many: usize| number(u64::try_from(many).unwrap_or(u64::MAX));
    scrape.gauge(
        "wattkeeper_sensors",
        "Registered sensors.",
        count(known.len()),
    )?;
    scrape.gauge(
        "wattkeeper_sensors_active",
        "Sensors whose uploads keep arriving at intervals shorter than 5 minutes.",
        count(active.count()),
    )?;
    let each = |value: fn(&Activity, Timestamp) -> Option<f64>| {
        let authorized = known.iter().filter(|(sensor, _)| sensor.authorized);
        authorized.filter_map(move |(sensor, activity)| {
            let labels = [sensor.account.as_str(), sensor.id.as_str()];
            Some((labels, value(activity, now)?))
        })
    };
    scrape.gauges(
        "wattkeeper_sensor_watts",
        "Newest power of each authorized sensor that uploaded in the last two hours, in watts.",
        ["account", "sensor"],
        each(latest_watts),
    )?;
    scrape.gauges(
        "wattkeeper_sensor_last_upload_timestamp_seconds",
        "Time of the last upload of each authorized sensor, since 1970.",
        ["account", "sensor"],
        each(last_upload),
    )
}

fn latest_watts(activity: &Activity, now: Timestamp) -> Option<f64> {
    let is_recent = activity.arrivals.is_some_and(|own| own.recent(now));
    let newest = activity.newest_power.filter(|_| is_recent);
    newest.map(|power| power.watts)
}

fn last_upload(activity: &Activity, now: Timestamp) -> Option<f64> {
    activity.arrivals?.last_upload(now).map(seconds)
}

fn backups(scrape: &Scrape, app: &AppState) -> Result<()> {
    // Without a backup the metrics are absent: a time of 0 would mean a backup in 1970.
    let settings = app.settings.in_force().config.backup.settings();
    let BackupState::Newest(newest) = BackupState::look(settings.as_ref(), app.now().time) else {
        return Ok(());
    };
    scrape.gauge(
        "wattkeeper_last_backup_timestamp_seconds",
        "Time of the newest scheduled backup, since 1970.",
        seconds(newest.taken),
    )?;
    scrape.gauge(
        "wattkeeper_last_backup_bytes",
        "Size of the newest scheduled backup.",
        number(newest.bytes),
    )
}

fn notices(scrape: &Scrape, app: &AppState) -> Result<()> {
    let registry = app.store.registry();
    let open = |kind| {
        let shown = registry.notices().filter(|(_, known)| known.is_shown());
        let open = shown.filter(|(_, known)| known.notice.kind == kind).count();
        number(u64::try_from(open).unwrap_or(u64::MAX))
    };
    scrape.gauges(
        "wattkeeper_notices_open",
        "Open notices that nobody dismissed, by kind.",
        ["kind"],
        NoticeKind::ALL.map(|kind| ([kind.as_str()], open(kind))),
    )
}

/// A time in seconds since 1970.
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of four-digit years are below 2^53"
)]
const fn seconds(time: Timestamp) -> f64 {
    time.millis() as f64 / 1_000.0
}
