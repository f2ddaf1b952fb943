//! `/events`: what is odd about readings, and what people say about it.

use std::ops::Range;
use std::sync::Arc;

use askama::Template;

use crate::domain::time::MS_PER_DAY;
use crate::domain::{SensorId, Timestamp, Zone};
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::typed_number::kilowatthours;
use crate::http::pages::frame::visit::or_again_with;
use crate::http::pages::frame::{AccountScope, Layout, PageError, PageResult, Visit};
use crate::http::pages::meters::decision::DecisionForm;
use crate::http::pages::meters::fields::{Pass, local_time};
use crate::http::pages::meters::posted::{OwnedSensor, add, back, layout, revoke as revoke_it};
use crate::http::pages::meters::section::{EventScope, EventSection, FormAgain, RangeForm};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::http::wire::params::time;
use crate::ledger::{Event, Fact, FactRange};
use crate::query::ledger_events;

/// How far back the events of a sensor go, unless the address says it.
const SHOWN_DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "meters/events.html")]
struct EventsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The sensor, if the page shows just one.
    sensor: Option<String>,
    section: EventSection,
}

impl EventsPage {
    fn new(
        visit: &Visit,
        sensor: Option<String>,
        section: EventSection,
    ) -> Result<Self, PageError> {
        Ok(Self {
            layout: layout(visit)?,
            accounts: Vec::new(),
            sensor,
            section,
        })
    }

    /// The open events of an account's sensors.
    async fn overview(visit: &Visit) -> Result<Self, PageError> {
        let scope = AccountScope::read(visit)?;
        let accounts = scope.chips("events");
        let account = scope.account.ok_or(PageError::NotFound)?;
        let own = address("events", &[("account", account.name.as_str())]);
        let asked = EventScope::open(&account, scope.sensors, own);
        let section = section(visit, asked, None).await?;
        Ok(Self {
            accounts,
            ..Self::new(visit, None, section)?
        })
    }

    /// The events of a sensor in a range; by default its last month.
    async fn of_sensor(
        visit: &Visit,
        owned: &OwnedSensor,
        range: Option<Range<Timestamp>>,
        again: Option<FormAgain>,
    ) -> Result<Self, PageError> {
        let now = visit.app.counted_now();
        let recent = now.saturating_add_millis(-SHOWN_DAYS * MS_PER_DAY)..now;
        let range = range.unwrap_or(recent);
        let (from, to) = (range.start.to_string(), range.end.to_string());
        let id = owned.sensor.id.as_str();
        let own = address("events", &[("sensor", id), ("from", &from), ("to", &to)]);
        // A form that is shown again leads back to where it was first.
        let posted = visit.field("back")?;
        let back = if posted.is_empty() { own } else { posted };
        let asked = EventScope::of_sensor(&owned.account, &owned.sensor, range, back);
        let section = section(visit, asked, again).await?;
        Self::new(visit, Some(owned.sensor.name.clone()), section)
    }
}

async fn section(
    visit: &Visit,
    asked: EventScope,
    again: Option<FormAgain>,
) -> Result<EventSection, PageError> {
    let (store, language) = (Arc::clone(&visit.app.store), visit.language());
    // Whole histories may be read.
    let turn = visit.app.report_turn(asked.account()).await?;
    let look = move || {
        let _turn = turn;
        EventSection::with_form(&store, asked, again, language)
    };
    in_background(look).await?
}

/// `GET /events`: the open ones of an account; or with `sensor`, those of a sensor from `from` until `to`.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let id = visit.param("sensor")?;
    if id.is_empty() {
        return Ok(ok(&EventsPage::overview(&visit).await?));
    }
    let owned = OwnedSensor::find(&visit.app, &id)?;
    let zone = &owned.account.zone;
    let range = match (visit.param("from")?, visit.param("to")?) {
        (from, to) if from.is_empty() && to.is_empty() => None,
        (from, to) => Some(asked_range(&from, &to, zone)?),
    };
    Ok(ok(
        &EventsPage::of_sensor(&visit, &owned, range, None).await?
    ))
}

fn asked_range(from: &str, to: &str, zone: &Zone) -> Result<Range<Timestamp>, PageError> {
    let (start, end) = (time("from", from, zone)?, time("to", to, zone)?);
    if start > end {
        return Err(ApiError::InvalidRange { start, end }.into());
    }
    Ok(start..end)
}

/// `POST /events/decide`
pub(crate) async fn decide(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = DecisionForm::posted(&visit)?;
    let at = form.at.ok_or(PageError::NotFound)?;
    let decided = try_to_decide(&visit, &owned, (&form, at)).await;
    // Just this event.
    let range = at..at.saturating_add_millis(1);
    let again = Some(FormAgain::Decision(form));
    let page = EventsPage::of_sensor(&visit, &owned, Some(range), again);
    or_again_with(decided, page, |page| &mut page.layout).await
}

async fn try_to_decide(
    visit: &Visit,
    owned: &OwnedSensor,
    (form, at): (&DecisionForm, Timestamp),
) -> PageResult {
    let event = event_at(visit, owned.sensor.id.clone(), at).await?;
    let gone = || PageError::form("events", visit.language().say("events-gone"));
    let facts = form.facts(&event.ok_or_else(gone)?, visit.language())?;
    let added = add(visit, owned, (facts, &form.note), |field| match field {
        "energy" => "kwh",
        "note" => "note",
        _ => "decision",
    });
    added.await?;
    back(visit, "decided", "#events")
}

/// The event of a sensor at this very time.
async fn event_at(visit: &Visit, id: SensorId, at: Timestamp) -> Result<Option<Event>, PageError> {
    let store = Arc::clone(&visit.app.store);
    let look = move || {
        let registry = store.registry();
        let sensor = registry.sensor(&id).ok_or(PageError::NotFound)?;
        let range = at..at.saturating_add_millis(1);
        let meter = registry.metered(sensor);
        let found = ledger_events(&store, &id, meter, range, (|_: &Event| true, 1));
        let found = found.map_err(ApiError::from)?;
        Ok(found.into_iter().next())
    };
    in_background(look).await?
}

/// `POST /events/range`: what somebody knows about a range.
pub(crate) async fn correct_range(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = RangeForm::posted(owned.sensor.id.as_str(), |name| visit.field(name))?;
    let corrected = try_to_correct(&visit, &owned, &form).await;
    let again = Some(FormAgain::Range(form));
    let page = EventsPage::of_sensor(&visit, &owned, None, again);
    or_again_with(corrected, page, |page| &mut page.layout).await
}

async fn try_to_correct(visit: &Visit, owned: &OwnedSensor, form: &RangeForm) -> PageResult {
    let (language, zone) = (visit.language(), &owned.account.zone);
    let time = |text: &str, pass, field| {
        let missing = || PageError::form(field, language.say("meter-time-expected"));
        local_time(text, zone, pass).ok_or_else(missing)
    };
    let from = time(&form.from, Pass::First, "range-from")?;
    let to = time(&form.to, Pass::Second, "range-to")?;
    let range = FactRange::new(from, to);
    let range =
        range.map_err(|_| PageError::form("range-to", language.say("events-end-expected")))?;
    let fact = match form.what.as_str() {
        "wrong" => Fact::Wrong(range),
        "energy" => {
            let energy = kilowatthours(&form.kwh);
            let missing = || PageError::form("range-kwh", language.say("meter-kwh-expected"));
            let energy = energy.ok_or_else(missing)?;
            Fact::Energy(range, energy, form.spread())
        }
        _ => return Err(PageError::form("range-what", language.say("events-choose"))),
    };
    let added = add(
        visit,
        owned,
        (vec![fact], &form.note),
        |field| match field {
            "from" => "range-from",
            "energy" => "range-kwh",
            "note" => "range-note",
            _ => "range-to",
        },
    );
    added.await?;
    back(visit, "corrected", "#events")
}

/// `POST /events/revoke`
pub(crate) async fn revoke(visit: Visit) -> PageResult {
    revoke_it(&visit).await?;
    back(&visit, "revoked", "#events")
}
