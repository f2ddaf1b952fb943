//! Today, yesterday, this week, month and year, as tiles of the dashboard.

use crate::domain::{Against, LocalDate, TimeRange, Timestamp, Zone};
use crate::house::{Comparison, Energies, Energy, HouseEnergies};
use crate::http::pages::frame::range::{RangeChoice, RangeWord, end_of};
use crate::http::pages::frame::{PercentChange, figures};
use crate::texts::Language;

/// The energy of a period.
#[derive(Clone)]
pub(super) struct PeriodView {
    pub(super) name: String,
    /// The period to compare with: `yesterday by this time`.
    pub(super) against: String,
    pub(super) energy: String,
    /// The meaning of `energy`: `used`.
    pub(super) what: String,
    /// The cost of the energy from the grid, and the address of its statement.
    pub(super) cost: Option<(String, String)>,
    /// Whether more was exported than imported.
    pub(super) gives: bool,
    /// Whether readings are missing for part of it.
    pub(super) is_partial: bool,
    pub(super) before: Option<String>,
    pub(super) change: Option<PercentChange>,
    /// Further values, by label: the energy from panels and grid, and the share that did not come
    /// from the grid.
    pub(super) beside: Vec<(String, String)>,
}

/// The periods of the house: its use or, with sensors at the grid only, its imports.
pub(super) fn house_periods(
    house: &HouseEnergies,
    grid: &Energies,
    (currency, language, against): (&str, &Language, Against),
    statements: [String; 5],
) -> Vec<PeriodView> {
    let say = |name| language.say(name);
    let names = names(against, language);
    let shown = house.used.as_ref().unwrap_or(grid);
    let mut periods: Vec<PeriodView> = names
        .into_iter()
        .zip(shown)
        .map(|(names, comparison)| PeriodView::of(names, *comparison, language))
        .collect();
    let shown = periods.iter_mut().zip(grid).zip(statements);
    for ((period, Comparison { now, .. }), statement) in shown {
        let cost = now.and_then(|energy| figures::cost_of(energy, currency, language));
        period.cost = cost.map(|cost| (cost, statement));
        if house.used.is_some() {
            period.what = say("dashboard-used");
            period.gives = false;
        }
    }
    let Some(used) = &house.used else {
        return periods;
    };
    let grid = (say("dashboard-net"), Some(grid));
    let solar = (say("dashboard-solar"), house.solar.as_ref());
    for (name, total) in [solar, grid] {
        for (period, comparison) in periods.iter_mut().zip(total.into_iter().flatten()) {
            let energy = energy_text(comparison.now, language);
            period.beside.push((name.clone(), energy));
        }
    }
    for (period, comparison) in periods.iter_mut().zip(used) {
        let own = comparison.now.and_then(|energy| energy.own);
        let own = own.map(|own| {
            (
                say("energy-self_sufficiency"),
                figures::share(own, language),
            )
        });
        period.beside.extend(own);
    }
    periods
}

/// The names of the periods, and those of the times that they are compared with.
fn names(against: Against, language: &Language) -> [(String, String); 5] {
    let say = |name| language.say(name);
    let compared = match against {
        Against::Before => [
            say("dashboard-against-today"),
            say("dashboard-against-yesterday"),
            say("dashboard-against-week"),
            say("dashboard-against-month"),
            say("dashboard-against-year"),
        ],
        Against::Year => [
            say("dashboard-last-year-today"),
            say("dashboard-last-year-yesterday"),
            say("dashboard-last-year-week"),
            say("dashboard-last-year-month"),
            say("dashboard-against-year"),
        ],
    };
    let [
        before_today,
        before_yesterday,
        before_week,
        before_month,
        before_year,
    ] = compared;
    [
        (say("dashboard-today"), before_today),
        (say("dashboard-yesterday"), before_yesterday),
        (say("dashboard-week"), before_week),
        (say("dashboard-month"), before_month),
        (say("dashboard-year"), before_year),
    ]
}

impl PeriodView {
    /// A period of the grid, without its cost.
    fn of((name, against): (String, String), comparison: Comparison, language: &Language) -> Self {
        let Comparison { now, before } = comparison;
        // An incomplete period cannot be compared with a complete one; a late sensor is no gap.
        let whole = |energy: &Energy| energy.is_comparable;
        let both = now.filter(whole).zip(before.filter(whole));
        let gives = now.is_some_and(|energy| energy.watthours < 0.0);
        Self {
            name,
            against,
            energy: energy_text(now, language),
            what: if gives {
                language.say("dashboard-net-export")
            } else {
                language.say("dashboard-net-import")
            },
            cost: None,
            gives,
            is_partial: now.is_some_and(|energy| energy.is_partial),
            before: before
                .filter(whole)
                .map(|it| energy_text(Some(it), language)),
            change: both.and_then(|(now, before)| {
                figures::percent(now.watthours, before.watthours, language)
            }),
            beside: Vec::new(),
        }
    }
}

/// The addresses of the statements of the same periods. `named` is the account, if the address
/// names it.
pub(super) fn statements(named: Option<&str>, zone: &Zone, now: Timestamp) -> [String; 5] {
    let today = LocalDate::at(now, zone);
    let before = |days: i32| today.plus_days(-days).unwrap_or(today);
    let days = |from: LocalDate, to: LocalDate| {
        let range = TimeRange::new(from.start(zone), end_of(to, zone));
        let choice = range.map(RangeChoice::Between);
        let month = RangeChoice::named(RangeWord::Month, None);
        choice.unwrap_or(month).address("costs", named, zone)
    };
    let named_range = |word| RangeChoice::named(word, None).address("costs", named, zone);
    let monday = before(today.weekday().days_after_monday().into());
    [
        days(today, today),
        days(before(1), before(1)),
        days(monday, today),
        named_range(RangeWord::Month),
        named_range(RangeWord::Year),
    ]
}

fn energy_text(energy: Option<Energy>, language: &Language) -> String {
    energy.map_or_else(
        || figures::UNKNOWN.into(),
        |energy| figures::energy(energy.watthours, language),
    )
}
