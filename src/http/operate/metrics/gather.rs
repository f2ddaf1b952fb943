//! What is told: each metric with its name, what it means, and where it is from.

use prometheus::proto::MetricFamily;

use crate::domain::sensor::Sensor;
use crate::domain::time::Timestamp;
use crate::http::gate::failed::Door;
use crate::http::gate::state::AppState;
use crate::http::operate::metrics::family::{counter, gauge, number};
use crate::ingest::Protocol;
use crate::status;
use crate::status::BackupState;
use crate::store::{Activity, Store};

/// All metrics. Blocks: looks at the files of the store and at the folder of the copies. What cannot be looked up is left out.
pub(crate) fn gather(app: &AppState) -> Vec<MetricFamily> {
    let families = [
        service(app),
        uploads(app),
        store(app),
        sensors(app),
        backups(app),
    ];
    let mut families: Vec<MetricFamily> = families.into_iter().flatten().flatten().collect();
    families.extend(app.store.commit_metrics());
    families
}

fn service(app: &AppState) -> Vec<Option<MetricFamily>> {
    let version: &[_] = &[("version", env!("CARGO_PKG_VERSION"))];
    let up = app.monitor.up(app.now()).as_secs_f64();
    let failed = Door::ALL.map(|door| ([("door", door.name())], number(app.failed.so_far(door))));
    let memory = status::resident_bytes().map(|bytes| (&[][..], number(bytes)));
    vec![
        gauge(
            "wattkeeper_build_info",
            "The version, always 1.",
            [(version, 1.0)],
        ),
        gauge(
            "wattkeeper_uptime_seconds",
            "Time since the start.",
            [(&[][..], up)],
        ),
        gauge(
            "process_resident_memory_bytes",
            "Resident memory of the process.",
            memory,
        ),
        counter(
            "wattkeeper_failed_sign_ins_total",
            "Sign-ins that failed since the start: to the API by key, to the pages by password, to the metrics by token.",
            failed.iter().map(|(labels, count)| (&labels[..], *count)),
        ),
    ]
}

fn uploads(app: &AppState) -> Vec<Option<MetricFamily>> {
    let received = Protocol::ALL.map(|protocol| {
        let (readings, bytes) = app.ingest.received(protocol);
        (
            [("protocol", protocol.name())],
            number(readings),
            number(bytes),
        )
    });
    // Over HTTP, who sends something is told that it is of no use.
    let silent = Protocol::Mqtt;
    let unused = number(app.ingest.unused(silent));
    vec![
        counter(
            "wattkeeper_unused_messages_total",
            "Messages of a broker since the start, or parts of them, that could not be used.",
            [(&[("protocol", silent.name())][..], unused)],
        ),
        counter(
            "wattkeeper_received_readings_total",
            "Readings stored since the start, by the protocol that brought them.",
            received
                .iter()
                .map(|(labels, readings, _)| (&labels[..], *readings)),
        ),
        counter(
            "wattkeeper_received_bytes_total",
            "Bytes of the messages that brought them, unpacked.",
            received
                .iter()
                .map(|(labels, _, bytes)| (&labels[..], *bytes)),
        ),
    ]
}

fn store(app: &AppState) -> Vec<Option<MetricFamily>> {
    let disk = app.store.disk_use().ok();
    let writable = f64::from(u8::from(app.store.unavailable().is_none()));
    let only = |value| (&[][..], value);
    vec![
        gauge(
            "wattkeeper_store_bytes",
            "Length of all files of the store.",
            disk.map(|disk| only(number(disk.bytes))),
        ),
        gauge(
            "wattkeeper_disk_free_bytes",
            "Free space on the disk of the store.",
            disk.map(|disk| only(number(disk.free))),
        ),
        counter(
            "wattkeeper_store_written_bytes_total",
            "Bytes written into the store's files since the start.",
            [only(number(Store::bytes_written()))],
        ),
        gauge(
            "wattkeeper_store_writable",
            "1 while the store takes changes, 0 since a write failed.",
            [only(writable)],
        ),
    ]
}

/// A sensor, and what is known of its uploads.
type Known<'a> = (&'a Sensor, Activity);

fn sensors(app: &AppState) -> Vec<Option<MetricFamily>> {
    let now = app.counted_now();
    let registry = app.store.registry();
    let known: Vec<Known<'_>> = registry
        .sensors()
        .map(|sensor| (sensor, app.store.activity(&sensor.id).unwrap_or_default()))
        .collect();
    let is_active = |(_, known): &&Known<'_>| known.arrivals.is_some_and(|own| own.active(now));
    let active = known.iter().filter(is_active).count();
    let count = |many: usize| number(u64::try_from(many).unwrap_or(u64::MAX));
    let each = |value: fn(&Activity, Timestamp) -> Option<f64>| -> Vec<_> {
        let authorized = known.iter().filter(|(sensor, _)| sensor.authorized);
        let told = authorized.filter_map(|(sensor, known)| {
            let labels = [
                ("account", sensor.account.as_str()),
                ("sensor", sensor.id.as_str()),
            ];
            Some((labels, value(known, now)?))
        });
        told.collect()
    };
    let watts = each(latest_watts);
    let uploads = each(last_upload);
    vec![
        gauge(
            "wattkeeper_sensors",
            "Sensors that are registered.",
            [(&[][..], count(known.len()))],
        ),
        gauge(
            "wattkeeper_sensors_active",
            "Sensors whose uploads keep arriving at intervals shorter than 5 minutes.",
            [(&[][..], count(active))],
        ),
        gauge(
            "wattkeeper_sensor_watts",
            "Newest power of each authorized sensor that uploaded in the last two hours, in watts.",
            watts.iter().map(|(labels, watts)| (&labels[..], *watts)),
        ),
        gauge(
            "wattkeeper_sensor_last_upload_timestamp_seconds",
            "When each authorized sensor uploaded last, since 1970.",
            uploads.iter().map(|(labels, time)| (&labels[..], *time)),
        ),
    ]
}

fn latest_watts(known: &Activity, now: Timestamp) -> Option<f64> {
    let is_recent = known.arrivals.is_some_and(|own| own.recent(now));
    known
        .newest_power
        .filter(|_| is_recent)
        .map(|power| power.watts)
}

fn last_upload(known: &Activity, now: Timestamp) -> Option<f64> {
    known.arrivals?.last_upload(now).map(seconds)
}

fn backups(app: &AppState) -> Vec<Option<MetricFamily>> {
    let newest = match app.monitor.backups(app.now().time) {
        BackupState::Newest(copy) => Some(copy),
        BackupState::Off | BackupState::None { .. } | BackupState::Unreadable { .. } => None,
    };
    let copy = newest.as_ref();
    vec![
        gauge(
            "wattkeeper_last_backup_timestamp_seconds",
            "When the newest scheduled backup was taken, since 1970.",
            copy.map(|copy| (&[][..], seconds(copy.taken))),
        ),
        gauge(
            "wattkeeper_last_backup_bytes",
            "Length of the newest scheduled backup.",
            copy.map(|copy| (&[][..], number(copy.bytes))),
        ),
    ]
}

/// A time in seconds since 1970.
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of four-digit years are below 2^53"
)]
const fn seconds(time: Timestamp) -> f64 {
    time.millis() as f64 / 1_000.0
}
