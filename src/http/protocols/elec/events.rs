//! `GET /events`: oddities of the account's readings.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};

use crate::admin::{EventPage, EventRow, EventWalk, EventsAsked};
use crate::domain::Sensor;
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::protocols::elec::download::{FLAGS, range, zone};
use crate::http::protocols::elec::names::{FORMAT, OPEN, SENSOR_ID};
use crate::http::wire::params::{one_of, param, sensor};
use crate::http::wire::stream::{self, ResultText};
use crate::http::wire::{ApiError, Format};
use crate::store::{Store, StoreError};

pub(crate) const FORMATS: [(&str, Format); 2] = [("json", Format::Json), ("csv", Format::Csv)];

const CSV_HEADER: [&str; 10] = [
    "sensor_id",
    "kind",
    "since",
    "time",
    "until",
    "before",
    "after",
    "counted",
    "open",
    "decided",
];

/// `GET /events`: lists the events of the credentials' account, or of one of its sensors.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let sensor = match param(query, SENSOR_ID)? {
        None => None,
        Some(_) => Some(sensor(query, SENSOR_ID)?),
    };
    let range = range(query, &zone(query)?)?;
    let asked = EventsAsked {
        start_ms: range.start().millis(),
        end_ms: range.end().millis(),
        only_open: one_of(query, OPEN, &FLAGS)?.unwrap_or(false),
    };
    let format = one_of(query, FORMAT, &FORMATS)?.unwrap_or(Format::Json);
    let grant = reader(&app, &request)?;
    let registry = app.store.registry();
    if let Some(sensor) = &sensor {
        let sensor = registry.authorized_sensor(&grant.account, sensor);
        sensor.ok_or(ApiError::SensorNotAuthorized)?;
    }
    let store = Arc::clone(&app.store);
    let report = app.begin_report(&grant.account);
    let open = move || {
        let is_asked = |it: &&Sensor| {
            let is_own = it.authorized && it.account == grant.account;
            is_own && sensor.as_ref().is_none_or(|id| it.id == *id)
        };
        let walk = EventWalk::new(registry.sensors().filter(is_asked), &asked);
        Ok(EventText {
            store,
            walk,
            format,
            count: None,
        })
    };
    stream::respond(&request, report, format, open).await
}

/// The most events that are written in one run.
const RUN: usize = 32;

/// Events as text.
struct EventText {
    store: Arc<Store>,
    walk: EventWalk,
    format: Format,
    /// The number of events written; `None` before the beginning.
    count: Option<usize>,
}

impl EventText {
    /// Writes the next event and returns `None`. At the end, returns whether there are more events
    /// than one answer may have.
    fn write(&mut self, out: &mut Vec<u8>) -> Result<Option<bool>, StoreError> {
        let count = self.count.unwrap_or(0);
        let row = self.walk.next_row(&self.store)?;
        let is_more = row.is_some();
        let Some(row) = row.filter(|_| count < EventPage::MOST) else {
            return Ok(Some(is_more));
        };
        match self.format {
            Format::Json | Format::Ndjson => {
                if count > 0 {
                    out.push(b',');
                }
                // A row has only text and finite numbers, and writing to memory does not fail.
                drop(serde_json::to_writer(&mut *out, &row));
            }
            Format::Csv => write_line(cells(row), out),
        }
        self.count = Some(count + 1);
        Ok(None)
    }
}

impl ResultText for EventText {
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        if self.count.is_none() {
            match self.format {
                Format::Json | Format::Ndjson => out.extend_from_slice(b"{\"events\":["),
                Format::Csv => write_line(CSV_HEADER.map(str::to_owned), out),
            }
            self.count = Some(0);
        }
        for _ in 0..RUN {
            if let Some(more) = self.write(out)? {
                if self.format != Format::Csv {
                    out.extend_from_slice(format!("],\"more\":{more}}}").as_bytes());
                }
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Appends a line of a table, in the format of RFC 4180.
fn write_line(cells: [String; 10], out: &mut Vec<u8>) {
    let mut table = csv::Writer::from_writer(out);
    // Writing to memory does not fail.
    drop(table.write_record(cells));
}

fn cells(row: EventRow) -> [String; 10] {
    let number = |number: Option<f64>| number.map(|it| it.to_string()).unwrap_or_default();
    [
        row.sensor_id,
        row.kind.as_str().to_owned(),
        row.since,
        row.time,
        row.until,
        number(row.before),
        number(row.after),
        number(Some(row.counted)),
        row.open.to_string(),
        row.decided.to_string(),
    ]
}
