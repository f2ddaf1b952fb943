//! `/`: the dashboard.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::chart::date;
use crate::domain::account::Account;
use crate::domain::role::Role;
use crate::domain::sensor::Sensor;
use crate::domain::time::Timestamp;
use crate::house::{Comparison, Energies, Energy, House, SensorState, Total};
use crate::http::gate::state::AppState;
use crate::http::pages::charts::account_scope::AccountScope;
use crate::http::pages::charts::picture::{Page, Section, section};
use crate::http::pages::charts::view::{View, of_account};
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::figures::Change;
use crate::http::pages::frame::layout::{Frame, Tab, render};
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::overview::now::{Said, SaidOf, key_of, said};
use crate::http::wire::body::in_background;
use crate::store::Store;

#[derive(Template)]
#[template(path = "dashboard.html")]
struct DashboardPage {
    frame: Frame,
    /// Names and addresses of all accounts, and which is shown.
    accounts: Vec<(String, String, bool)>,
    shown: Option<Shown>,
}

/// The house of an account.
struct Shown {
    account: String,
    zone: String,
    price: Option<String>,
    date: String,
    clock: String,
    /// The query string that names the account, where the address did.
    query: String,
    totals: Vec<Panel>,
    /// Today, yesterday, this week, month, year of the house.
    periods: Vec<Period>,
    cards: Vec<Card>,
    has_revoked: bool,
    chart: Option<Section>,
}

/// Power now, of a sensor or of some together.
struct Panel {
    /// As `/live` names it.
    key: String,
    title: &'static str,
    said: Said,
}

/// Energy of a period.
struct Period {
    name: &'static str,
    /// Up to when the one before is looked at.
    against: &'static str,
    energy: String,
    cost: Option<String>,
    gives: bool,
    /// Whether some of it is missing.
    is_partial: bool,
    before: Option<String>,
    change: Option<Change>,
    /// Of the panels, and of the house with them.
    beside: Vec<(&'static str, String)>,
}

/// A sensor.
struct Card {
    key: String,
    name: String,
    role: &'static str,
    /// Whether it measures what panels make.
    is_made: bool,
    said: Said,
    /// Empty where there are no readings at all.
    periods: Vec<Period>,
    chart: String,
}

/// `GET /`
pub(crate) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let query = request.query_string();
    let scope = AccountScope::read(&app, query)?;
    let accounts = scope.accounts.iter().map(|name| {
        let is_shown = scope.account.as_ref().is_some_and(|it| it.name == *name);
        (name.to_string(), format!("/{}", of_account(name)), is_shown)
    });
    let accounts = accounts.collect();
    let shown = match &scope.account {
        None => None,
        Some(account) => {
            let view = View::read(query, &account.zone)?;
            let (store, now) = (Arc::clone(&app.store), app.counted_now());
            let looking = move || Shown::at(&store, &scope, &view, now);
            in_background(looking).await??
        }
    };
    let page = DashboardPage {
        frame: Frame::new(Tab::Dashboard, &visitor),
        accounts,
        shown,
    };
    render(StatusCode::OK, &page)
}

impl Shown {
    /// Blocks on the disk.
    fn at(
        store: &Store,
        scope: &AccountScope,
        view: &View,
        now: Timestamp,
    ) -> Result<Option<Self>, PageError> {
        let Some(account) = &scope.account else {
            return Ok(None);
        };
        let zone = &account.zone;
        let house = House::at(store, account, now)?;
        let said = said(store, &account.name, zone, now);
        let chart = (view, Page::Dashboard);
        Ok(Some(Self {
            account: account.name.to_string(),
            zone: zone.name().to_owned(),
            price: account.price.as_ref().map(figures::price),
            date: date(now, zone),
            clock: figures::clock(now, zone),
            query: view.account.as_ref().map(of_account).unwrap_or_default(),
            totals: totals(&said),
            periods: house
                .grid
                .as_ref()
                .map(|grid| with_panels(&house, grid, account))
                .unwrap_or_default(),
            cards: cards(&house, &scope.sensors, &said, account, view),
            has_revoked: scope.has_revoked,
            chart: section(store, account, &scope.sensors, chart, now)?,
        }))
    }
}

fn totals(said: &SaidOf) -> Vec<Panel> {
    let titles = [("grid", "Grid"), ("solar", "Solar"), ("used", "House")];
    let known = titles.into_iter().filter_map(|(key, title)| {
        Some(Panel {
            key: key.to_owned(),
            title,
            said: said.get(key)?.clone(),
        })
    });
    known.collect()
}

/// The periods of the house, with what the panels made and the house used in each.
fn with_panels(house: &House, grid: &Total, account: &Account) -> Vec<Period> {
    let beside = [("Solar", house.solar), ("Used", house.used)];
    let mut periods = periods(&grid.energies, account);
    for (name, total) in beside {
        let Some(total) = total else {
            continue;
        };
        let energies = each(&total.energies).map(|comparison| comparison.now);
        for (period, energy) in periods.iter_mut().zip(energies) {
            let text = energy.map_or_else(
                || figures::UNKNOWN.into(),
                |energy| figures::energy(energy.watthours),
            );
            period.beside.push((name, text));
        }
    }
    periods
}

/// A card for each sensor, in the order of `order`.
fn cards(
    house: &House,
    order: &[Sensor],
    said: &SaidOf,
    account: &Account,
    view: &View,
) -> Vec<Card> {
    let states = order
        .iter()
        .filter_map(|sensor| house.sensors.iter().find(|it| it.sensor.id == sensor.id));
    states
        .filter_map(|state| Card::of(state, said, account, view))
        .collect()
}

impl Card {
    fn of(state: &SensorState, said: &SaidOf, account: &Account, view: &View) -> Option<Self> {
        let sensor = &state.sensor;
        let key = key_of(sensor.id.as_str());
        let said = said.get(&key)?.clone();
        let is_known = each(&state.energies)
            .iter()
            .any(|it| it.now.is_some() || it.before.is_some());
        let chart = View {
            sensor: Some(sensor.id.clone()),
            ..view.clone()
        };
        Some(Self {
            name: sensor.name.clone(),
            role: match sensor.role {
                Role::Grid => "grid",
                Role::Solar => "solar panels",
                Role::SubMeter => "sub-meter",
            },
            is_made: sensor.role == Role::Solar,
            periods: if is_known {
                periods(&state.energies, account)
            } else {
                Vec::new()
            },
            chart: format!("/chart{}", chart.query_string(&account.zone)),
            key,
            said,
        })
    }
}

/// The five periods, in the order in which they are shown.
fn each(energies: &Energies) -> [Comparison; 5] {
    [
        energies.today,
        energies.yesterday,
        energies.week,
        energies.month,
        energies.year,
    ]
}

fn periods(energies: &Energies, account: &Account) -> Vec<Period> {
    let names = [
        ("Today", "yesterday by this time"),
        ("Yesterday", "the day before"),
        ("This week", "last week by this time"),
        ("This month", "last month by this time"),
        ("This year", "last year by this time"),
    ];
    let of = |((name, against), comparison)| Period::of(name, against, comparison, account);
    names.into_iter().zip(each(energies)).map(of).collect()
}

impl Period {
    fn of(
        name: &'static str,
        against: &'static str,
        comparison: Comparison,
        account: &Account,
    ) -> Self {
        let Comparison { now, before } = comparison;
        let text = |energy: Energy| figures::energy(energy.watthours);
        let money = |cost| {
            let price = account.price.as_ref()?;
            Some(figures::money(cost, price.currency()))
        };
        // What is known of a part says nothing against a whole.
        let whole = |energy: &Energy| !energy.is_partial;
        let both = now.filter(whole).zip(before.filter(whole));
        Self {
            name,
            against,
            energy: now.map_or_else(|| figures::UNKNOWN.into(), text),
            cost: now.and_then(|energy| energy.cost).and_then(money),
            gives: now.is_some_and(|energy| energy.watthours < 0.0),
            is_partial: now.is_some_and(|energy| energy.is_partial),
            before: before.filter(whole).map(text),
            change: both
                .and_then(|(now, before)| figures::percent(now.watthours, before.watthours)),
            beside: Vec::new(),
        }
    }
}
