//! `/corrections`: people's corrections of the account's readings.

use std::fmt::Display;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::admin::{
    AdminError, CorrectionForm, CorrectionRow, FactForm, add_correction, correction_doubt,
    revoke_correction,
};
use crate::domain::{AccountName, SensorId, Timestamp};
use crate::http::gate::auth::{API_ID, API_KEY, check_full, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::{members, posted};
use crate::http::protocols::elec::names::SENSOR_ID;
use crate::http::protocols::elec::upload::secret;
use crate::http::wire::list::ListRows;
use crate::http::wire::{ApiError, Body, params};
use crate::ledger::{Author, Correction, FactKind, Made, Spread};
use crate::store::Store;

const REVOKE: &str = "revoke";

/// The body that revokes a correction.
#[derive(Deserialize)]
struct Revocation {
    revoke: u32,
    #[serde(default)]
    note: String,
}

/// The body that adds a correction. Its kind determines the required members; members of other
/// kinds are refused, because their meaning would be lost.
#[derive(Deserialize)]
struct PostedFact {
    sensor_id: String,
    kind: FactKind,
    at: Option<String>,
    from: Option<String>,
    to: Option<String>,
    old_end: Option<f64>,
    new_start: Option<f64>,
    energy: Option<f64>,
    shown: Option<f64>,
    factor: Option<String>,
    counts: Option<bool>,
    spread: Option<Spread>,
    #[serde(default)]
    note: String,
}

/// A request in a body: add a correction, or revoke one.
enum PostedCorrection {
    Add(Box<Correction>),
    Revoke(u32, Made),
}

/// `GET /corrections`: lists the corrections of the credentials' account, or of one of its sensors.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let sensor = match params::param(query, SENSOR_ID)? {
        None => None,
        Some(_) => Some(params::sensor(query, SENSOR_ID)?),
    };
    let grant = reader(&app, &request)?;
    let registry = app.store.registry();
    if let Some(sensor) = &sensor {
        let sensor = registry.authorized_sensor(&grant.account, sensor);
        sensor.ok_or(ApiError::SensorNotAuthorized)?;
    }
    let (store, account, mut from) = (Arc::clone(&app.store), grant.account.clone(), 0);
    // Earlier ones are not held in memory, because they have notes.
    let next = move |rows: &mut ListRows<'_>| {
        let registry = store.registry();
        let all = registry.corrections(&account).into_iter();
        let begin = from;
        let all = all.flat_map(|all| all.from_number(begin));
        let mut seen = 0;
        for one in all.take(RUN) {
            seen += 1;
            from = one.number().saturating_add(1);
            if sensor.as_ref().is_none_or(|id| one.sensor() == id) {
                rows.add(&CorrectionRow::new(&account, one));
            }
        }
        Ok(seen == RUN)
    };
    app.list(&request, &grant.account, "{\"corrections\":[", next)
        .await
}

/// The most corrections that are looked at in one run.
const RUN: usize = 64;

/// `POST /corrections`: adds or revokes a correction; responds with it once that is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let names = [API_ID, API_KEY, REVOKE];
    let [id, key, revoke] = members(&bytes, &names).map_err(|error| malformed(&error))?;
    let (id, key) = (secret(API_ID, id)?, secret(API_KEY, key)?);
    let credentials = Credentials::new(id, key, request.headers())?;
    let (now, by) = (app.now().time, Author::Credential(credentials.id().clone()));
    let posted = PostedCorrection::read(&bytes, revoke.is_some(), now, by)?;
    let grant = credentials.sign_in(&app, &request)?;
    check_full(&grant, "corrections")?;
    let account = grant.account.clone();
    // Weeks of readings may be read to check it.
    let counted = app.counted_now();
    let change = move |store: &_| match posted {
        PostedCorrection::Add(correction) => {
            ChangedCorrection::added(store, &account, *correction, counted)
        }
        PostedCorrection::Revoke(number, made) => {
            let revoked = revoke_correction(store, &account, number, made)?;
            Ok(ChangedCorrection {
                row: CorrectionRow::new(&account, &revoked),
                warnings: Vec::new(),
            })
        }
    };
    let changed: Result<_, AdminError> = app.report(&grant.account, change).await?;
    drop(reserved);
    Ok(HttpResponse::Ok().json(changed?))
}

/// A correction as an answer to its change.
#[derive(Serialize)]
pub(super) struct ChangedCorrection {
    #[serde(flatten)]
    row: CorrectionRow,
    /// What is unlikely about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl ChangedCorrection {
    /// Adds a correction. Blocks.
    pub(super) fn added(
        store: &Store,
        account: &AccountName,
        correction: Correction,
        now: Timestamp,
    ) -> Result<Self, AdminError> {
        let doubt = correction_doubt(store, account, &correction, now)?;
        let added = add_correction(store, account, correction)?;
        Ok(Self {
            row: CorrectionRow::new(account, &added),
            warnings: doubt.iter().map(ToString::to_string).collect(),
        })
    }
}

impl PostedCorrection {
    fn read(body: &[u8], revokes: bool, now: Timestamp, by: Author) -> Result<Self, ApiError> {
        if revokes {
            let Revocation { revoke, note } = parsed(body)?;
            let made = Made::new(now, by, &note).map_err(AdminError::from)?;
            return Ok(Self::Revoke(revoke, made));
        }
        let form = parsed::<PostedFact>(body)?.form()?;
        check_sensor(&form.sensor_id)?;
        let correction = form.correction(now, by)?;
        Ok(Self::Add(Box::new(correction)))
    }
}

/// The entry point of a fuzzer: reads a body with a correction, and one that revokes one.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(body: &[u8]) {
    for revokes in [false, true] {
        drop(PostedCorrection::read(
            body,
            revokes,
            Timestamp::MAX,
            Author::CommandLine,
        ));
    }
}

impl PostedFact {
    fn form(self) -> Result<CorrectionForm, ApiError> {
        self.check_members()?;
        let kind = self.kind;
        let time = |name, text| needed(kind, name, text, ", such as 2026-01-05T10:30:00");
        let energy = |name, text| needed(kind, name, text, ", in watt-hours, such as 12345.6");
        let fact = match kind {
            FactKind::MeterChanged => FactForm::MeterChanged {
                old_end: energy("old_end", self.old_end)?,
                new_start: energy("new_start", self.new_start)?,
                at: time("at", self.at)?,
            },
            FactKind::Event => FactForm::Event {
                at: time("at", self.at)?,
                counts: needed(kind, "counts", self.counts, ": true or false")?,
            },
            FactKind::Energy => FactForm::Energy {
                energy: energy("energy", self.energy)?,
                from: time("from", self.from)?,
                to: time("to", self.to)?,
                spread: self.spread.unwrap_or_default(),
            },
            FactKind::Wrong => FactForm::Wrong {
                from: time("from", self.from)?,
                to: time("to", self.to)?,
            },
            FactKind::Utility => FactForm::Utility {
                shown: energy("shown", self.shown)?,
                at: time("at", self.at)?,
            },
            FactKind::Calibrate => FactForm::Calibrate {
                from: time("from", self.from)?,
                to: self.to,
                factor: needed(kind, "factor", self.factor, ", such as 1.020408")?,
            },
        };
        Ok(CorrectionForm {
            sensor_id: self.sensor_id,
            fact,
            note: self.note,
        })
    }

    fn check_members(&self) -> Result<(), ApiError> {
        let given = [
            ("at", self.at.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("old_end", self.old_end.is_some()),
            ("new_start", self.new_start.is_some()),
            ("energy", self.energy.is_some()),
            ("shown", self.shown.is_some()),
            ("factor", self.factor.is_some()),
            ("counts", self.counts.is_some()),
            ("spread", self.spread.is_some()),
        ];
        let own: &[&str] = match self.kind {
            FactKind::MeterChanged => &["at", "old_end", "new_start"],
            FactKind::Event => &["at", "counts"],
            FactKind::Energy => &["from", "to", "energy", "spread"],
            FactKind::Wrong => &["from", "to"],
            FactKind::Utility => &["at", "shown"],
            FactKind::Calibrate => &["from", "to", "factor"],
        };
        let mut others = given.into_iter().filter(|(name, _)| !own.contains(name));
        let Some((name, _)) = others.find(|(_, is_given)| *is_given) else {
            return Ok(());
        };
        let (kind, own) = (self.kind.as_str(), own.join(", "));
        let problem = format!("{kind} has no such field; expected {own}");
        Err(ApiError::unfit(name, problem))
    }
}

/// Returns the value of a member that corrections of this kind require.
fn needed<T>(kind: FactKind, name: &str, value: Option<T>, what: &str) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::unfit(name, format!("{} needs it{what}", kind.as_str())))
}

/// Parses the members of a body that are not secrets: an error may quote one of these only.
fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    posted(body).map_err(|error| malformed(&error))
}

pub(super) fn check_sensor(id: &str) -> Result<(), ApiError> {
    let checked = SensorId::new(id).map(drop);
    checked.map_err(|error| ApiError::unfit(SENSOR_ID, error.to_string()))
}

fn malformed(error: &impl Display) -> ApiError {
    ApiError::MalformedJson(format!(
        "expected a correction such as {{\"sensor_id\":\"house\",\"kind\":\"wrong\",\"from\":\"2026-01-05T10:00:00\",\"to\":\"2026-01-05T11:00:00\"}}: {error}"
    ))
}
