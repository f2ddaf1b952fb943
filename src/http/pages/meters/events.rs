//! `/events`: oddities of readings, and people's corrections.

use std::ops::Range;

use askama::Template;

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, LocalDate, Sensor, SensorId, Timestamp, Zone};
use crate::house::sensors_of;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::range::end_of;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{AccountScope, Layout, PageError, PageResult, Visit};
use crate::http::pages::meters::decision::DecisionForm;
use crate::http::pages::meters::fields::{Pass, local_time};
use crate::http::pages::meters::posted::{
    OwnedSensor, add, back, layout, no_account, revoke as revoke_it,
};
use crate::http::pages::meters::section::{EventScope, EventSection, FormAgain, RangeForm};
use crate::http::wire::ApiError;
use crate::http::wire::params::time;
use crate::ledger::{Event, Fact, FactRange};
use crate::query::ledger_events;
use crate::store::Store;

/// The number of days that a sensor's events go back, unless the address says otherwise.
const SHOWN_DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "meters/events.html")]
struct EventsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    account: String,
    /// The sensor, if the page shows just one.
    sensor: Option<String>,
    filter: EventFilter,
    section: EventSection,
}

/// The filter of a list of events.
#[derive(Default)]
struct EventFilter {
    /// The id and the name of each sensor of the account.
    sensors: Vec<(String, String)>,
    /// The id of the chosen sensor; empty for all.
    sensor: String,
    /// The first and the last day; empty for all of time.
    first: String,
    last: String,
    is_all: bool,
}

impl EventsPage {
    /// The events of an account's sensors: the open ones or, with `state=all`, all.
    async fn overview(
        visit: &Visit,
        (account, accounts): (Account, Vec<AccountChip>),
        sensors: Vec<Sensor>,
    ) -> Result<Self, PageError> {
        let filter = EventFilter {
            sensors: names(&sensors),
            first: visit.param("from")?,
            last: visit.param("to")?,
            is_all: visit.param("state")? == "all",
            ..EventFilter::default()
        };
        let range = filter.range(&account.zone)?;
        let name = account.name.as_str();
        let own = [
            ("account", name),
            ("from", &filter.first),
            ("to", &filter.last),
            ("state", if filter.is_all { "all" } else { "" }),
        ];
        let own: Vec<_> = own.into_iter().filter(|(_, it)| !it.is_empty()).collect();
        let own = address("events", &own);
        let asked = EventScope::overview(&account, sensors, (range, filter.is_all), own);
        Ok(Self {
            layout: layout(visit)?,
            accounts,
            account: name.to_owned(),
            sensor: None,
            filter,
            section: section(visit, asked, None).await?,
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
        let (range_start, range_end) = (range.start, range.end);
        let (from, to) = (range.start.to_string(), range.end.to_string());
        let id = owned.sensor.id.as_str();
        let own = address("events", &[("sensor", id), ("from", &from), ("to", &to)]);
        // A form that is shown again still leads back to its original page.
        let posted = visit.field("back")?;
        let back = if posted.is_empty() { own } else { posted };
        let asked = EventScope::of_sensor(&owned.account, &owned.sensor, range, back);
        let registry = visit.app.store.registry();
        let all = sensors_of(&registry, &owned.account.name).cloned();
        let [first, last] = [range_start, range_end.saturating_add_millis(-1)]
            .map(|time| LocalDate::at(time, &owned.account.zone).to_string());
        Ok(Self {
            layout: layout(visit)?,
            accounts: Vec::new(),
            account: owned.account.name.to_string(),
            sensor: Some(owned.sensor.name.clone()),
            filter: EventFilter {
                sensors: names(&all.collect::<Vec<_>>()),
                sensor: id.to_owned(),
                first,
                last,
                is_all: true,
            },
            section: section(visit, asked, again).await?,
        })
    }
}

impl EventFilter {
    /// The range of its days; all of time without days.
    fn range(&self, zone: &Zone) -> Result<Range<Timestamp>, PageError> {
        let day = |name, text: &str| {
            let day = LocalDate::typed(text);
            day.map_err(|error| ApiError::invalid(name, error, text))
        };
        let start = match &*self.first {
            "" => Timestamp::MIN,
            text => day("from", text)?.start(zone),
        };
        let end = match &*self.last {
            "" => Timestamp::MAX,
            text => end_of(day("to", text)?, zone),
        };
        if start >= end {
            return Err(ApiError::InvalidRange { start, end }.into());
        }
        Ok(start..end)
    }
}

fn names(sensors: &[Sensor]) -> Vec<(String, String)> {
    let named = sensors
        .iter()
        .map(|it| (it.id.to_string(), it.name.clone()));
    named.collect()
}

async fn section(
    visit: &Visit,
    asked: EventScope,
    again: Option<FormAgain>,
) -> Result<EventSection, PageError> {
    let (name, language) = (asked.account().clone(), visit.language());
    let look = move |store: &Store| EventSection::with_form(store, asked, again, language);
    visit.report(&name, look).await?
}

/// `GET /events`: the open events of an account or, with `sensor`, those of a sensor from `from`
/// until `to`.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let id = visit.param("sensor")?;
    if id.is_empty() {
        let scope = AccountScope::read(&visit)?;
        let accounts = scope.chips("events");
        let Some(account) = scope.account else {
            return Ok(no_account(&visit, layout(&visit)?, "events-title"));
        };
        let page = EventsPage::overview(&visit, (account, accounts), scope.sensors);
        return Ok(ok(&page.await?));
    }
    let owned = OwnedSensor::find(&visit.app, &id)?;
    let zone = &owned.account.zone;
    let range = match (visit.param("from")?, visit.param("to")?) {
        (from, to) if from.is_empty() && to.is_empty() => {
            (visit.param("state")? == "all").then_some(Timestamp::MIN..visit.app.counted_now())
        }
        // The days of the filter.
        (first, last)
            if [&first, &last]
                .iter()
                .any(|it| LocalDate::typed(it).is_ok()) =>
        {
            let filter = EventFilter {
                first,
                last,
                ..EventFilter::default()
            };
            Some(filter.range(zone)?)
        }
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
    let event = event_at(&visit, owned.sensor.id.clone(), at).await?;
    let event = event.ok_or(PageError::mistake("events-gone", "events"))?;
    let numbers = visit.numbers();
    let facts = (form.facts(&event, &numbers)?, &*form.note);
    visit.ask(&numbers.questions())?;
    let added = add(&visit, &owned, facts, |field| match field {
        "energy" => "kwh",
        "note" => "note",
        _ => "decision",
    });
    added.await?;
    back(&visit, "decided", "#events")
}

/// The event whose decision had a mistake, alone.
pub(crate) async fn show_decision(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = DecisionForm::posted(&visit)?;
    let at = form.at.ok_or(PageError::NotFound)?;
    let range = Some(at..at.saturating_add_millis(1));
    let again = Some(FormAgain::Decision(form));
    let page = EventsPage::of_sensor(&visit, &owned, range, again);
    Ok(ok(&page.await?))
}

/// The event of a sensor at exactly this time.
async fn event_at(visit: &Visit, id: SensorId, at: Timestamp) -> Result<Option<Event>, PageError> {
    let look = move |store: &Store| {
        let registry = store.registry();
        let sensor = registry.sensor(&id).ok_or(PageError::NotFound)?;
        let range = at..at.saturating_add_millis(1);
        let meter = registry.metered(sensor);
        let found = ledger_events(store, &id, meter, range, (|_: &Event| true, 1));
        let found = found.map_err(ApiError::from)?;
        Ok(found.into_iter().next())
    };
    visit.look(look).await?
}

/// `POST /events/range`: a correction of a range.
pub(crate) async fn correct_range(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let form = RangeForm::posted(&visit)?;
    let time = |text: &str, pass, field| {
        let time = local_time(text, &owned.account.zone, pass);
        time.ok_or(PageError::mistake("meter-time-expected", field))
    };
    let from = time(&form.from, Pass::First, "range-from")?;
    let to = time(&form.to, Pass::Second, "range-to")?;
    let range = FactRange::new(from, to);
    let range = range.map_err(|_| PageError::mistake("events-end-expected", "range-to"))?;
    let numbers = visit.numbers();
    let fact = match form.what.as_str() {
        "wrong" => Fact::Wrong(range),
        "energy" => {
            let energy = numbers.kilowatthours(&form.kwh);
            let missing = PageError::mistake("meter-kwh-expected", "range-kwh");
            Fact::Energy(range, energy.ok_or(missing)?, form.spread())
        }
        _ => return Err(PageError::mistake("events-choose", "range-what")),
    };
    visit.ask(&numbers.questions())?;
    let facts = (vec![fact], &*form.note);
    let added = add(&visit, &owned, facts, |field| match field {
        "from" => "range-from",
        "energy" => "range-kwh",
        "note" => "range-note",
        _ => "range-to",
    });
    added.await?;
    back(&visit, "corrected", "#events")
}

/// The range whose correction had a mistake.
pub(crate) async fn show_range(visit: Visit) -> PageResult {
    let owned = OwnedSensor::find(&visit.app, &visit.field("sensor")?)?;
    let again = Some(FormAgain::Range(RangeForm::posted(&visit)?));
    let page = EventsPage::of_sensor(&visit, &owned, None, again);
    Ok(ok(&page.await?))
}

/// `POST /events/revoke`
pub(crate) async fn revoke(visit: Visit) -> PageResult {
    revoke_it(&visit).await?;
    back(&visit, "revoked", "#events")
}
