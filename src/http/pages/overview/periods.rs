//! Today, yesterday, this week, month and year, as tiles of the dashboard.

use crate::house::{Comparison, Energies, Energy, HouseEnergies};
use crate::http::pages::frame::{PercentChange, figures};
use crate::texts::Language;

/// The energy of a period.
pub(super) struct PeriodView {
    pub(super) name: String,
    /// The period to compare with: `yesterday by this time`.
    pub(super) against: String,
    pub(super) energy: String,
    /// The meaning of `energy`: `used`.
    pub(super) what: String,
    /// The cost of the energy from the grid.
    pub(super) cost: Option<String>,
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
    (currency, language): (&str, &Language),
) -> Vec<PeriodView> {
    let say = |name| language.say(name);
    let names = [
        (say("dashboard-today"), say("dashboard-against-today")),
        (
            say("dashboard-yesterday"),
            say("dashboard-against-yesterday"),
        ),
        (say("dashboard-week"), say("dashboard-against-week")),
        (say("dashboard-month"), say("dashboard-against-month")),
        (say("dashboard-year"), say("dashboard-against-year")),
    ];
    let shown = house.used.as_ref().unwrap_or(grid);
    let mut periods: Vec<PeriodView> = names
        .into_iter()
        .zip(shown)
        .map(|(names, comparison)| PeriodView::of(names, *comparison, language))
        .collect();
    for (period, Comparison { now, .. }) in periods.iter_mut().zip(grid) {
        let cost = now.and_then(|energy| energy.cost);
        period.cost = cost.map(|cost| figures::money(cost, currency, language));
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

impl PeriodView {
    /// A period of the grid, without its cost.
    fn of((name, against): (String, String), comparison: Comparison, language: &Language) -> Self {
        let Comparison { now, before } = comparison;
        // An incomplete period cannot be compared with a complete one.
        let whole = |energy: &Energy| !energy.is_partial;
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

fn energy_text(energy: Option<Energy>, language: &Language) -> String {
    energy.map_or_else(
        || figures::UNKNOWN.into(),
        |energy| figures::energy(energy.watthours, language),
    )
}
