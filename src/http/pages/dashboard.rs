//! `/`: the dashboard.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use askama::Template;

use super::session::Visitor;
use super::{Frame, PageError, Tab, render};
use crate::http::AppState;

#[derive(Template)]
#[template(path = "dashboard.html")]
struct DashboardPage {
    frame: Frame,
    sensors: Vec<SensorRow>,
}

struct SensorRow {
    name: String,
    is_active: bool,
    /// Watts.
    power: Option<f64>,
}

/// `GET /`
pub(super) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    let now = app.counted_now();
    let registry = app.store.registry();
    let sensors = registry.sensors().map(|sensor| {
        let activity = app.store.activity(&sensor.id).unwrap_or_default();
        SensorRow {
            name: sensor.name.clone(),
            is_active: activity
                .arrivals
                .is_some_and(|arrivals| arrivals.active(now)),
            power: activity.newest_power.map(|power| power.watts),
        }
    });
    let page = DashboardPage {
        frame: Frame::new(Tab::Dashboard, &visitor),
        sensors: sensors.collect(),
    };
    render(StatusCode::OK, &page)
}
