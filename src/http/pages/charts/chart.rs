//! `/chart`: a chart on a page of its own; `/chart.csv`: its data.

use actix_web::HttpResponse;
use askama::Template;

use crate::chart::ChartKind;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, SensorId, TimeRange, Timestamp, Zone};
use crate::house::EnergyBar;
use crate::http::gate::AppState;
use crate::http::pages::charts::links::ChartPage;
use crate::http::pages::charts::section::{ChartSection, section};
use crate::http::pages::charts::selection::{COLUMNS, Selection};
use crate::http::pages::charts::view::{ChartSubject, View, of_account};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::range::RangeCalendar;
use crate::http::pages::frame::response::{attached, ok};
use crate::http::pages::frame::{AccountScope, Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::meters::{EventScope, EventSection, done};
use crate::http::wire::{Format, PointWriter};
use crate::query::{Course, Point, Query, Units};
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "chart.html")]
struct AlonePage {
    layout: Layout,
    chart: ChartSection,
    /// The events of the readings, for a chart of one sensor.
    section: Option<EventSection>,
    /// The address of the page with the events; for several sensors, of those that wait for a
    /// decision.
    events: String,
    /// The dashboard of the same account.
    dashboard: String,
}

/// Events of longer ranges are on a page of their own, because finding them takes long.
const LONGEST_WITH_EVENTS_MS: i64 = 92 * MS_PER_DAY;

/// `GET /chart`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let requested = ChartRequest::read(&visit)?;
    let now = visit.app.counted_now();
    let dashboard = requested.view.account.as_ref().map(of_account);
    let language = visit.language();
    let drawing = move |store: &Store, requested: ChartRequest| {
        let (account, sensors) = (&requested.account, &requested.scope.sensors);
        let view = (&requested.view, ChartPage::Alone, language);
        let chart = section(store, account, sensors, view, now)?;
        let chart = chart.ok_or(PageError::NotFound)?;
        let (section, events) = events(store, &requested, &chart, language)?;
        Ok::<_, PageError>((chart, section, events))
    };
    let (chart, section, events) = requested.draw(&visit.app, drawing).await?;
    Ok(ok(&AlonePage {
        layout: Layout {
            done: done(&visit)?,
            ..visit.layout(Tab::Dashboard)
        },
        chart,
        section,
        events,
        dashboard: format!("./{}", dashboard.unwrap_or_default()),
    }))
}

/// Returns the events of the readings in a chart of one sensor, unless there are too many, and the
/// address of their page.
fn events(
    store: &Store,
    requested: &ChartRequest,
    chart: &ChartSection,
    language: &'static Language,
) -> Result<(Option<EventSection>, String), PageError> {
    let (account, view) = (&requested.account, &requested.view);
    let mut sensors = requested.scope.sensors.iter();
    let sensor = match &view.subject {
        ChartSubject::Sensor(id) => sensors.find(|sensor| sensor.id == *id),
        ChartSubject::Grid | ChartSubject::House => None,
    };
    let Some(sensor) = sensor else {
        let open = address("events", &[("account", account.name.as_str())]);
        return Ok((None, open));
    };
    let [from, to] =
        [chart.from, chart.to].map(|ms| Timestamp::from_millis(ms).unwrap_or(Timestamp::MAX));
    let texts = [from, to].map(|time| time.to_string());
    let [from_text, to_text] = texts.each_ref().map(String::as_str);
    let id = sensor.id.as_str();
    let own = [("sensor", id), ("from", from_text), ("to", to_text)];
    let own = address("events", &own);
    if to.millis() - from.millis() > LONGEST_WITH_EVENTS_MS {
        return Ok((None, own));
    }
    let back = format!("chart{}", view.query_string(&account.zone));
    let scope = EventScope::of_sensor(account, sensor, from..to, back);
    Ok((Some(EventSection::new(store, scope, language)?), own))
}

/// `GET /chart.csv`: all power readings of one sensor in the range, otherwise the drawn points.
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let requested = ChartRequest::read(&visit)?;
    // Reading blocks, so the rest happens on the blocking pool.
    let (language, now) = (visit.language(), visit.app.counted_now());
    let reading = move |store: &Store, requested| csv_file(store, &requested, language, now);
    let (name, content) = requested.draw(&visit.app, reading).await?;
    let response = match content {
        CsvContent::Readings(sensor, range) => {
            let query = Query::Rate(range);
            visit
                .app
                .stream(&visit.request, (sensor, None), query, Format::Csv)
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
    Ok(attached(response, &name)?)
}

/// The request in an address.
pub(super) struct ChartRequest {
    pub(super) scope: AccountScope,
    pub(super) account: Account,
    pub(super) view: View,
}

impl ChartRequest {
    pub(super) fn read(visit: &Visit) -> Result<Self, PageError> {
        let query = visit.query();
        let mut scope = AccountScope::read(visit)?;
        let account = scope.account.take().ok_or(PageError::NotFound)?;
        let view = View::read(query, &account.zone)?;
        Ok(Self {
            scope,
            account,
            view,
        })
    }

    /// Returns the selection of the view. May block on disk reads.
    ///
    /// # Errors
    /// As [`Selection::of`]; [`PageError::NotFound`] without sensors.
    /// As [`Selection::of`]; [`PageError::NotFound`] without sensors.
    pub(super) fn selection(
        &self,
        store: &Store,
        language: &'static Language,
        now: Timestamp,
    ) -> Result<Selection, PageError> {
        let calendar = RangeCalendar::new(&self.account.zone, language, now);
        let selection = Selection::of(store, &self.scope.sensors, &self.view, calendar)?;
        selection.ok_or(PageError::NotFound)
    }

    /// Draws the chart, in a turn.
    pub(super) async fn draw<T: Send + 'static>(
        self,
        app: &AppState,
        draw: impl FnOnce(&Store, Self) -> Result<T, PageError> + Send + 'static,
    ) -> Result<T, PageError> {
        let (name, length_ms) = (self.account.name.clone(), self.view.range.length_ms());
        let drawing = move |store: &Store| draw(store, self);
        app.page(&name, length_ms, drawing).await?
    }
}

/// The content of a file to download.
enum CsvContent {
    /// All power readings, which may not fit in memory.
    Readings(SensorId, TimeRange),
    Points(Vec<Point>, Units),
}

/// The name of the file, and its content.
fn csv_file(
    store: &Store,
    requested: &ChartRequest,
    language: &'static Language,
    now: Timestamp,
) -> Result<(String, CsvContent), PageError> {
    let (kind, zone) = (requested.view.kind, &requested.account.zone);
    let selection = requested.selection(store, language, now)?;
    let name = file_name(&selection.name, kind, &selection.dates());
    Ok((name, content(store, &selection, (kind, zone))?))
}

fn content(
    store: &Store,
    selection: &Selection,
    (kind, zone): (ChartKind, &Zone),
) -> Result<CsvContent, StoreError> {
    let (group, range) = (selection.group(store, zone), &selection.range);
    if kind == ChartKind::Energy {
        let (bars, _) = group.energy_by(range.of_energy(), selection.range.interval, 0)?;
        let points = bars.iter().map(EnergyBar::point).collect();
        return Ok(CsvContent::Points(points, Units::Watthours));
    }
    if let [it] = group.house.sensors.as_slice() {
        return Ok(CsvContent::Readings(it.sensor.id.clone(), range.of_power()));
    }
    let power = group.power(range.of_power(), COLUMNS)?;
    let points = match power.map(|power| power.course) {
        Some(Course::Readings(points)) => points,
        // The sum of several sensors never comes as columns.
        Some(Course::Columns(_)) | None => Vec::new(),
    };
    Ok(CsvContent::Points(points, Units::Watts))
}

/// The name of a file, with hyphens for characters that some systems treat specially.
pub(super) fn file_name(subject: &str, kind: ChartKind, dates: &str) -> String {
    let letters = subject.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    });
    let letters: String = letters.collect();
    let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
    let subject = match &*words {
        // No character was usable.
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
