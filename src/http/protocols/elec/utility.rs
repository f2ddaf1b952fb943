//! `/utility`: readings of the utility's meter, and its bills.

use std::fmt::Display;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::corrections::{ChangedCorrection, check_sensor};
use super::json::{members, number_text, posted, uncached};
use crate::admin::{
    BillForm, CorrectionForm, EntryForm, FactForm, entry_row, put_entry, remove_entry,
};
use crate::domain::{EntryKind, FromObject, Timestamp, Zone};
use crate::house::{UtilityPart, UtilityWalk};
use crate::http::gate::auth::{check_full, reading_account};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::in_background;
use crate::http::wire::stream::{self, ResultText};
use crate::http::wire::{ApiError, Body, Format};
use crate::ledger::{Author, Correction};
use crate::store::{Store, StoreError};

const REMOVE: &str = "remove";

/// A request in a body: a reading, a bill, or the removal of a bill.
enum PostedToUtility {
    Reading(Box<Correction>),
    Bill(BillForm),
    Removal(u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedReading {
    sensor_id: String,
    time: String,
    watthours: f64,
    #[serde(default)]
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedBill<'a> {
    from: String,
    to: String,
    #[serde(borrow)]
    total: &'a RawValue,
    #[serde(borrow, default)]
    kwh: Option<&'a RawValue>,
    #[serde(borrow, default)]
    lines: Vec<FromObject<PostedLine<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedLine<'a> {
    name: String,
    #[serde(borrow)]
    amount: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedRemoval {
    remove: u32,
}

/// `GET /utility`: readings of the utility's meter and its bills, beside the ledger's energy.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reading_account(&app, &request)?;
    let (store, now) = (Arc::clone(&app.store), app.counted_now());
    let report = app.begin_report(&account.name);
    let open = move || {
        let walk = UtilityWalk::new(&store, &account, now);
        Ok(UtilityText {
            store,
            walk,
            place: TextPlace::Begin,
        })
    };
    stream::respond(&request, report, Format::Json, open).await
}

/// The readings and bills as text.
struct UtilityText {
    store: Arc<Store>,
    walk: UtilityWalk,
    place: TextPlace,
}

/// The part of an answer that was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextPlace {
    Begin,
    Sensors,
    Bills,
}

impl ResultText for UtilityText {
    // A bill may cover two years, and there may be hundreds: each takes a turn.
    const RUNS_A_CHUNK: usize = 1;

    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        let part = self.walk.next_part(&self.store)?;
        let place = match &part {
            Some(UtilityPart::Sensor(_)) => TextPlace::Sensors,
            _ => TextPlace::Bills,
        };
        let before: &[u8] = match (self.place, place) {
            (TextPlace::Begin, TextPlace::Bills) => br#"{"sensors":[],"bills":["#,
            (TextPlace::Begin, _) => br#"{"sensors":["#,
            (TextPlace::Sensors, TextPlace::Bills) => br#"],"bills":["#,
            _ if part.is_some() => b",",
            _ => b"",
        };
        out.extend_from_slice(before);
        self.place = place;
        // A part has only text and finite numbers, and writing to memory does not fail.
        drop(match &part {
            Some(UtilityPart::Sensor(sensor)) => serde_json::to_writer(&mut *out, sensor),
            Some(UtilityPart::Bill(bill)) => serde_json::to_writer(&mut *out, bill),
            None => {
                out.extend_from_slice(b"]}");
                Ok(())
            }
        });
        Ok(part.is_some())
    }
}

/// `POST /utility`: adds a reading of the utility's meter or a bill, or removes a bill; responds
/// once that is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let credentials = Credentials::of_query(&request)?;
    let now = app.now().time;
    let posted = read(&bytes, now, &credentials)?;
    let grant = credentials.sign_in(&app, &request)?;
    check_full(&grant, "utility")?;
    let (store, account) = (Arc::clone(&app.store), grant.account);
    let counted = app.counted_now();
    let change = move || match posted {
        PostedToUtility::Reading(reading) => {
            let added = ChangedCorrection::added(&store, &account, *reading, counted)?;
            Ok(json!(added))
        }
        PostedToUtility::Bill(form) => {
            let form = EntryForm::Bill(form);
            let bill = put_entry(&store, &account, (&form, None), now)?;
            Ok(serde_json::from_str(&entry_row(&account, &bill)).unwrap_or_default())
        }
        PostedToUtility::Removal(number) => {
            remove_entry(&store, &account, EntryKind::Bill, &number.to_string())?;
            Ok(json!({"removed": number}))
        }
    };
    let answer: Result<Value, ApiError> = in_background(change).await?;
    drop(reserved);
    Ok(uncached(answer?))
}

/// Reads a body, and checks it as far as possible without knowing the account.
fn read(
    bytes: &[u8],
    now: Timestamp,
    credentials: &Credentials,
) -> Result<PostedToUtility, ApiError> {
    let [sensor, removal] =
        members(bytes, &["sensor_id", REMOVE]).map_err(|error| malformed(&error))?;
    if removal.is_some() {
        let PostedRemoval { remove } = parsed(bytes)?;
        return Ok(PostedToUtility::Removal(remove));
    }
    if sensor.is_some() {
        let posted: PostedReading = parsed(bytes)?;
        check_sensor(&posted.sensor_id)?;
        let form = CorrectionForm {
            sensor_id: posted.sensor_id,
            fact: FactForm::Utility {
                at: posted.time,
                shown: posted.watthours,
            },
            note: posted.note,
        };
        let by = Author::Credential(credentials.id().clone());
        let reading = form.correction(now, by).map_err(|error| {
            // The fields of a correction have different names.
            let name = match error.at() {
                "at" => "time",
                "shown" => "watthours",
                other => other,
            };
            ApiError::unfit(name, error.problem())
        })?;
        return Ok(PostedToUtility::Reading(Box::new(reading)));
    }
    let posted: PostedBill<'_> = parsed(bytes)?;
    let form = BillForm {
        from: posted.from,
        to: posted.to,
        total: number_text(posted.total),
        kwh: posted.kwh.map(number_text),
        lines: posted
            .lines
            .into_iter()
            .map(|FromObject(line)| (line.name, number_text(line.amount)))
            .collect(),
    };
    // Checked again later in the account's zone, which only moves the dates.
    form.bill(&Zone::UTC)?;
    Ok(PostedToUtility::Bill(form))
}

fn parsed<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, ApiError> {
    posted(bytes).map_err(|error| malformed(&error))
}

fn malformed(error: &impl Display) -> ApiError {
    ApiError::MalformedJson(format!(
        "expected a reading such as {{\"sensor_id\":\"house\",\"time\":\"2026-01-05T10:00:00\",\"watthours\":4711000}}, a bill such as {{\"from\":\"2026-01-01\",\"to\":\"2026-02-01\",\"total\":73.5}}, or {{\"remove\":1}}: {error}"
    ))
}
