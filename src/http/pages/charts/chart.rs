//! `/chart`: a chart on a page of its own; `/chart.csv`: what it shows.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use askama::Template;

use crate::chart::ChartKind;
use crate::domain::{Account, SensorId, TimeRange, Timestamp, Zone};
use crate::http::pages::charts::account_scope::AccountScope;
use crate::http::pages::charts::links::ChartPage;
use crate::http::pages::charts::section::{ChartSection, section};
use crate::http::pages::charts::selection::{COLUMNS, Selection};
use crate::http::pages::charts::view::{View, of_account};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::wire::body::in_background;
use crate::http::wire::{ApiError, Format, PointWriter};
use crate::query::{Course, Point, Query, Units};
use crate::store::{Store, StoreError};

#[derive(Template)]
#[template(path = "chart.html")]
struct AlonePage {
    layout: Layout,
    chart: ChartSection,
    /// The dashboard of the same account.
    dashboard: String,
}

/// `GET /chart`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let requested = ChartRequest::read(&visit)?;
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let dashboard = requested.view.account.as_ref().map(of_account);
    let drawing = move || {
        let (account, sensors) = (&requested.account, &requested.scope.sensors);
        let view = (&requested.view, ChartPage::Alone);
        section(&store, account, sensors, view, now)
    };
    let chart = in_background(drawing).await??;
    Ok(ok(&AlonePage {
        layout: visit.layout(Tab::Dashboard),
        chart: chart.ok_or(PageError::NotFound)?,
        dashboard: format!("/{}", dashboard.unwrap_or_default()),
    }))
}

/// `GET /chart.csv`: all power readings of one sensor in the range, otherwise the points that are drawn.
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let requested = ChartRequest::read(&visit)?;
    // The disk blocks, so the rest happens on the blocking pool.
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let reading = move || csv_file(&store, &requested, now);
    let (name, content) = in_background(reading).await??;
    let mut response = match content {
        CsvContent::Readings(sensor, range) => {
            let query = Query::Rate(range);
            visit
                .app
                .stream(&visit.request, sensor, query, Format::Csv)
                .await?
        }
        CsvContent::Points(points, units) => {
            let mut writer = PointWriter::new(Format::Csv, units);
            let mut text = Vec::new();
            writer.begin(&mut text);
            writer.write(&points, &mut text);
            writer.finish(&mut text);
            let content_type = Format::Csv.content_type();
            HttpResponse::Ok().content_type(content_type).body(text)
        }
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = disposition
        .try_into()
        // Impossible: `file_name` leaves letters, digits, hyphens and a dot.
        .map_err(|_| ApiError::Internal("a file name is not a valid header"))?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// What the address requests.
struct ChartRequest {
    scope: AccountScope,
    account: Account,
    view: View,
}

impl ChartRequest {
    fn read(visit: &Visit) -> Result<Self, PageError> {
        let query = visit.query();
        let mut scope = AccountScope::read(&visit.app, query)?;
        let account = scope.account.take().ok_or(PageError::NotFound)?;
        let view = View::read(query, &account.zone)?;
        Ok(Self {
            scope,
            account,
            view,
        })
    }
}

/// The content of a file to download.
enum CsvContent {
    /// All power readings, which may be too many for the memory.
    Readings(SensorId, TimeRange),
    Points(Vec<Point>, Units),
}

/// The name of the file, and its content.
fn csv_file(
    store: &Store,
    requested: &ChartRequest,
    now: Timestamp,
) -> Result<(String, CsvContent), PageError> {
    let (view, zone) = (&requested.view, &requested.account.zone);
    let selection = Selection::of(store, &requested.scope.sensors, view, (zone, now))?;
    let selection = selection.ok_or(PageError::NotFound)?;
    let name = file_name(&selection.name, view.kind, &selection.range.dates(zone));
    Ok((name, content(store, &selection, (view.kind, zone))?))
}

fn content(
    store: &Store,
    selection: &Selection,
    (kind, zone): (ChartKind, &Zone),
) -> Result<CsvContent, StoreError> {
    let (group, range) = (selection.group(store, zone), &selection.range);
    if kind == ChartKind::Energy {
        let bars = group.energy_by(range.of_energy(), selection.interval)?;
        return Ok(CsvContent::Points(bars, Units::Watthours));
    }
    if let [sensor] = group.sensors {
        return Ok(CsvContent::Readings(sensor.id.clone(), range.of_power()));
    }
    let power = group.power(range.of_power(), COLUMNS)?;
    let points = match power.map(|power| power.course) {
        Some(Course::Readings(points)) => points,
        // The sum of several sensors never comes as columns.
        Some(Course::Columns(_)) | None => Vec::new(),
    };
    Ok(CsvContent::Points(points, Units::Watts))
}

/// The name of a file. Characters that some systems treat specially become hyphens.
fn file_name(subject: &str, kind: ChartKind, dates: &str) -> String {
    let letters = subject.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    });
    let letters: String = letters.collect();
    let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
    let subject = match &*words {
        // No letter was plain.
        [] => "sensor".to_owned(),
        words => words.join("-"),
    };
    format!("{subject}-{}-{dates}.csv", kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        for (name, file) in [
            ("House, at the grid", "house-at-the-grid-power-d.csv"),
            ("\"; x=\r\n../../etc", "x-etc-power-d.csv"),
            ("電力", "sensor-power-d.csv"),
        ] {
            assert_eq!(file_name(name, ChartKind::Power, "d"), file);
        }
    }
}
