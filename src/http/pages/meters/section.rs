//! The events of a range on a page, each with its form; a form to correct any range; and the
//! corrections made.

use std::cmp::Reverse;
use std::ops::Range;

use crate::chart::Wording;
use crate::domain::{Account, AccountName, Sensor, Timestamp};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::{PageError, Visit};
use crate::http::pages::meters::decision::DecisionForm;
use crate::http::pages::meters::event_view::EventView;
use crate::http::pages::meters::fields::{local_text, local_text_after};
use crate::http::pages::meters::made::{MadeView, made};
use crate::http::wire::ApiError;
use crate::ledger::{Event, Spread};
use crate::query::ledger_events;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The maximum number of events on a page.
const MOST_SHOWN: usize = 30;
/// The maximum number of a sensor's events that are looked at.
const MOST_FOUND: usize = 10_000;
/// The maximum number of corrections on a page.
const MOST_MADE: usize = 30;

/// The events that a page shows.
pub(crate) struct EventScope {
    account: Account,
    sensors: Vec<Sensor>,
    range: Range<Timestamp>,
    /// Whether it is about several sensors.
    is_overview: bool,
    only_open: bool,
    /// The page that its forms lead back to.
    back: String,
}

/// Events on a page, for `meters/section.html`.
pub(crate) struct EventSection {
    /// Whether these are the events of several sensors.
    pub(crate) is_overview: bool,
    /// Whether only open events are shown.
    pub(crate) only_open: bool,
    /// Open ones first, then the newest first.
    pub(crate) events: Vec<EventView>,
    pub(crate) has_more: bool,
    /// The newest first.
    pub(crate) made: Vec<MadeView>,
    /// The form for a range, on pages of one sensor.
    pub(crate) range: Option<RangeForm>,
    pub(crate) back: String,
}

/// A correction of a range, as in its form.
pub(crate) struct RangeForm {
    pub(crate) sensor_id: String,
    /// In the account's local time.
    pub(crate) from: String,
    pub(crate) to: String,
    /// `wrong` or `energy`; empty if nothing is chosen.
    pub(crate) what: String,
    /// In kilowatt-hours.
    pub(crate) kwh: String,
    pub(crate) is_like_weekday: bool,
    pub(crate) note: String,
    /// Whether it is shown with a mistake.
    pub(crate) is_again: bool,
    /// The addresses to report a change of the meter, and to type in its register.
    pub(crate) change: String,
    pub(crate) typed: String,
}

/// A form with a mistake, to be shown again.
pub(super) enum FormAgain {
    Decision(DecisionForm),
    Range(RangeForm),
}

impl EventScope {
    /// The events of a sensor in a range, on the page `back`.
    pub(crate) fn of_sensor(
        account: &Account,
        sensor: &Sensor,
        range: Range<Timestamp>,
        back: String,
    ) -> Self {
        Self {
            account: account.clone(),
            sensors: vec![sensor.clone()],
            range,
            is_overview: false,
            only_open: false,
            back,
        }
    }

    /// The events of several sensors in a range, only the open ones unless `is_all`, on the page
    /// `back`.
    pub(super) fn overview(
        account: &Account,
        sensors: Vec<Sensor>,
        (range, is_all): (Range<Timestamp>, bool),
        back: String,
    ) -> Self {
        Self {
            account: account.clone(),
            sensors,
            range,
            is_overview: true,
            only_open: !is_all,
            back,
        }
    }

    /// The account of the events.
    pub(super) const fn account(&self) -> &AccountName {
        &self.account.name
    }

    /// The events, in display order.
    fn events(&self, store: &Store) -> Result<Vec<(&Sensor, Event)>, StoreError> {
        let registry = store.registry();
        let mut found = Vec::new();
        for sensor in &self.sensors {
            let is_asked = |event: &Event| event.is_open || !self.only_open;
            let events = ledger_events(
                store,
                &sensor.id,
                registry.metered(sensor),
                self.range.clone(),
                (is_asked, MOST_FOUND),
            )?;
            found.extend(events.into_iter().map(|event| (sensor, event)));
        }
        found.sort_by_key(|(_, event)| (!event.is_open, Reverse(event.time)));
        Ok(found)
    }
}

impl EventSection {
    /// The events of `scope`. May block on disk reads.
    ///
    /// # Errors
    /// [`PageError::Api`] if the store could not be read.
    pub(crate) fn new(
        store: &Store,
        scope: EventScope,
        language: &'static Language,
    ) -> Result<Self, PageError> {
        Self::with_form(store, scope, None, language)
    }

    /// The same, with a form that has a mistake.
    pub(super) fn with_form(
        store: &Store,
        scope: EventScope,
        again: Option<FormAgain>,
        language: &'static Language,
    ) -> Result<Self, PageError> {
        let zone = &scope.account.zone;
        let wording = Wording::new(zone, language);
        let events = scope.events(store).map_err(ApiError::from)?;
        let has_more = events.len() > MOST_SHOWN;
        let (decision, range) = match again {
            Some(FormAgain::Decision(form)) => (Some(form), None),
            Some(FormAgain::Range(form)) => (None, Some(form)),
            None => (None, None),
        };
        let view = |(nth, (sensor, event)): (usize, (&Sensor, Event))| {
            let again = decision.as_ref().filter(|form| form.at == Some(event.time));
            EventView::new(sensor, &event, (wording, nth), again)
        };
        let events = events
            .into_iter()
            .take(MOST_SHOWN)
            .enumerate()
            .map(view)
            .collect();
        let one = scope.sensors.first().filter(|_| !scope.is_overview);
        let of = (one.map(|sensor| &sensor.id), one.map(|_| &scope.range));
        let registry = store.registry();
        Ok(Self {
            is_overview: scope.is_overview,
            only_open: scope.only_open,
            events,
            has_more,
            made: made(&registry, &scope.account, of, (wording, MOST_MADE)),
            range: one.map(|sensor| {
                range.unwrap_or_else(|| RangeForm::of(sensor, &scope.range, wording))
            }),
            back: scope.back,
        })
    }
}

impl RangeForm {
    fn of(sensor: &Sensor, range: &Range<Timestamp>, wording: Wording<'_>) -> Self {
        let id = sensor.id.as_str();
        Self {
            from: local_text(range.start, wording.zone),
            to: local_text_after(range.end, wording.zone),
            ..Self::empty(id)
        }
    }

    fn empty(id: &str) -> Self {
        Self {
            from: String::new(),
            to: String::new(),
            what: String::new(),
            kwh: String::new(),
            is_like_weekday: false,
            note: String::new(),
            is_again: false,
            change: address("meter/change", &[("sensor", id)]),
            typed: address("meter", &[("sensor", id)]),
            sensor_id: id.to_owned(),
        }
    }

    /// Reads a posted form.
    pub(super) fn posted(visit: &Visit) -> Result<Self, PageError> {
        Ok(Self {
            from: visit.field("from")?,
            to: visit.field("to")?,
            what: visit.field("what")?,
            kwh: visit.field("kwh")?,
            is_like_weekday: visit.field("spread")? == Spread::LikeWeekday.as_str(),
            note: visit.trimmed("note")?,
            is_again: true,
            ..Self::empty(&visit.field("sensor")?)
        })
    }

    pub(super) fn spread(&self) -> Spread {
        if self.is_like_weekday {
            Spread::LikeWeekday
        } else {
            Spread::Even
        }
    }
}
