//! `/energy`: sums, bars and devices of a range; `/energy.csv`: its bars as a table.

use std::ops::Range;

use actix_web::http::StatusCode;
use askama::Template;

use super::bars::BarsView;
use super::buckets::ShownBuckets;
use super::range_links::RangeLinks;
use super::sources::{ShownSources, SourcesView};
use super::tiles::{EnergyTile, sentences, tiles};
use super::uses::{UsesFrame, UsesView};
use crate::chart::ChartKind;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, AccountName, Against, Role, Timestamp};
use crate::house::{CourseRanges, EnergyCourse, EnergyQuestion, HousePrices, SourcesError};
use crate::http::pages::charts::{AccountScope, ChartSubject, View, is_use_known};
use crate::http::pages::frame::account_scope::{AccountChip, named as account_of};
use crate::http::pages::frame::range::{
    AgainstSwitch, AskedAgainst, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::http::pages::frame::response::{attached, render};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::protocols::elec::download::FLAGS;
use crate::http::protocols::elec::energy;
use crate::http::protocols::elec::names::SOURCES;
use crate::http::wire::params::one_of;
use crate::http::wire::{ApiError, Format};
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "energy.html")]
struct EnergyPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without accounts and sensors.
    shown: Option<EnergyView>,
}

/// The energy of a house.
struct EnergyView {
    /// The account, if the address names it.
    account: Option<String>,
    range: RangeLinks,
    /// The values of the form's fields: first and last day.
    typed: [String; 2],
    tiles: Vec<EnergyTile>,
    /// Those that are folded away.
    more_tiles: Vec<EnergyTile>,
    /// Sentences about gaps in the sums.
    said: Vec<String>,
    bars: BarsView,
    /// Where the energy came from and where it went.
    paths: Option<[String; 3]>,
    /// Whether anything is known about the range that this is compared with.
    is_compared: bool,
    /// The comparison in the address, for the form of ranges.
    against: Option<&'static str>,
    /// The switch to the other comparison; `None` if both are the same.
    switch: Option<AgainstSwitch>,
    /// The range in milliseconds since 1970.
    ends: [i64; 2],
    uses: UsesView,
    /// Who used the sun.
    sources: Option<SourcesView>,
    /// The address with that, if it takes too long to be shown unasked.
    sources_link: Option<String>,
    /// Why the sources of devices are not shown, if there are too many.
    sources_refused: Option<String>,
    /// The address of its hours by days.
    hours: String,
}

/// The request in an address.
pub(super) struct EnergyRequest {
    /// The account, if the address names it.
    pub(super) named: Option<AccountName>,
    pub(super) account: Account,
    scope: AccountScope,
    pub(super) choice: RangeChoice,
    against: AskedAgainst,
    /// Whether the sources of devices are to be shown; `None` for the usual.
    with_sources: Option<bool>,
    pub(super) calendar: RangeCalendar,
}

/// Up to this length of a range, the sources of devices are shown unasked: a month, with its change
/// of the clocks.
const SOURCES_UNASKED_MS: i64 = 32 * MS_PER_DAY;

/// `GET /energy`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let language = visit.language();
    let scope = AccountScope::read(&visit)?;
    let mut page = EnergyPage {
        layout: visit.layout(Tab::Energy),
        accounts: scope.chips("energy"),
        shown: None,
    };
    let account = scope.account.clone();
    let Some(account) = account.filter(|_| !scope.sensors.is_empty()) else {
        return Ok(render(StatusCode::OK, &page));
    };
    let asked = RangeRules::ENERGY.asked(&visit, &account.zone)?;
    let requested = EnergyRequest::of(&visit, (account, scope), asked.choice)?;
    let now = visit.app.counted_now();
    let shown = requested.calendar.in_bars(requested.choice);
    let length_ms = shown.range.end.millis() - shown.range.start.millis();
    let account = requested.account.name.clone();
    // Each quarter of an hour is looked at.
    let is_quick = requested.with_sources != Some(true);
    let length_ms = is_quick.then_some(length_ms);
    let looking = move |store: &Store| EnergyView::at(store, &requested, shown, (now, language));
    let shown = visit.app.page(&account, length_ms, looking).await?;
    let mut shown = shown.map_err(ApiError::from)?;
    let status = asked.show_again(&mut shown.typed, &mut page.layout);
    page.shown = Some(shown);
    Ok(render(status, &page))
}

/// `GET /energy.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.clone().ok_or(PageError::NotFound)?;
    let choice = RangeRules::ENERGY.read(visit.query(), &account.zone)?;
    let requested = EnergyRequest::of(&visit, (account, scope), choice)?;
    let shown = requested.calendar.in_bars(requested.choice);
    let question = EnergyQuestion {
        of: None,
        range: shown.range.clone(),
        interval: Some(shown.interval),
        zone: requested.account.zone.clone(),
        with_sources: requested.with_sources.unwrap_or(false),
    };
    let account = requested.account.clone();
    let answer = energy::respond(&visit.request, &visit.app, account, question, Format::Csv);
    let [first, last] = requested.calendar.dates(&shown.range);
    let name = format!("energy-{first}-to-{last}.csv");
    Ok(attached(answer.await?, &name)?)
}

impl EnergyRequest {
    pub(super) fn of(
        visit: &Visit,
        (account, scope): (Account, AccountScope),
        choice: RangeChoice,
    ) -> Result<Self, PageError> {
        Ok(Self {
            named: account_of(visit.query())?,
            against: AskedAgainst::read(visit.query())?,
            with_sources: one_of(visit.query(), SOURCES, &FLAGS)?,
            calendar: RangeCalendar::of(visit, &account),
            account,
            scope,
            choice,
        })
    }

    /// Whether the sources of devices are shown: as asked, else if that is quick.
    fn shows_sources(&self, range: &Range<Timestamp>) -> bool {
        let length_ms = range.end.millis().saturating_sub(range.start.millis());
        let is_quick = length_ms <= SOURCES_UNASKED_MS;
        self.with_sources.unwrap_or(is_quick) && self.may_have_sources(range)
    }

    fn may_have_sources(&self, range: &Range<Timestamp>) -> bool {
        HousePrices::may_be_priced(range) && !self.has_many_devices()
    }

    /// Whether there are too many devices to find the sources of all at once.
    fn has_many_devices(&self) -> bool {
        let sensors = self.scope.sensors.iter();
        let devices = sensors.filter(|sensor| sensor.role == Role::SubMeter);
        devices.count() > SourcesError::MOST_SUB_METERS
    }

    /// Why the sources of devices are not shown, if there are too many.
    fn sources_refused(&self, course: &EnergyCourse, language: &Language) -> Option<String> {
        let is_refused = course.uses.has_own_sources && self.has_many_devices();
        is_refused.then(|| {
            let most = SourcesError::MOST_SUB_METERS.to_string();
            language.fill("sources-many", [("most", most.into())])
        })
    }

    /// The links to other ranges, and to the file, which has sources if the page has.
    fn links(&self, shown: &ShownRange, has_sources: bool) -> RangeLinks {
        let named = self.named.as_ref().map(AccountName::as_str);
        let mut links = RangeLinks::on(
            ("energy", None, self.against),
            RangeRules::ENERGY,
            (self.choice, shown),
            (&self.calendar, named),
        );
        if has_sources {
            links.csv = with_sources_in(&links.csv);
        }
        links
    }

    /// Who used the sun; or the address of the page with that, if it is not shown unasked.
    fn sources(
        &self,
        course: &EnergyCourse,
        shown: &ShownRange,
        language: &Language,
    ) -> (Option<SourcesView>, Option<String>) {
        let account = &self.account;
        let sources = ShownSources {
            course,
            account,
            ends: [shown.range.start, shown.range.end],
            language,
        };
        let view = sources.view();
        let is_possible = course.uses.has_own_sources && !course.uses.devices.is_empty();
        let is_hidden = is_possible && !self.shows_sources(&shown.range);
        let link = (is_hidden && self.may_have_sources(&shown.range)).then(|| {
            let named = self.named.as_ref().map(AccountName::as_str);
            let here = self.choice.address("energy", named, &account.zone);
            with_sources_in(&self.against.added_to(here))
        });
        (view, link)
    }
}

impl EnergyView {
    /// Builds the view; may block on disk reads.
    fn at(
        store: &Store,
        requested: &EnergyRequest,
        shown: ShownRange,
        (now, language): (Timestamp, &'static Language),
    ) -> Result<Self, StoreError> {
        let EnergyRequest {
            account,
            scope,
            choice,
            against,
            calendar,
            named,
            ..
        } = requested;
        let asked = (*choice, *against);
        let house = (store, &account.name);
        let (shown, compared) = shown.compared(asked, &account.zone, house)?;
        let shown = &shown;
        let ranges = CourseRanges {
            range: shown.range.clone(),
            before: shown.before.clone(),
            so_far: shown.so_far,
            interval: shown.interval,
            with_sources: requested.shows_sources(&shown.range),
        };
        let course = EnergyCourse::of(store, account, &ranges, now)?;
        let [tiles, more_tiles] = tiles(&course, &scope.sensors, language);
        let named = named.as_ref().map(ToString::to_string);
        let currency = course.currency.as_ref().map_or("", |it| it.as_str());
        let frame = UsesFrame {
            currency,
            wording: calendar.wording(),
            most: usize::MAX,
            now: &|_| None,
        };
        let buckets = ShownBuckets {
            course: &course,
            shown,
            chart: &house_chart(requested, shown),
            wording: calendar.wording(),
            now,
        };
        let (sources, sources_link) = requested.sources(&course, shown, language);
        Ok(Self {
            range: requested.links(shown, sources.is_some()),
            sources,
            sources_link,
            sources_refused: requested.sources_refused(&course, language),
            typed: calendar.dates(&shown.range).map(|date| date.to_string()),
            said: sentences(&course, &scope.sensors, shown, (now, language)),
            bars: buckets.view(),
            paths: buckets.paths(),
            uses: UsesView::of(&course.uses, &house_chart(requested, shown), &frame),
            is_compared: course.compared.is_some(),
            against: against.get().map(Against::as_str),
            switch: compared.map(|compared| {
                let here = choice.address("energy", named.as_deref(), &account.zone);
                AgainstSwitch::from(compared, language, |other| other.added_to(here))
            }),
            hours: choice
                .in_hours()
                .address("energy/hours", named.as_deref(), &account.zone),
            ends: [shown.range.start.millis(), shown.range.end.millis()],
            account: named,
            tiles,
            more_tiles,
        })
    }
}

/// An address, which has parameters already, that asks for the sources of devices.
fn with_sources_in(address: &str) -> String {
    format!("{address}&{SOURCES}=1")
}

/// The chart of the house's energy in the range or, if that is not known, of the grid's.
fn house_chart(requested: &EnergyRequest, shown: &ShownRange) -> View {
    let range = RangeChoice::between(shown.range.start, shown.range.end);
    View {
        account: requested.named.clone(),
        subject: if is_use_known(&requested.scope.sensors) {
            ChartSubject::House
        } else {
            ChartSubject::Grid
        },
        with: Vec::new(),
        kind: ChartKind::Energy,
        by: None,
        range: range.unwrap_or(RangeChoice::LAST_DAY),
        against: requested.against,
    }
}
