//! `GET /chart.svg`: a chart as a picture, to embed in other pages.

use std::ops::RangeInclusive;

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, REFERRER_POLICY, VARY,
};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::chart::{Chart, ChartData, ChartKind, Look, Picture, PictureSize, Theme, Wording};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Sensor, SensorId, TimeRange, Timestamp, Zone};
use crate::house::{HouseSensors, SensorGroup};
use crate::http::gate::auth::check_read;
use crate::http::gate::resource::{guarded, only};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::names::{END_TIME, SENSOR_ID, START_TIME};
use crate::http::wire::ApiError;
use crate::http::wire::params::{one_of, param, sensor, time};
use crate::http::wire::stream::{MIN_COMPRESSED_LENGTH, accepts_gzip, compress};
use crate::store::{Store, StoreError};
use crate::texts::Language;

pub(crate) const THEMES: [(&str, Theme); 3] = [
    ("auto", Theme::Auto),
    ("light", Theme::Light),
    ("dark", Theme::Dark),
];

/// The parameters of a query string, without the times: these depend on the account's zone.
struct ChartParams {
    sensor: SensorId,
    kind: ChartKind,
    theme: Theme,
    size: PictureSize,
}

impl ChartParams {
    fn read(query: &str) -> Result<Self, ApiError> {
        let sensor = sensor(query, SENSOR_ID)?;
        // Refuses malformed times before the credentials are checked; any zone will do for that.
        // Their order is checked later, in the account's zone.
        for name in [START_TIME, END_TIME] {
            given(query, name, &Zone::UTC)?;
        }
        Ok(Self {
            sensor,
            kind: one_of(query, "kind", &ChartKind::ALL.map(|it| (it.as_str(), it)))?
                .unwrap_or_default(),
            theme: one_of(query, "theme", &THEMES)?.unwrap_or_default(),
            size: size(query)?,
        })
    }
}

fn size(query: &str) -> Result<PictureSize, ApiError> {
    let pixels = |name, range: RangeInclusive<u16>, usual| {
        let Some(text) = param(query, name)? else {
            return Ok(usual);
        };
        let found = text.parse().ok().filter(|number| range.contains(number));
        let (least, most) = range.into_inner();
        let expected = format!("expected a number of pixels from {least} to {most}");
        found.ok_or_else(|| ApiError::invalid(name, expected, &text))
    };
    let usual = PictureSize::default();
    let width = pixels("width", PictureSize::WIDTHS, usual.width())?;
    let height = pixels("height", PictureSize::HEIGHTS, usual.height())?;
    Ok(PictureSize::new(width, height).unwrap_or(usual))
}

/// The requested range; by default the last 24 hours.
fn range(query: &str, zone: &Zone, now: Timestamp) -> Result<TimeRange, ApiError> {
    let end = given(query, END_TIME, zone)?.unwrap_or(now);
    let a_day_before = end.saturating_add_millis(-MS_PER_DAY);
    let start = given(query, START_TIME, zone)?.unwrap_or(a_day_before);
    TimeRange::new(start, end).ok_or(ApiError::InvalidRange { start, end })
}

/// The time in the parameter `name`.
fn given(query: &str, name: &str, zone: &Zone) -> Result<Option<Timestamp>, ApiError> {
    let text = param(query, name)?;
    text.map(|text| time(name, &text, zone)).transpose()
}

/// The route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let chart = only("GET", "/chart.svg").route(web::get().to(picture));
    cfg.service(guarded(chart));
}

/// `GET /chart.svg`: the picture.
async fn picture(request: HttpRequest, app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let params = ChartParams::read(query)?;
    let credentials = match Credentials::of_query(&request) {
        // A picture without a key is refused like one with a wrong key.
        Err(ApiError::MissingField(_)) => return Err(ApiError::BadCredentials),
        credentials => credentials?,
    };
    let grant = credentials.sign_in(&app, &request)?;
    check_read(&grant)?;
    let registry = app.store.registry();
    let sensor = registry.authorized_sensor(&grant.account, &params.sensor);
    let sensor = sensor.cloned().ok_or(ApiError::SensorNotAuthorized)?;
    let account = registry.account(&grant.account);
    let zone = account.map_or(Zone::UTC, |account| account.zone.clone());
    let now = app.counted_now();
    let range = range(query, &zone, now)?;
    let accepts_gzip = accepts_gzip(&request);
    let length_ms = Some(range.length_ms());
    let drawing = move |store: &Store| {
        let plain = draw(store, &sensor, &params, (&zone, range), now)?.into_bytes();
        let is_packed = accepts_gzip && plain.len() >= MIN_COMPRESSED_LENGTH;
        let picture = if is_packed { compress(&plain)? } else { plain };
        Ok::<_, ApiError>((picture, is_packed))
    };
    let (picture, is_packed) = app.page(&grant.account, length_ms, drawing).await??;
    let mut response = HttpResponse::Ok();
    if is_packed {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    Ok(response
        .content_type("image/svg+xml")
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((
            CONTENT_SECURITY_POLICY,
            // The picture contains its styles. Opened by itself, it can load and run nothing else.
            "default-src 'none'; style-src 'unsafe-inline'",
        ))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        // Private, because the address contains a key.
        .insert_header((CACHE_CONTROL, "private, max-age=60"))
        .body(picture))
}

/// Draws the chart; blocks on disk reads.
fn draw(
    store: &Store,
    sensor: &Sensor,
    params: &ChartParams,
    (zone, range): (&Zone, TimeRange),
    now: Timestamp,
) -> Result<String, StoreError> {
    let width = params.size.width();
    let house = HouseSensors::these(store, [sensor].into_iter(), now)?;
    let group = SensorGroup {
        store,
        house: &house,
        zone,
    };
    let data = match params.kind {
        ChartKind::Power => ChartData::power(&group, range, range, width.into())?,
        ChartKind::Energy => {
            ChartData::energy(&group, range, ChartData::interval_for(range, width))?
        }
    };
    let picture = Picture {
        name: &sensor.name,
        wording: Wording::new(zone, Language::english()),
        range,
        size: params.size,
        look: Look::Standalone(params.theme),
        links: &[],
    };
    let chart = Chart {
        picture,
        data: &data,
        beside: &[],
    };
    Ok(chart.draw())
}
