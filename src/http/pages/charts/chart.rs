//! `/chart`: a chart on a page of its own; `/chart.csv`: what it shows.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use askama::Template;

use crate::domain::account::Account;
use crate::domain::interval::Interval;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::house::Courses;
use crate::http::pages::charts::account_scope::AccountScope;
use crate::http::pages::charts::picture::{COLUMNS, Page, Section, Subject, section, span_of};
use crate::http::pages::charts::span::Span;
use crate::http::pages::charts::view::{Kind, View};
use crate::http::pages::frame::answer::ok;
use crate::http::pages::frame::error::{PageError, PageResult};
use crate::http::pages::frame::layout::{Layout, Tab};
use crate::http::pages::frame::visit::Visit;
use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;
use crate::http::wire::points::{Format, PointWriter};
use crate::query::power::Course;
use crate::query::{Point, Query, Units};
use crate::store::Store;

#[derive(Template)]
#[template(path = "chart.html")]
struct ChartPage {
    layout: Layout,
    chart: Section,
    /// The dashboard of the same account.
    dashboard: String,
}

/// `GET /chart`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let asked = Asked::read(&visit)?;
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let dashboard = asked.view.account.as_ref();
    let dashboard = dashboard
        .map(crate::http::pages::charts::view::of_account)
        .unwrap_or_default();
    let drawing = move || {
        let Asked {
            scope,
            account,
            view,
        } = asked;
        section(&store, &account, &scope.sensors, (&view, Page::Chart), now)
    };
    let chart = in_background(drawing).await??;
    Ok(ok(&ChartPage {
        layout: visit.layout(Tab::Dashboard),
        chart: chart.ok_or(PageError::NotFound)?,
        dashboard: format!("/{dashboard}"),
    }))
}

/// `GET /chart.csv`: the readings of power in the range, or else the points that are drawn.
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let asked = Asked::read(&visit)?;
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let reading = move || rows(&store, &asked, now);
    let Rows { name, content } = in_background(reading).await??;
    let mut response = match content {
        Content::Readings(sensor, range) => {
            let query = Query::Rate(range);
            visit
                .app
                .stream(&visit.request, sensor, query, Format::Csv)
                .await?
        }
        Content::Points(points, units) => {
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
        .map_err(|_| ApiError::Internal("a file name is not a valid header"))?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// What the address asks for.
struct Asked {
    scope: AccountScope,
    account: Account,
    view: View,
}

impl Asked {
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

/// What is in a file.
struct Rows {
    name: String,
    content: Content,
}

enum Content {
    Readings(SensorId, TimeRange),
    Points(Vec<Point>, Units),
}

fn rows(store: &Store, asked: &Asked, now: Timestamp) -> Result<Rows, PageError> {
    let (view, zone) = (&asked.view, &asked.account.zone);
    let subject = Subject::of(view, &asked.scope.sensors)?.ok_or(PageError::NotFound)?;
    let (span, interval) = span_of(store, &subject, view, (zone, now))?;
    let courses = Courses {
        store,
        sensors: &subject.sensors,
        zone,
    };
    Ok(Rows {
        name: file_name(&subject.name, view.kind, &span.dates(zone)),
        content: content(&courses, view.kind, &span, interval)?,
    })
}

fn content(
    courses: &Courses<'_>,
    kind: Kind,
    span: &Span,
    interval: Interval,
) -> Result<Content, PageError> {
    if kind == Kind::Energy {
        let bars = courses.energy_by(span.of_energy(), interval)?;
        return Ok(Content::Points(bars, Units::Watthours));
    }
    if let [sensor] = courses.sensors {
        return Ok(Content::Readings(sensor.id.clone(), span.of_power()));
    }
    let power = courses.power(span.of_power(), COLUMNS)?;
    let points = match power.map(|power| power.course) {
        Some(Course::Readings(points)) => points,
        Some(Course::Columns(_)) | None => Vec::new(),
    };
    Ok(Content::Points(points, Units::Watts))
}

/// The name of a file: what others might read otherwise is a hyphen.
fn file_name(subject: &str, kind: Kind, dates: &str) -> String {
    let letters = subject.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    });
    let subject: String = letters.collect();
    let subject: Vec<&str> = subject.split('-').filter(|word| !word.is_empty()).collect();
    let subject = match subject.join("-") {
        name if name.is_empty() => "sensor".to_owned(),
        name => name,
    };
    format!("{subject}-{}-{dates}.csv", kind.word())
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
            assert_eq!(file_name(name, Kind::Power, "d"), file);
        }
    }
}
