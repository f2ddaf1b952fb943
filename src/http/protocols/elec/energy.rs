//! `GET /energy`: energy of the house or of a sensor by the ledger, and its cost.

use std::iter::once;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::domain::{Account, SensorId, Zone};
use crate::house::{EnergyColumn, EnergyQuestion, EnergyReport, EnergyRow};
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::protocols::elec::download::{FLAGS, FORMATS, answered_range, interval, range};
use crate::http::protocols::elec::names::{FORMAT, SENSOR_ID, SOURCES, TZ};
use crate::http::wire::number::raw_number;
use crate::http::wire::params::{one_of, param, sensor};
use crate::http::wire::stream::{self, ResultText};
use crate::http::wire::{ApiError, Format};
use crate::store::StoreError;

/// `GET /energy`: responds with rows of energy.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let of = match param(query, SENSOR_ID)? {
        Some(_) => Some(sensor(query, SENSOR_ID)?),
        None => None,
    };
    let zone = zone(query)?;
    let interval = interval(query)?;
    let format = one_of(query, FORMAT, &FORMATS)?.unwrap_or(Format::Json);
    let with_sources = one_of(query, SOURCES, &FLAGS)?.unwrap_or(false);
    // Without a zone, dates and buckets are in the account's zone: the range is parsed again once
    // that is known.
    let asked = range(query, zone.as_ref().unwrap_or(&Zone::UTC))?;
    let account = reading_account(&app, &request)?;
    let (zone, asked) = match zone {
        Some(zone) => (zone, asked),
        None => (account.zone.clone(), range(query, &account.zone)?),
    };
    let range = answered_range(query, asked, (&zone, app.counted_now()))?;
    let question = EnergyQuestion {
        of,
        range,
        interval,
        zone,
        with_sources,
    };
    respond(&request, &app, account, question, format).await
}

/// Responds with the rows of a question about an account.
///
/// # Errors
/// [`ApiError::SensorNotAuthorized`] if the account has no such sensor,
/// [`ApiError::InvalidField`] if it cannot have sources.
pub(crate) async fn respond(
    request: &HttpRequest,
    app: &AppState,
    account: Account,
    question: EnergyQuestion,
    format: Format,
) -> Result<HttpResponse, ApiError> {
    let (store, now) = (Arc::clone(&app.store), app.counted_now());
    let checked = question.check_sources(&store.registry(), &account.name);
    checked.map_err(|error| ApiError::unfit(SOURCES, error.to_string()))?;
    let report = app.begin_report(&account.name);
    let open = move || {
        let report = EnergyReport::open(&store, &account, question, now)?;
        let report = report.ok_or(ApiError::SensorNotAuthorized)?;
        Ok(EnergyText::new(report, format))
    };
    stream::respond(request, report, format, open).await
}

fn zone(query: &str) -> Result<Option<Zone>, ApiError> {
    let name = param(query, TZ)?;
    let zone =
        name.map(|name| Zone::parse(&name).map_err(|error| ApiError::invalid(TZ, error, &name)));
    zone.transpose()
}

/// Rows as text.
struct EnergyText {
    report: EnergyReport,
    format: Format,
    columns: Vec<EnergyColumn>,
    part_columns: Vec<EnergyColumn>,
    /// In a table: the sensors with columns of their own.
    parts: Vec<SensorId>,
    has_begun: bool,
    has_rows: bool,
}

impl EnergyText {
    fn new(report: EnergyReport, format: Format) -> Self {
        Self {
            columns: report.columns(),
            part_columns: report.part_columns(),
            parts: report.parts().cloned().collect(),
            report,
            format,
            has_begun: false,
            has_rows: false,
        }
    }

    fn begin(&self, out: &mut Vec<u8>) {
        match self.format {
            Format::Json => {
                let mut head = json!({"units": "watthours"});
                if let (Some(head), Some(currency)) = (head.as_object_mut(), self.report.currency())
                {
                    head.insert("currency".to_owned(), currency.as_str().into());
                }
                let head = head.to_string();
                out.extend_from_slice(head.trim_end_matches('}').as_bytes());
                out.extend_from_slice(b",\"data\":[");
            }
            Format::Ndjson => {}
            Format::Csv => {
                let own = self.columns.iter().map(|column| column.as_str().to_owned());
                let parts = self.parts.iter().flat_map(|part| {
                    let name = move |column: EnergyColumn| format!("{} {part}", column.as_str());
                    self.part_columns.iter().copied().map(name)
                });
                write_line(once("t".to_owned()).chain(own).chain(parts), out);
            }
        }
    }

    fn write(&mut self, row: &EnergyRow, out: &mut Vec<u8>) {
        match self.format {
            Format::Json | Format::Ndjson => {
                if self.format == Format::Json && self.has_rows {
                    out.push(b',');
                }
                // A row has only text and finite numbers, and writing to memory does not fail.
                drop(serde_json::to_writer(&mut *out, row));
                if self.format == Format::Ndjson {
                    out.push(b'\n');
                }
            }
            Format::Csv => write_line(self.fields(row), out),
        }
        self.has_rows = true;
    }

    /// The fields of a row: one for each column, empty where the value is unknown.
    fn fields(&self, row: &EnergyRow) -> impl Iterator<Item = String> {
        let text = |values: &[(EnergyColumn, f64)], column: EnergyColumn| {
            let value = values.iter().find(|(of, _)| *of == column);
            let number = value.and_then(|(_, value)| raw_number(*value));
            number
                .map(|number| number.get().to_owned())
                .unwrap_or_default()
        };
        let own = self
            .columns
            .iter()
            .map(move |column| text(&row.values, *column));
        let parts = self.parts.iter().flat_map(move |part| {
            let values = row.parts.iter().find(|(id, _)| id == part);
            let values = values.map_or(&[][..], |(_, values)| values);
            let columns = self.part_columns.iter();
            columns.map(move |column| text(values, *column))
        });
        once(row.start.to_string()).chain(own).chain(parts)
    }
}

/// Appends a line of a table.
fn write_line(fields: impl Iterator<Item = String>, out: &mut Vec<u8>) {
    let mut writer = csv::Writer::from_writer(out);
    // Writing to memory does not fail.
    drop(writer.write_record(fields.map(String::into_bytes)));
}

impl ResultText for EnergyText {
    /// Fewer than usual, because each run may read many blocks.
    const RUNS_A_CHUNK: usize = 16;

    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        if !self.has_begun {
            self.begin(out);
            self.has_begun = true;
        }
        let mut rows = Vec::new();
        let is_more = self.report.next_run(&mut rows)?;
        for row in &rows {
            self.write(row, out);
        }
        if !is_more && self.format == Format::Json {
            out.extend_from_slice(b"]}");
        }
        Ok(is_more)
    }
}
