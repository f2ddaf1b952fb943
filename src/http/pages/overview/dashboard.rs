//! `/`: the dashboard, with the power now and the energy of each period.

use std::sync::Arc;

use askama::Template;

use crate::chart::date;
use crate::domain::{Account, Role, Sensor, Timestamp};
use crate::house::{Comparison, Energies, Energy, House};
use crate::http::pages::charts::section::section;
use crate::http::pages::charts::view::of_account;
use crate::http::pages::charts::{AccountScope, ChartPage, ChartSection, View};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{
    Layout, PageError, PageResult, PercentChange, Tab, Visit, figures,
};
use crate::http::pages::overview::power_text::{PowerText, PowerTexts, key_of, power_texts};
use crate::http::wire::body::in_background;
use crate::store::Store;

#[derive(Template)]
#[template(path = "dashboard.html")]
struct DashboardPage {
    layout: Layout,
    /// The name and address of each account, and whether it is shown.
    accounts: Vec<(String, String, bool)>,
    shown: Option<HouseView>,
}

/// The house of an account.
struct HouseView {
    account: String,
    zone: String,
    price: Option<String>,
    date: String,
    clock: String,
    /// The query string that names the account; empty if the address does not.
    query: String,
    /// The current power of the grid, of solar, and of the house together: its key in the events of `/live`, its title, and itself.
    totals: Vec<(&'static str, &'static str, PowerText)>,
    /// The energy of the house: today, yesterday, this week, month, year.
    periods: Vec<PeriodView>,
    cards: Vec<SensorCard>,
    has_revoked: bool,
    chart: Option<ChartSection>,
}

/// The energy of a period.
struct PeriodView {
    name: &'static str,
    /// The period to compare with: `yesterday by this time`.
    against: &'static str,
    energy: String,
    cost: Option<String>,
    /// Whether more was fed into the grid than taken from it.
    gives: bool,
    /// Whether readings are missing for a part of it.
    is_partial: bool,
    before: Option<String>,
    change: Option<PercentChange>,
    /// The energy from solar and the total use, by label.
    beside: Vec<(&'static str, String)>,
}

/// A sensor.
struct SensorCard {
    key: String,
    name: String,
    role: &'static str,
    /// Whether it measures solar panels.
    is_solar: bool,
    power: PowerText,
    /// Empty without energy readings.
    periods: Vec<PeriodView>,
    chart: String,
}

/// `GET /`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit.app, visit.query())?;
    let accounts = scope.accounts.iter().map(|name| {
        let is_shown = scope.account.as_ref().is_some_and(|it| it.name == *name);
        (name.to_string(), format!("/{}", of_account(name)), is_shown)
    });
    let accounts = accounts.collect();
    // Without an account the page explains how to begin.
    let shown = match scope.account.clone() {
        None => None,
        Some(account) => {
            let view = View::read(visit.query(), &account.zone)?;
            let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
            let look = move || HouseView::at(&store, &account, &scope, &view, now);
            Some(in_background(look).await??)
        }
    };
    Ok(ok(&DashboardPage {
        layout: visit.layout(Tab::Dashboard),
        accounts,
        shown,
    }))
}

impl HouseView {
    /// Blocks on the disk.
    fn at(
        store: &Store,
        account: &Account,
        scope: &AccountScope,
        view: &View,
        now: Timestamp,
    ) -> Result<Self, PageError> {
        let zone = &account.zone;
        let house = House::energies_at(store, account, now)?;
        let power = power_texts(store, &account.name, zone, now);
        let chart = (view, ChartPage::Dashboard);
        let grid = house.grid.as_ref();
        Ok(Self {
            account: account.name.to_string(),
            zone: zone.name().to_owned(),
            price: account.price.as_ref().map(figures::price),
            date: date(now, zone),
            clock: figures::clock(now, zone),
            query: view.account.as_ref().map(of_account).unwrap_or_default(),
            totals: [("grid", "Grid"), ("solar", "Solar"), ("used", "House")]
                .into_iter()
                .filter_map(|(key, title)| Some((key, title, power.get(key)?.clone())))
                .collect(),
            periods: grid
                .map(|grid| house_periods(&house, grid, account))
                .unwrap_or_default(),
            cards: scope
                .sensors
                .iter()
                .filter_map(|sensor| SensorCard::of(sensor, &house, &power, account, view))
                .collect(),
            has_revoked: scope.has_revoked,
            chart: section(store, account, &scope.sensors, chart, now)?,
        })
    }
}

/// The periods of the house, each with the energy from solar and the total use.
fn house_periods(house: &House<Energies>, grid: &Energies, account: &Account) -> Vec<PeriodView> {
    let beside = [("Solar", house.solar), ("Used", house.used)];
    let mut periods = periods(grid, account);
    for (name, total) in beside {
        let Some(total) = total else {
            continue;
        };
        for (period, comparison) in periods.iter_mut().zip(total) {
            period.beside.push((name, energy_text(comparison.now)));
        }
    }
    periods
}

impl SensorCard {
    /// The card of a sensor; `None` if it was removed or revoked a moment ago.
    fn of(
        sensor: &Sensor,
        house: &House<Energies>,
        power: &PowerTexts,
        account: &Account,
        view: &View,
    ) -> Option<Self> {
        let (sensor, energies) = house.sensors.iter().find(|(it, _)| it.id == sensor.id)?;
        let key = key_of(sensor.id.as_str());
        let power = power.get(&key)?.clone();
        let mut each = energies.iter();
        let is_known = each.any(|it| it.now.is_some() || it.before.is_some());
        let chart = View {
            sensor: Some(sensor.id.clone()),
            ..view.clone()
        };
        Some(Self {
            name: sensor.name.clone(),
            role: match sensor.role {
                Role::Grid => "grid",
                Role::Solar => "solar panels",
                Role::GridImport => "grid import",
                Role::GridExport => "grid export",
                Role::Battery => "battery",
                Role::BatteryCharge => "battery, charging",
                Role::BatteryDischarge => "battery, discharging",
                Role::SubMeter => "sub-meter",
            },
            is_solar: sensor.role == Role::Solar,
            periods: if is_known {
                periods(energies, account)
            } else {
                Vec::new()
            },
            chart: format!("/chart{}", chart.query_string(&account.zone)),
            key,
            power,
        })
    }
}

fn periods(energies: &Energies, account: &Account) -> Vec<PeriodView> {
    let names = [
        ("Today", "yesterday by this time"),
        ("Yesterday", "the day before"),
        ("This week", "last week by this time"),
        ("This month", "last month by this time"),
        ("This year", "last year by this time"),
    ];
    let of = |((name, against), comparison)| PeriodView::of(name, against, comparison, account);
    names.into_iter().zip(*energies).map(of).collect()
}

impl PeriodView {
    fn of(
        name: &'static str,
        against: &'static str,
        comparison: Comparison,
        account: &Account,
    ) -> Self {
        let Comparison { now, before } = comparison;
        let money = |cost| {
            let price = account.price.as_ref()?;
            Some(figures::money(cost, price.currency()))
        };
        // An incomplete period cannot be compared with a complete one.
        let whole = |energy: &Energy| !energy.is_partial;
        let both = now.filter(whole).zip(before.filter(whole));
        Self {
            name,
            against,
            energy: energy_text(now),
            cost: now.and_then(|energy| energy.cost).and_then(money),
            gives: now.is_some_and(|energy| energy.watthours < 0.0),
            is_partial: now.is_some_and(|energy| energy.is_partial),
            before: before.filter(whole).map(|it| energy_text(Some(it))),
            change: both
                .and_then(|(now, before)| figures::percent(now.watthours, before.watthours)),
            beside: Vec::new(),
        }
    }
}

fn energy_text(energy: Option<Energy>) -> String {
    energy.map_or_else(
        || figures::UNKNOWN.into(),
        |energy| figures::energy(energy.watthours),
    )
}
