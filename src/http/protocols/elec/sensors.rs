//! `GET /sensors`: the account's sensors and their state.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::domain::{Between, MeterKind, Role, Sensor, Sign, SilentAfter, Timestamp};
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::protocols::elec::json::uncached;
use crate::http::wire::ApiError;
use crate::http::wire::number::raw_number;
use crate::store::{Activity, Store, StoreError};

#[derive(Serialize)]
struct ListedSensor {
    sensor_id: String,
    name: String,
    authorized: bool,
    active: bool,
    last_upload: Option<String>,
    latest_watts: Option<Box<RawValue>>,
    role: Role,
    register: MeterKind,
    /// In watt-hours.
    rollover: Option<Box<RawValue>>,
    /// In watts.
    plausible: u32,
    /// Inverted if both measures are.
    sign: Sign,
    power_sign: Sign,
    register_sign: Sign,
    between: Between,
    part_of: Option<String>,
    /// In minutes.
    silent_after: Option<u32>,
    /// Whether the sensor is published to Home Assistant.
    home_assistant: bool,
}

/// `GET /sensors`: lists the sensors of the credentials' account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let grant = reader(&app, &request)?;
    let (account, now) = (grant.account.clone(), app.counted_now());
    let listing = move |store: &Store| {
        let registry = store.registry();
        let own = registry
            .sensors()
            .filter(|sensor| sensor.account == grant.account);
        let own: Vec<&Sensor> = own.collect();
        let ids: Vec<_> = own.iter().map(|sensor| &sensor.id).collect();
        let activities = store.activities(&ids)?;
        let activities = activities.into_iter().map(Option::unwrap_or_default);
        let listed = own.into_iter().zip(activities);
        let listed = listed.map(|(sensor, activity)| listed_as(sensor, &activity, now));
        Ok::<Vec<_>, StoreError>(listed.collect())
    };
    let sensors = app.page(&account, Some(0), listing).await??;
    Ok(uncached(json!({"sensors": sensors})))
}

fn listed_as(sensor: &Sensor, activity: &Activity, now: Timestamp) -> ListedSensor {
    let arrivals = activity.arrivals;
    let rollover = sensor.meter.rollover;
    ListedSensor {
        sensor_id: sensor.id.to_string(),
        name: sensor.name.clone(),
        authorized: sensor.authorized,
        active: arrivals.is_some_and(|arrivals| arrivals.active(now)),
        last_upload: arrivals
            .and_then(|arrivals| arrivals.last_upload(now))
            .map(|time| time.to_string()),
        latest_watts: activity
            .newest_power
            .and_then(|power| raw_number(power.watts)),
        role: sensor.role,
        register: sensor.meter.kind,
        rollover: rollover.and_then(|rollover| raw_number(rollover.register().watthours())),
        plausible: sensor.meter.limit.watts(),
        sign: sensor.meter.sign(),
        power_sign: sensor.meter.power_sign,
        register_sign: sensor.meter.register_sign,
        between: sensor.meter.between,
        part_of: sensor.part_of.as_ref().map(ToString::to_string),
        silent_after: sensor.silent_after.map(SilentAfter::as_minutes),
        home_assistant: sensor.is_announced,
    }
}
