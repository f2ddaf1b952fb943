//! `/`: the dashboard, with the power now, the energy of each period, today's uses, and notices.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::day_prices::DayPricesView;
use super::meters::{MeterRow, imported_until};
use super::month::{MonthsAhead, ThisMonthView};
use super::notices::{NoticeView, shown_notices};
use super::now_flow::NowFlow;
use super::peak_line::PeakLine;
use super::periods::{PeriodView, house_periods, statements};
use super::power_text::{PowerOf, PowerTexts, PowerWords, key_of, power_texts};
use super::today::TodayView;
use crate::chart::{ChartKind, Wording};
use crate::domain::{Account, AccountName, Against, Currency, Decimal, Sensor, Timestamp};
use crate::house::{DayPrices, HouseEnergies, HouseToday};
use crate::http::pages::charts::section::section;
use crate::http::pages::charts::view::of_account;
use crate::http::pages::charts::{AccountScope, ChartPage, ChartSection, View};
use crate::http::pages::energy::uses::{DeviceNow, UsesFrame, UsesView};
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::HOME;
use crate::http::pages::frame::range::{AgainstSwitch, RangeChoice, RangeWord};
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit, figures};
use crate::http::wire::ApiError;
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "dashboard.html")]
struct DashboardPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The newest notices of all accounts, and how many more there are.
    notices: Vec<NoticeView>,
    more_notices: usize,
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
    /// The power now.
    flow: Option<NowFlow>,
    /// The hours of today, and its energy so far.
    today: Option<(TodayView, PeriodView)>,
    month: Option<ThisMonthView>,
    /// The energy of the house: today, yesterday, this week, month, year.
    periods: Vec<PeriodView>,
    /// The switch to the other comparison of periods and uses.
    switch: AgainstSwitch,
    /// The uses of today's energy, and their comparison in words.
    uses: UsesView,
    uses_when: String,
    /// The prices of the day, if they change by the hour.
    prices: Option<DayPricesView>,
    /// The running quarter of an hour, if a contract prices the demand.
    peak: Option<PeakLine>,
    meters: Vec<MeterRow>,
    has_sensors: bool,
    has_revoked: bool,
    chart: Option<ChartSection>,
}

/// The maximum number of notices on the dashboard.
const MOST_NOTICES: usize = 5;
/// The place of the month among the periods.
const MONTH: usize = 3;
/// The maximum number of devices that are not folded away.
const MOST_DEVICES: usize = 4;

/// `GET /`
pub(crate) async fn show(visit: Visit, months: Data<MonthsAhead>) -> PageResult {
    if visit.visitor.rights.are_of_tenant() {
        return Ok(see_other("tenancy"));
    }
    let scope = AccountScope::read(&visit)?;
    let accounts = scope.chips("./");
    let (language, now) = (visit.language(), visit.app.counted_now());
    let registry = visit.app.store.registry();
    let (notices, more_notices) = shown_notices(&visit, &registry, now, MOST_NOTICES);
    // Without an account the page explains how to begin.
    let shown = match scope.account.clone() {
        None => None,
        Some(account) => {
            let view = View::read(visit.query(), &account.zone)?;
            let charges = visit.app.ingest.charges();
            let guard = Arc::clone(&visit.app.peaks);
            let length_ms = view.range.length_ms();
            let name = account.name.clone();
            let look = move |store: &Store| {
                let words = PowerWords {
                    wording: Wording::new(&account.zone, language),
                    charges: &charges,
                    now,
                };
                let peak = PeakLine::at(&guard, (store, &account), language, now);
                let peak = peak.map_err(ApiError::from)?;
                let view =
                    HouseView::at((store, &months), &account, &scope, (view, language), words)?;
                Ok::<HouseView, PageError>(HouseView { peak, ..view })
            };
            Some(visit.app.page(&name, length_ms, look).await??)
        }
    };
    let is_dismissed = visit.param("done")? == "dismissed";
    Ok(ok(&DashboardPage {
        layout: Layout {
            done: is_dismissed.then(|| language.say("notice-dismissed")),
            ..visit.layout(Tab::Dashboard)
        },
        accounts,
        notices,
        more_notices,
        shown,
    }))
}

impl HouseView {
    /// Builds the view; may block on disk reads.
    fn at(
        (store, months): (&Store, &MonthsAhead),
        account: &Account,
        scope: &AccountScope,
        (mut view, language): (View, &'static Language),
        words: PowerWords<'_>,
    ) -> Result<Self, PageError> {
        let (wording, now) = (words.wording, words.now);
        let asked = (now, language.week_start());
        let known = HouseToday::at(store, account, asked, view.against.get());
        let HouseToday {
            energies: house,
            against,
            uses,
            hours,
        } = known.map_err(ApiError::from)?;
        let switch = switch(against, &view, wording);
        let (price, currency) = price_and_currency(store, account);
        let currency = currency.as_str();
        let power = power_texts(store, (&account.name, PowerOf::HouseAndSensors), words);
        let power = power.map_err(ApiError::from)?;
        let imported = imported_ends(store, &scope.sensors).map_err(ApiError::from)?;
        open_where_data_is(store, (&scope.sensors, &imported), &mut view, now)
            .map_err(ApiError::from)?;
        let frame = UsesFrame {
            currency,
            wording,
            most: MOST_DEVICES,
            now: &|sensor| device_now(sensor, &power),
        };
        let sensors = scope.sensors.iter().zip(imported);
        let meters = MeterRow::all(sensors, &power, (&view, wording));
        let known = DayPrices::of_two_days(store, account, now).map_err(ApiError::from)?;
        let chart = (&view, ChartPage::Dashboard, language);
        let flow = NowFlow::at(store, &account.name, words);
        let periods = periods_of(&house, &view, (currency, wording, against), now);
        let today = periods.first().cloned().map(|period| {
            let view = TodayView::of(&hours, known.as_ref(), account, (wording, now));
            (view, period)
        });
        let month = periods.get(MONTH).map(|so_far| {
            let so_far = (so_far.clone(), &house);
            ThisMonthView::at((store, months), account, so_far, (wording, now))
        });
        Ok(Self {
            account: account.name.to_string(),
            zone: account.zone.name().to_owned(),
            price: price.map(|(price, currency)| figures::price(price, &currency, language)),
            date: wording.date(now),
            clock: wording.clock(now),
            query: view.account.as_ref().map(of_account).unwrap_or_default(),
            flow: flow.map_err(ApiError::from)?,
            today,
            month: month.transpose().map_err(ApiError::from)?,
            periods,
            switch,
            uses: UsesView::of(&uses, &view, &frame),
            uses_when: uses_when(against, language),
            prices: known
                .filter(|_| DayPrices::are_announced(store, account, now))
                .map(|known| DayPricesView::of(&known, wording, now)),
            peak: None,
            meters,
            has_sensors: !scope.sensors.is_empty(),
            has_revoked: scope.has_revoked,
            chart: section(store, account, &scope.sensors, chart, now)?,
        })
    }
}

/// Until when the readings of each sensor are imported.
fn imported_ends(store: &Store, sensors: &[Sensor]) -> Result<Vec<Option<Timestamp>>, StoreError> {
    let sensors = sensors.iter();
    sensors
        .map(|sensor| imported_until(store, sensor))
        .collect()
}

/// What today's uses are compared with, in words.
fn uses_when(against: Against, language: &Language) -> String {
    match against {
        Against::Year => language.say("uses-today-last-year"),
        Against::Before => language.say("uses-today"),
    }
}

/// The price of an account with only one, and the currency of all; empty without contracts.
fn price_and_currency(store: &Store, account: &Account) -> (Option<(Decimal, Currency)>, String) {
    let registry = store.registry();
    let contracts = registry.contracts(&account.name);
    let price = contracts.and_then(|all| all.flat_price());
    let currency = contracts.and_then(|all| all.currency());
    (
        price.map(|(price, currency)| (price, currency.clone())),
        currency.map_or_else(String::new, |currency| currency.as_str().to_owned()),
    )
}

/// The periods of the house, each with the address of its statement.
fn periods_of(
    house: &HouseEnergies,
    view: &View,
    (currency, wording, against): (&str, Wording<'_>, Against),
    now: Timestamp,
) -> Vec<PeriodView> {
    let named = view.account.as_ref().map(AccountName::as_str);
    let Some(grid) = &house.grid else {
        return Vec::new();
    };
    let statements = statements(named, wording.zone, now);
    let words = (currency, wording.language, against);
    house_periods(house, grid, words, statements)
}

/// The switch to the other comparison of the page.
fn switch(against: Against, view: &View, wording: Wording<'_>) -> AgainstSwitch {
    AgainstSwitch::from(against, wording.language, |other| {
        let view = View {
            against: other,
            ..view.clone()
        };
        format!("{HOME}{}", view.query_string(wording.zone))
    })
}

/// The power of a device, and the problem with its uploads.
fn device_now(sensor: &Sensor, power: &PowerTexts) -> Option<DeviceNow> {
    let key = key_of(sensor.id.as_str());
    let text = power.get(&key)?;
    let silence = [text.state.as_str(), text.since.as_str()].join(" ");
    Some(DeviceNow {
        power: text.power.clone(),
        silence: if text.active { String::new() } else { silence },
        key,
    })
}

/// If the address names no range and nothing was ever uploaded: the view of the last day of
/// imported readings.
fn open_where_data_is(
    store: &Store,
    (sensors, imported): (&[Sensor], &[Option<Timestamp>]),
    view: &mut View,
    now: Timestamp,
) -> Result<(), StoreError> {
    /// Newer readings are within the default range anyway.
    const DAY_MS: i64 = 86_400_000;
    if view.range != RangeChoice::LAST_DAY {
        return Ok(());
    }
    for sensor in sensors {
        let activity = store.activity(&sensor.id)?;
        if activity.is_some_and(|it| it.arrivals.is_some()) {
            return Ok(());
        }
    }
    let newest = imported.iter().copied().max().flatten();
    if let Some(time) = newest.filter(|time| *time < now.saturating_add_millis(-DAY_MS)) {
        view.range = RangeChoice::Named(RangeWord::Month, Some(time));
        view.kind = ChartKind::Energy;
    }
    Ok(())
}
