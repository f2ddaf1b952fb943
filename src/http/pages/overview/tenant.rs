//! `/tenancy`: a sub-meter of a tenant: its power, its energy, its sources and its statement. It
//! shows nothing else of the house, and no day before or after the tenancy.

use std::ops::Range;

use askama::Template;

use super::power_text::{PowerText, PowerWords};
use crate::chart::{Chart, ChartData, Look, Picture, PictureSize, Wording};
use crate::domain::{Account, Membership, SessionOwner, TimeRange, Timestamp};
use crate::house::{HouseSensors, PowerNow, SensorGroup, SensorStatement, SensorStatementError};
use crate::http::pages::frame::account_scope::{AccountChip, named};
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::money::billed_days::{BilledDays, span};
use crate::http::pages::money::paper::{SensorPaper, made_for_tenant};
use crate::http::pages::money::sheet::sheet;
use crate::http::pages::money::tenancies::tenancy_address;
use crate::http::wire::ApiError;
use crate::ledger::contract::Tenancy;
use crate::store::{Store, StoreError};

#[derive(Template)]
#[template(path = "tenancy.html")]
struct TenancyPage {
    layout: Layout,
    /// The name and the address of each tenancy that the visitor sees, and whether it is shown.
    tenancies: Vec<AccountChip>,
    /// `None` without a tenancy.
    shown: Option<TenancyView>,
}

/// A tenancy.
struct TenancyView {
    name: String,
    account: String,
    days: BilledDays,
    csv: String,
    /// The power of the sub-meter, while the tenancy goes on.
    now: Option<PowerText>,
    /// The energy in [`PictureSize::OF_PAGE`]; empty without any. Its texts are escaped.
    pictures: Vec<String>,
    paper: Option<SensorPaper>,
    /// Why there is no statement, as a sentence.
    problem: Option<String>,
}

/// A tenancy that a visitor asks for.
struct AskedTenancy {
    account: Account,
    tenancy: Tenancy,
    choice: RangeChoice,
    calendar: RangeCalendar,
}

/// A tenancy that the visitor sees.
#[derive(Clone)]
struct VisibleTenancy {
    account: Account,
    tenancy: Tenancy,
    /// Whether the visitor is its tenant.
    is_own: bool,
}

/// The tenancies that the visitor sees: the own ones first, and all of accounts that the visitor
/// sees as a whole.
fn visible(visit: &Visit) -> Vec<VisibleTenancy> {
    let registry = visit.app.store.registry();
    let rights = &visit.visitor.rights;
    let person = match visit.visitor.owner() {
        Some(SessionOwner::Person(name)) => Some(name),
        _ => None,
    };
    let mut found = Vec::new();
    for account in registry.accounts() {
        let sees_all = rights.show(&account.name);
        let is_tenant = rights.allow(&account.name, Membership::Tenant);
        for tenancy in registry.tenancies(&account.name) {
            let is_own = is_tenant && person.is_some() && tenancy.person.as_ref() == person;
            if sees_all || is_own {
                found.push(VisibleTenancy {
                    account: account.clone(),
                    tenancy: tenancy.clone(),
                    is_own,
                });
            }
        }
    }
    // By account and name otherwise.
    found.sort_by_key(|it| !it.is_own);
    found
}

/// The tenancy that the address names; without a name, one that goes on. `None` if the visitor has
/// none.
fn chosen(visit: &Visit, all: &[VisibleTenancy]) -> Result<Option<VisibleTenancy>, PageError> {
    let (account, name) = (named(visit.query())?, visit.param("tenancy")?);
    let of_account = |it: &&VisibleTenancy| {
        account
            .as_ref()
            .is_none_or(|account| it.account.name == *account)
    };
    let mut all = all.iter().filter(of_account);
    if !name.is_empty() {
        let found = all.find(|it| it.tenancy.name.as_str() == name).cloned();
        return found.map(Some).ok_or(PageError::NotFound);
    }
    let now = visit.app.counted_now();
    let first = all.clone().next();
    let goes_on = |it: &&VisibleTenancy| {
        let is_beside = first.is_some_and(|first| first.is_own == it.is_own);
        is_beside && it.tenancy.range(&it.account.zone).contains(&now)
    };
    Ok(all.find(goes_on).or(first).cloned())
}

/// `GET /tenancy`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let all = visible(&visit);
    let shown = chosen(&visit, &all)?;
    let is_own = shown.as_ref().is_none_or(|it| it.is_own);
    let is_here = |it: &VisibleTenancy| {
        let shown = shown.as_ref();
        shown.is_some_and(|here| {
            here.account.name == it.account.name && here.tenancy.name == it.tenancy.name
        })
    };
    let chip = |it: &VisibleTenancy| {
        let address = tenancy_address(&it.account, &it.tenancy, Vec::new());
        (it.tenancy.name.to_string(), address, is_here(it))
    };
    // The own ones, or those of the house that is shown: a landlord may have several.
    let beside = all.iter().filter(|it| {
        let here = shown.as_ref();
        it.is_own || (!is_own && here.is_some_and(|here| here.account.name == it.account.name))
    });
    let tab = if is_own { Tab::Tenancy } else { Tab::Costs };
    let mut page = TenancyPage {
        layout: visit.layout(tab),
        tenancies: beside.map(chip).collect(),
        shown: None,
    };
    let Some(VisibleTenancy {
        account, tenancy, ..
    }) = shown
    else {
        return Ok(ok(&page));
    };
    let range = RangeRules::BILLED.asked(&visit, &account.zone)?;
    let asked = AskedTenancy::new(&visit, (account, tenancy), range.choice);
    let of = asked.account.name.clone();
    let (now, charges) = (visit.app.counted_now(), visit.app.ingest.charges());
    let view = visit.app.tenant_page(&of, move |store| {
        let words = PowerWords {
            wording: asked.calendar.wording(),
            charges: &charges,
            now,
        };
        asked.view(store, words)
    });
    let mut view = view.await??;
    let status = range.show_again(&mut view.days.ends, &mut page.layout);
    page.shown = Some(view);
    Ok(render(status, &page))
}

/// `GET /tenancy.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let shown = chosen(&visit, &visible(&visit))?.ok_or(PageError::NotFound)?;
    let choice = RangeRules::BILLED.read(visit.query(), &shown.account.zone)?;
    let asked = AskedTenancy::new(&visit, (shown.account, shown.tenancy), choice);
    let (of, now) = (asked.account.name.clone(), visit.app.counted_now());
    let found = visit.app.tenant_page(&of, move |store| {
        let found = asked.statement(store, now);
        found.map(|found| (asked.calendar.dates(&asked.days()), found))
    });
    let ([first, last], found) = found.await?.map_err(|error| match error {
        SensorStatementError::Store(error) => ApiError::from(error).into(),
        _ => PageError::NotFound,
    })?;
    // The row of a correction may be about the tenant before.
    let mut rows = found.rows();
    rows.retain(|[kind, ..]| !kind.starts_with("correction "));
    let table = Spreadsheet::respond(sheet(rows, visit.language()));
    let file = format!("{}-{first}-to-{last}.csv", found.sensor.id);
    Ok(attached(table, &file)?)
}

impl AskedTenancy {
    fn new(visit: &Visit, (account, tenancy): (Account, Tenancy), choice: RangeChoice) -> Self {
        // Without the contracts, which are not the tenant's.
        let now = visit.app.counted_now();
        let calendar = RangeCalendar::new(&account.zone, visit.language(), now);
        Self {
            account,
            tenancy,
            choice,
            calendar,
        }
    }

    /// The days that are shown: those of the tenancy in the range.
    fn days(&self) -> Range<Timestamp> {
        let asked = self.calendar.shown(self.choice).range;
        let its = self.tenancy.range(&self.account.zone);
        let start = asked.start.max(its.start);
        start..asked.end.min(its.end).max(start)
    }

    fn statement(
        &self,
        store: &Store,
        now: Timestamp,
    ) -> Result<SensorStatement, SensorStatementError> {
        let asked = self.calendar.shown(self.choice).range;
        SensorStatement::of_tenancy(store, &self.account, (&self.tenancy, &asked), now)
    }

    fn view(&self, store: &Store, words: PowerWords<'_>) -> Result<TenancyView, PageError> {
        let wording = self.calendar.wording();
        let found = self.statement(store, words.now);
        let page = |choice: RangeChoice| {
            tenancy_address(
                &self.account,
                &self.tenancy,
                choice.parameters(&self.account.zone),
            )
        };
        let shown = self.calendar.shown(self.choice);
        // A tenancy that ended has all of its days.
        let known = found.as_ref().ok().map(|found| found.range.end());
        let known = known.filter(|known| *known < self.days().end);
        let rules = (RangeRules::BILLED, self.choice, &self.calendar);
        let mut view = TenancyView {
            name: self.tenancy.name.to_string(),
            account: self.account.name.to_string(),
            days: BilledDays::of(&self.account, rules, (&shown, known), page),
            csv: page(self.choice).replacen("tenancy?", "tenancy.csv?", 1),
            now: None,
            pictures: Vec::new(),
            paper: None,
            problem: None,
        };
        match found {
            Ok(found) => {
                let [first, last] = self
                    .calendar
                    .dates(&(found.range.start()..found.range.end()));
                view.days.dates = span(first, Some(last), wording.language);
                let made = made_for_tenant(store, &self.account, &found, wording);
                view.paper = Some(SensorPaper::of(&found, made, &self.calendar));
                view.now = self.power_now(store, words).map_err(ApiError::from)?;
                view.pictures = self.pictures(store, &found).map_err(ApiError::from)?;
            }
            Err(SensorStatementError::Store(error)) => return Err(ApiError::from(error).into()),
            Err(SensorStatementError::OutsideTenancy { .. }) => {
                view.problem = Some(wording.language.say("tenancy-outside"));
            }
            Err(_) => view.problem = Some(wording.language.say("tenancy-gone")),
        }
        Ok(view)
    }

    /// The power of the sub-meter now; `None` before and after the tenancy.
    fn power_now(
        &self,
        store: &Store,
        words: PowerWords<'_>,
    ) -> Result<Option<PowerText>, StoreError> {
        if !self.tenancy.range(&self.account.zone).contains(&words.now) {
            return Ok(None);
        }
        let registry = store.registry();
        let Some(sensor) = registry.sensor(&self.tenancy.sensor) else {
            return Ok(None);
        };
        let power = PowerNow::of(store, sensor, words.now)?;
        Ok(Some(PowerText::of(Some(sensor.role), power, words)))
    }

    /// Its energy by hours, days or months. Bars begin and end with the tenancy.
    fn pictures(&self, store: &Store, found: &SensorStatement) -> Result<Vec<String>, StoreError> {
        let days = self.days();
        let Some(range) = TimeRange::new(days.start, days.end).filter(|it| it.length_ms() > 0)
        else {
            return Ok(Vec::new());
        };
        let house =
            HouseSensors::these(store, std::iter::once(&found.sensor), self.calendar.now())?;
        let zone = &self.account.zone;
        let group = SensorGroup {
            store,
            house: &house,
            zone,
        };
        let by = ChartData::interval_for(range, PictureSize::OF_PAGE[1].width());
        let data = ChartData::energy(&group, range, by)?;
        let language = self.calendar.wording().language;
        let draw = |size| {
            let picture = Picture {
                name: self.tenancy.name.as_str(),
                wording: Wording::new(zone, language),
                range,
                size,
                look: Look::Inline,
                links: &[],
            };
            let (data, beside) = (&data, &[]);
            Chart {
                picture,
                data,
                beside,
            }
            .draw()
        };
        Ok(PictureSize::OF_PAGE.map(draw).into())
    }
}
