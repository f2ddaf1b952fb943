//! `/tenancy`: the sub-meter of a tenant: its power, its energy, its sources and its statement. It
//! shows nothing else of the house, and no day before or after the tenancy.

use std::ops::Range;

use askama::Template;

use super::power_text::{PowerText, PowerWords};
use crate::chart::{Chart, ChartData, Look, Picture, PictureSize, Wording};
use crate::domain::{Account, AccountName, Membership, SessionOwner, TimeRange, Timestamp};
use crate::house::{HousePower, HouseSensors, SensorGroup, SensorStatement, SensorStatementError};
use crate::http::pages::frame::account_scope::{AccountChip, named};
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::money::billed_days::BilledDays;
use crate::http::pages::money::paper::{SensorPaper, made_for_tenant};
use crate::http::pages::money::sheet::sheet;
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

/// The tenancies that the visitor sees, each with its account: the own ones, and all of accounts
/// that the visitor sees as a whole.
fn visible(visit: &Visit) -> Vec<(Account, Tenancy)> {
    let registry = visit.app.store.registry();
    let rights = &visit.visitor.rights;
    let person = match visit.visitor.owner() {
        Some(SessionOwner::Person(name)) => Some(name),
        _ => None,
    };
    let is_theirs = |account: &AccountName, tenancy: &Tenancy| {
        let is_named = person.is_some() && tenancy.person.as_ref() == person;
        rights.show(account) || (rights.allow(account, Membership::Tenant) && is_named)
    };
    let accounts = registry.accounts();
    let each = accounts.flat_map(|account| {
        let all = registry.tenancies(&account.name);
        let all = all.filter(|tenancy| is_theirs(&account.name, tenancy));
        all.map(|tenancy| (account.clone(), tenancy.clone()))
            .collect::<Vec<_>>()
    });
    each.collect()
}

/// The tenancy that the address names; without a name, one that goes on. `None` if the visitor has
/// none.
fn chosen(
    visit: &Visit,
    all: &[(Account, Tenancy)],
) -> Result<Option<(Account, Tenancy)>, PageError> {
    let (account, name) = (named(visit.query())?, visit.param("tenancy")?);
    let of_account =
        |it: &&(Account, Tenancy)| account.as_ref().is_none_or(|account| it.0.name == *account);
    let mut all = all.iter().filter(of_account);
    if !name.is_empty() {
        let found = all.find(|(_, it)| it.name.as_str() == name).cloned();
        return found.map(Some).ok_or(PageError::NotFound);
    }
    let now = visit.app.counted_now();
    let goes_on = |(account, it): &&(Account, Tenancy)| it.range(&account.zone).contains(&now);
    let first = all.clone().next();
    Ok(all.find(goes_on).or(first).cloned())
}

/// `GET /tenancy`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let all = visible(&visit);
    let shown = chosen(&visit, &all)?;
    let tab = if visit.visitor.rights.are_of_tenant() {
        Tab::Tenancy
    } else {
        Tab::Costs
    };
    let chip = |(account, it): &(Account, Tenancy)| {
        let here = shown.as_ref();
        let is_here = here.is_some_and(|(a, t)| a.name == account.name && t.name == it.name);
        (
            it.name.to_string(),
            address_of(account, it, Vec::new()),
            is_here,
        )
    };
    // Of the account that is shown: a landlord may have several houses.
    let beside = all.iter().filter(|(account, _)| {
        let here = shown.as_ref();
        tab == Tab::Tenancy || here.is_none_or(|(it, _)| it.name == account.name)
    });
    let mut page = TenancyPage {
        layout: visit.layout(tab),
        tenancies: beside.map(chip).collect(),
        shown: None,
    };
    let Some((account, tenancy)) = shown else {
        return Ok(ok(&page));
    };
    let range = RangeRules::BILLED.asked(&visit, &account.zone)?;
    let asked = AskedTenancy::new(&visit, (account, tenancy), range.choice);
    let of = asked.account.name.clone();
    let (now, charges) = (visit.app.counted_now(), visit.app.ingest.charges());
    let view = visit.report(&of, move |store| {
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
    let choice = RangeRules::BILLED.read(visit.query(), &shown.0.zone)?;
    let asked = AskedTenancy::new(&visit, shown, choice);
    let (of, now) = (asked.account.name.clone(), visit.app.counted_now());
    let found = visit.report(&of, move |store| {
        let found = asked.statement(store, now);
        found.map(|found| (asked.calendar.dates(&asked.days()), found))
    });
    let ([first, last], found) = found.await?.map_err(|error| match error {
        SensorStatementError::Store(error) => error.into(),
        _ => PageError::NotFound,
    })?;
    let table = Spreadsheet::respond(sheet(found.rows(), visit.language()));
    let file = format!("{}-{first}-to-{last}.csv", found.sensor.id);
    Ok(attached(table, &file)?)
}

fn address_of(
    account: &Account,
    tenancy: &Tenancy,
    further: Vec<(&'static str, String)>,
) -> String {
    let mut all = vec![
        ("account", account.name.to_string()),
        ("tenancy", tenancy.name.to_string()),
    ];
    all.extend(further);
    format!("tenancy{}", query_string(&all))
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
        let tenancies = (vec![self.tenancy.clone()], &asked);
        let found = SensorStatement::of_tenancies(store, &self.account, tenancies, now)?;
        let found = found.into_iter().next().map(|(_, found)| found);
        let nothing = || {
            Err(SensorStatementError::NoTenancy(
                self.tenancy.name.to_string(),
            ))
        };
        found.unwrap_or_else(nothing)
    }

    fn view(&self, store: &Store, words: PowerWords<'_>) -> Result<TenancyView, PageError> {
        let wording = self.calendar.wording();
        let found = self.statement(store, words.now);
        let page = |choice: RangeChoice| {
            address_of(
                &self.account,
                &self.tenancy,
                choice.parameters(&self.account.zone),
            )
        };
        let shown = self.calendar.shown(self.choice);
        let known = found.as_ref().ok().map(|found| found.range.end());
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
        let house = HousePower::at(store, &self.account.name, words.now)?;
        let its = house.sensors.iter();
        let its = its.filter(|(sensor, _)| sensor.id == self.tenancy.sensor);
        let mut text = its.map(|(sensor, power)| PowerText::of(Some(sensor.role), *power, words));
        Ok(text.next())
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
