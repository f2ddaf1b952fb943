//! Feeds: the power and the register of each sensor, and their newest values.
//!
//! Shapes: github.com/emoncms/emoncms, `Modules/feed/feed_controller.php` and `feed_model.php`.
//! Home Assistant's integration identifies a feed by its id, which must be text, and finds it by
//! its position in the list: so the list has a fixed order, and new feeds come last.

use std::collections::BTreeSet;
use std::sync::Arc;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::domain::{AccountName, MeterKind, Sensor, SensorId, Timestamp, Zone};
use crate::http::gate::AppState;
use crate::http::protocols::emoncms::call::{JSON, reader, respond};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::http::wire::number::raw_number;
use crate::http::wire::params::{param, required, time};
use crate::query::{self, Point};
use crate::store::{Measure, Registry, Store, StoreError};

/// One measure of a sensor.
#[derive(Clone)]
pub(super) struct Feed {
    id: u32,
    pub(super) sensor: SensorId,
    /// The sensor's name, which Emoncms calls the tag.
    tag: String,
    pub(super) measure: Measure,
}

/// A feed as Emoncms lists it. Values from its database are text.
#[derive(Serialize)]
struct ListedFeed {
    id: String,
    userid: &'static str,
    name: String,
    tag: String,
    public: &'static str,
    size: &'static str,
    engine: &'static str,
    #[serde(rename = "processList")]
    process_list: &'static str,
    unit: &'static str,
    /// In seconds since 1970; 0 without a value. Versions of Home Assistant until 2024 fail on
    /// null.
    time: i64,
    value: Option<Box<RawValue>>,
}

impl Feed {
    /// Includes the sensor's name, because Home Assistant shows nothing else of a feed.
    fn name(&self) -> String {
        let measure = match self.measure {
            Measure::Watts => "power",
            Measure::Watthours => "energy",
        };
        format!("{} {measure}", self.tag)
    }

    const fn unit(&self) -> &'static str {
        match self.measure {
            Measure::Watts => "W",
            Measure::Watthours => "Wh",
        }
    }

    /// Its newest value at or before `end`. Blocks on disk reads.
    fn newest(&self, store: &Store, end: Timestamp) -> Result<Option<Point>, StoreError> {
        query::newest(store, &self.sensor, self.measure, end)
    }

    fn listed(self, newest: Option<Point>) -> ListedFeed {
        ListedFeed {
            id: self.id.to_string(),
            userid: "1",
            name: self.name(),
            unit: self.unit(),
            tag: self.tag,
            public: "0",
            // Blocks and rows contain both measures of a sensor, so no feed has a size of its own.
            size: "0",
            // PHPFina, the usual engine.
            engine: "5",
            process_list: "",
            time: newest.map_or(0, |point| seconds_of(point.time)),
            value: newest.and_then(|point| raw_number(point.value)),
        }
    }
}

/// The feeds of an account, the oldest sensor first.
pub(super) fn feeds_of(registry: &Registry, account: &AccountName) -> Vec<Feed> {
    let own = registry.sensors();
    let own = own.filter(|sensor| sensor.authorized && sensor.account == *account);
    let mut own: Vec<&Sensor> = own.collect();
    own.sort_by_key(|sensor| (sensor.created, &sensor.id));
    let mut taken = BTreeSet::new();
    let mut feeds = Vec::new();
    for sensor in own {
        let mut number = number_of(&sensor.id);
        // Two names may have the same number; then the younger sensor takes the next free one.
        while !taken.insert(number) {
            number = number % MOST + 1;
        }
        // The energy of an interval is not a register, but Emoncms' clients would take it for one.
        let energy = (sensor.meter.kind != MeterKind::Interval).then_some(Measure::Watthours);
        for (measure, odd) in [(Some(Measure::Watts), 0), (energy, 1)] {
            feeds.extend(measure.map(|measure| Feed {
                id: 2 * number + odd,
                sensor: sensor.id.clone(),
                tag: sensor.name.clone(),
                measure,
            }));
        }
    }
    feeds
}

/// Small enough that twice the number fits in the 31 bits that clients may expect.
const MOST: u32 = (1 << 30) - 2;

/// The number of a sensor: the same in each run and after a restore, independent of other sensors.
fn number_of(sensor: &SensorId) -> u32 {
    crc32fast::hash(sensor.as_str().as_bytes()) % MOST + 1
}

/// The feed that the parameter `id` names.
///
/// # Errors
/// [`ApiError::Foreign`] in Emoncms' words if there is none.
pub(super) fn named(feeds: Vec<Feed>, query: &str) -> Result<Feed, ApiError> {
    let id = required(query, "id")?;
    let mut feeds = feeds.into_iter();
    let found = feeds.find(|feed| feed.id.to_string() == id);
    found.ok_or_else(|| ApiError::foreign("Feed does not exist"))
}

const fn seconds_of(time: Timestamp) -> i64 {
    time.millis().div_euclid(1_000)
}

/// `GET /feed/list.json`: all feeds, with their newest values.
pub(super) async fn list(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let listing = async {
        let grant = reader(&app, &request)?;
        let feeds = feeds_of(&app.store.registry(), &grant.account);
        let store = Arc::clone(&app.store);
        let listed = in_background(move || {
            let listed = feeds.into_iter().map(|feed| {
                let newest = feed.newest(&store, Timestamp::MAX)?;
                Ok(feed.listed(newest))
            });
            listed.collect::<Result<Vec<ListedFeed>, StoreError>>()
        });
        Ok(uncached(listed.await??))
    };
    respond(listing.await, JSON)
}

/// `GET /feed/aget.json`: one feed, as in the list.
pub(super) async fn whole(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let found = one(&request, &app, Timestamp::MAX).await;
    respond(
        found.map(|(feed, newest)| uncached(feed.listed(newest))),
        JSON,
    )
}

/// `GET /feed/get.json`: one field of a feed.
pub(super) async fn field(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let finding = async {
        let (feed, newest) = one(&request, &app, Timestamp::MAX).await?;
        let field = param(request.query_string(), "field")?;
        let field = field.ok_or_else(|| ApiError::foreign("Missing field parameter"))?;
        let listed = serde_json::to_value(feed.listed(newest));
        let value = listed.ok().and_then(|all| all.get(&field).cloned());
        Ok(uncached(value.unwrap_or(Value::Bool(false))))
    };
    respond(finding.await, JSON)
}

/// `GET /feed/value.json`: the newest value of a feed, or the newest one at a time.
pub(super) async fn value(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let finding = async {
        let (_, newest) = one(&request, &app, time_of(&request, &app)?).await?;
        Ok(uncached(newest.and_then(|point| raw_number(point.value))))
    };
    respond(finding.await, JSON)
}

/// `GET /feed/timevalue.json`: the newest value of a feed, and its time.
pub(super) async fn timed_value(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let found = one(&request, &app, Timestamp::MAX).await;
    let answer = |newest: Option<Point>| {
        let value = newest.and_then(|point| raw_number(point.value));
        json!({"time": newest.map(|point| seconds_of(point.time)), "value": value})
    };
    respond(found.map(|(_, newest)| uncached(answer(newest))), JSON)
}

/// `GET /user/getuuid.json`: an id that distinguishes this account from all others, on any server.
pub(super) async fn uuid(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    let finding = || {
        let grant = reader(&app, &request)?;
        let registry = app.store.registry();
        let account = registry.account(&grant.account);
        let account = account.ok_or(ApiError::BadCredentials)?;
        let known = format!("wattkeeper {} {}", account.name, account.created);
        let message = uuid_of(&known);
        Ok(uncached(json!({"success": true, "message": message})))
    };
    respond(finding(), JSON)
}

/// A UUID derived from a text (RFC 9562, version 8).
fn uuid_of(text: &str) -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let hash = Sha256::digest(text.as_bytes());
    let bits = u128::from_be_bytes(hash.first_chunk().copied().unwrap_or_default());
    let bits = bits & !VERSION & !VARIANT | 8 << 76 | 0b10 << 62;
    let digits = format!("{bits:032x}");
    let part = |range| digits.get(range).unwrap_or_default();
    [0..8, 8..12, 12..16, 16..20, 20..32].map(part).join("-")
}

/// The requested feed, and its newest value at or before `end`.
async fn one(
    request: &HttpRequest,
    app: &AppState,
    end: Timestamp,
) -> Result<(Feed, Option<Point>), ApiError> {
    let grant = reader(app, request)?;
    let feeds = feeds_of(&app.store.registry(), &grant.account);
    let feed = named(feeds, request.query_string())?;
    let store = Arc::clone(&app.store);
    let found = in_background(move || {
        let newest = feed.newest(&store, end)?;
        Ok::<_, ApiError>((feed, newest))
    });
    found.await?
}

/// The time in the parameter `time`; by default, no limit.
fn time_of(request: &HttpRequest, app: &AppState) -> Result<Timestamp, ApiError> {
    let grant = reader(app, request)?;
    match param(request.query_string(), "time")? {
        None => Ok(Timestamp::MAX),
        Some(text) => moment("time", &text, app, &grant.account),
    }
}

/// A time in seconds or milliseconds since 1970, or a date and time; a date alone is the start of
/// that day in the account's zone.
pub(super) fn moment(
    name: &str,
    text: &str,
    app: &AppState,
    account: &AccountName,
) -> Result<Timestamp, ApiError> {
    /// As in Emoncms: larger numbers are milliseconds.
    const MOST_SECONDS: i64 = 9_999_999_999;
    if let Ok(number) = text.parse::<i64>() {
        let ms = if number > MOST_SECONDS {
            Some(number)
        } else {
            number.checked_mul(1_000)
        };
        let time = ms.and_then(Timestamp::from_millis);
        return time.ok_or_else(|| ApiError::invalid(name, "expected a time", text));
    }
    time(name, text, &zone_of(app, account))
}

/// The time zone of an account.
pub(super) fn zone_of(app: &AppState, account: &AccountName) -> Zone {
    let registry = app.store.registry();
    let account = registry.account(account);
    account.map_or(Zone::UTC, |account| account.zone.clone())
}

fn uncached(answer: impl Serialize) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .json(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Account, Phases, Plan};
    use crate::store::{OpenMode, StoreSettings};

    #[test]
    fn a_feed_keeps_its_id_and_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(
            dir.path(),
            StoreSettings::default(),
            OpenMode::CreateIfMissing,
        )
        .unwrap();
        let account = AccountName::new("home").unwrap();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let home = Account {
            name: account.clone(),
            plan: Plan::Free,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: at(0),
        };
        store.edit(move |edit| edit.put_account(home)).unwrap();
        let mut known: Vec<(u32, String)> = Vec::new();
        // The first two have the same CRC-32, as many pairs of names do.
        for (ms, name) in [(1, "plumless"), (2, "buckeroo"), (3, "a"), (4, "0")] {
            let id = SensorId::new(name).unwrap();
            store
                .put_sensor_durably(Sensor::new(id, account.clone(), at(ms)))
                .unwrap();
            let feeds = feeds_of(&store.registry(), &account);
            let listed = feeds.iter().map(|feed| (feed.id, feed.sensor.to_string()));
            let listed: Vec<_> = listed.collect();
            assert_eq!(listed[..known.len()], known[..], "{name}");
            assert_eq!(listed.len(), known.len() + 2);
            known = listed;
        }
        assert_eq!(
            number_of(&SensorId::new("plumless").unwrap()),
            number_of(&SensorId::new("buckeroo").unwrap())
        );
        let ids: BTreeSet<u32> = known.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids.len(), 8);
        assert!(ids.iter().all(|id| (2..1 << 31).contains(id)));
    }

    #[test]
    fn a_uuid_is_that_of_its_text() {
        let uuid = uuid_of("home");
        assert_eq!(uuid, uuid_of("home"));
        assert_ne!(uuid, uuid_of("barn"));
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(&uuid[14..15], "8");
        assert!("89ab".contains(&uuid[19..20]), "{uuid}");
    }
}
