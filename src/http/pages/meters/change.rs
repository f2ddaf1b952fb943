//! `/meter/change`: the replacement of a meter.

use askama::Template;

use crate::admin::new_beginning;
use crate::chart::Wording;
use crate::domain::{Meter, MicroWh, Register, Sensor, Timestamp};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::typed_number::kilowatthours_text;
use crate::http::pages::frame::{FormProblem, Layout, PageError, PageResult, Visit};
use crate::http::pages::meters::fields::{Pass, local_text, local_time};
use crate::http::pages::meters::posted::{OwnedSensor, add, layout};
use crate::ledger::{Event, Fact, MeterChange};
use crate::query::good_register;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The events around a change are shown after it.
const AROUND_MS: i64 = 15 * 86_400_000;

#[derive(Template)]
#[template(path = "meters/change.html")]
struct ChangePage {
    layout: Layout,
    sensor_id: String,
    name: String,
    zone: String,
    typed: ChangeForm,
    /// The last register before the change, in words.
    before: Option<String>,
    /// The newest register, in words.
    newest: Option<String>,
    /// The link back to the events of the sensor.
    back: String,
}

/// A change as typed, or as an event suggests it.
struct ChangeForm {
    /// In the account's local time.
    at: String,
    /// In kilowatt-hours.
    old: String,
    new: String,
    note: String,
}

impl ChangeForm {
    fn read(visit: &Visit) -> Result<Self, PageError> {
        let text = |name| Ok::<_, PageError>(visit.param(name)?.trim().to_owned());
        Ok(Self {
            at: text("at")?,
            old: text("old")?,
            new: text("new")?,
            note: visit.trimmed("note")?,
        })
    }
}

impl ChangePage {
    async fn of(visit: &Visit, owned: &OwnedSensor, form: ChangeForm) -> Result<Self, PageError> {
        let wording = Wording::new(&owned.account.zone, visit.language());
        let at = local_time(&form.at, wording.zone, Pass::First);
        let at = at.unwrap_or_else(|| visit.app.counted_now());
        let (before, newest) = registers(visit, owned.sensor.clone(), at).await?;
        let text = |found: Option<Register>| found.map(|it| register_text(it, wording));
        let id = owned.sensor.id.to_string();
        Ok(Self {
            layout: layout(visit)?,
            name: owned.sensor.name.clone(),
            zone: wording.zone.name().to_owned(),
            typed: form,
            before: text(before),
            newest: text(newest),
            back: address("events", &[("sensor", &id)]),
            sensor_id: id,
        })
    }
}

fn register_text(shown: Register, wording: Wording<'_>) -> String {
    let values = [
        ("shown", wording.watthours(Some(shown.watthours)).into()),
        ("time", wording.to_the_second(shown.time).into()),
    ];
    wording.language.fill("meter-register", values)
}

/// The last good register before `at`, and the newest one.
async fn registers(
    visit: &Visit,
    sensor: Sensor,
    at: Timestamp,
) -> Result<(Option<Register>, Option<Register>), PageError> {
    let account = sensor.account.clone();
    let look = move |store: &Store| {
        let metered = store.registry().metered(&sensor);
        let good = good_register(store, &sensor.id, metered, at)?;
        let before = good.map(|(time, shown)| Register {
            time,
            watthours: shown.watthours(),
        });
        Ok::<_, StoreError>((before, store.register_at(&sensor.id, Timestamp::MAX)?))
    };
    Ok(visit.report(&account, look).await??)
}

/// `GET /meter/change?sensor=…`, optionally with values from an event: `at`, `old`, `new`.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.param("sensor")?)?;
    let mut form = ChangeForm::read(&visit)?;
    if form.at.is_empty() && !visit.is_again() {
        let (now, sensor) = (visit.app.now().time, owned.sensor.clone());
        let look = move |store: &Store| new_beginning(store, &sensor, now);
        let found = visit.report(&owned.account.name, look).await??;
        let (at, [old, new]) =
            proposed(&owned.sensor.meter, found.as_ref(), (now, visit.language()));
        form.at = local_text(at, &owned.account.zone);
        (form.old, form.new) = (old, new);
    }
    Ok(ok(&ChangePage::of(&visit, &owned, form).await?))
}

/// The time of the change and the registers of both meters, as far as the readings tell.
fn proposed(
    meter: &Meter,
    found: Option<&Event>,
    (now, language): (Timestamp, &Language),
) -> (Timestamp, [String; 2]) {
    let text = |counted: Option<MicroWh>| {
        let shown = counted.map(|counted| kilowatthours_text(meter.signed(counted), language));
        shown.unwrap_or_default()
    };
    let [old, new] = found.map_or([None; 2], |event| [event.before, event.after]);
    (found.map_or(now, Event::middle), [old, new].map(text))
}

/// `POST /meter/change`
pub(crate) async fn change(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = ChangeForm::read(&visit)?;
    let at = local_time(&form.at, &owned.account.zone, Pass::First);
    let at = at.ok_or(PageError::mistake("meter-time-expected", "at"))?;
    let numbers = visit.numbers();
    let energy = |text: &str, field| {
        numbers
            .kilowatthours(text)
            .ok_or(PageError::mistake("meter-kwh-expected", field))
    };
    let meters = MeterChange {
        old_end: energy(&form.old, "old")?,
        new_start: energy(&form.new, "new")?,
    };
    visit.ask(&numbers.questions())?;
    let facts = vec![Fact::MeterChanged(at, meters)];
    let added = add(&visit, &owned, (facts, &form.note), |field| match field {
        "old_end" => "old",
        "new_start" => "new",
        "note" => "note",
        _ => "at",
    });
    added.await.map_err(|error| match error {
        // The register at that time is shown beside the field, in kilowatt-hours.
        PageError::Form(FormProblem { field: "old", .. }) => {
            PageError::mistake("meter-old-expected", "old")
        }
        other => other,
    })?;
    let [from, to] = [-AROUND_MS, AROUND_MS].map(|ms| at.saturating_add_millis(ms).to_string());
    let parameters = [
        ("sensor", owned.sensor.id.as_str()),
        ("from", &from),
        ("to", &to),
        ("done", "changed"),
    ];
    Ok(see_other(&format!(
        "{}#events",
        address("events", &parameters)
    )))
}
