//! A "what if" as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use super::assumption::WhatIfAssumption;
use super::{BatteryRule, SizedHouse, WhatIf};
use crate::domain::number::to_millionth;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Decimal, MicroWh};
use crate::house::known_year::YEAR_MS;
use crate::house::priced_side::PricedSide;
use crate::house::statement::StatementAnswer;
use crate::ledger::kilowatthours;
use crate::ledger::scenario::HouseQuarter;

/// What a range cost, and what it would have cost. Amounts are in the currency, as exact decimals in
/// text; energies are in watt-hours, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIfAnswer {
    /// The account.
    pub account: String,
    /// Where it begins; in the API's form.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// The currency of all amounts; null without contracts.
    pub currency: Option<String>,
    /// Its assumptions, in sentences.
    pub assumes: Vec<String>,
    /// The house as it was.
    pub present: WhatIfRow,
    /// The house as it would have been; null if only sizes of a battery are compared.
    pub changed: Option<WhatIfRow>,
    /// The total as it was less the total as it would have been; null unless all energy of both has a
    /// price.
    pub saved: Option<Decimal>,
    /// The same in 365 days; null if less than twelve months are known.
    pub saved_per_year: Option<Decimal>,
    /// Why nothing is said about a year: `few-months` or `incomplete`; null if enough is known.
    pub no_year: Option<String>,
    /// How many days are known, in quarters of an hour that are measured.
    pub known_days: f64,
    /// Drawn in the others, in none of the energies at the grid: each house counts as it was there.
    pub left_out_import: f64,
    /// Fed in in the others.
    pub left_out_export: f64,
    /// What panels produced, and batteries took and gave, in the others.
    pub left_out_own: f64,
    /// The measured energy drawn that was read less often than each quarter of an hour, as the house
    /// would have been: within that time it is spread evenly.
    pub coarse_import: f64,
    /// The same fed in.
    pub coarse_export: f64,
    /// What the house would have saved if its new battery had rested in that time; null without a
    /// battery, or without such energy.
    pub saved_at_rest: Option<Decimal>,
    /// The rule of the new battery, as in `sizes`; null without one.
    pub rule: Option<String>,
    /// How much more than the house's own battery the new one would have given, as a share of that: a
    /// measure of this replay for a battery like the own one. Null without both.
    pub replayed_more: Option<f64>,
    /// The months of the range.
    pub months: Vec<WhatIfMonth>,
    /// Batteries by size, ascending from none on; empty if no battery is asked about.
    pub sizes: Vec<WhatIfSize>,
}

/// A house in the range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIfRow {
    /// Its statement, with all lines.
    pub statement: StatementAnswer,
    /// Used by the house.
    pub used: Option<f64>,
    /// Produced by its panels.
    pub produced: Option<f64>,
    /// Taken by its battery.
    pub charged: Option<f64>,
    /// Given by its battery.
    pub discharged: Option<f64>,
    /// The share of the use that did not come from the grid.
    pub self_sufficiency: Option<f64>,
}

/// A month of the range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfMonth {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The total of the part of the range in it, as it was.
    pub present: Option<Decimal>,
    /// The total as it would have been.
    pub changed: Option<Decimal>,
}

/// A size of a battery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIfSize {
    /// The capacity in kilowatt-hours, an exact decimal.
    pub kwh: String,
    /// The rule that cost the least of those asked for: `greedy`, `prices`, `trading`, or `below-peaks`, which
    /// buys without raising the peak of a month.
    pub rule: String,
    /// The total.
    pub total: Option<Decimal>,
    /// The total without a battery less this one.
    pub saved: Option<Decimal>,
    /// The same in 365 days; null if less than twelve months are known.
    pub saved_per_year: Option<Decimal>,
    /// Drawn from the grid.
    pub imported: Option<f64>,
    /// Fed into the grid.
    pub exported: Option<f64>,
    /// The share of the use that did not come from the grid.
    pub self_sufficiency: Option<f64>,
    /// How often the battery gives its capacity in 365 days; null if less than twelve months are known.
    pub cycles_per_year: Option<f64>,
    /// Its price, if there is one for a kilowatt-hour.
    pub price: Option<Decimal>,
    /// After so many years it has saved its price; null if it saves nothing, or if less than twelve
    /// months are known.
    pub payback_years: Option<f64>,
    /// Drawn without a price, and in none of the amounts.
    pub unpriced_import: f64,
    /// Fed in without a price.
    pub unpriced_export: f64,
    /// The unknown share of the time.
    pub missing: f64,
}

impl WhatIfAnswer {
    /// The answer of an account.
    #[must_use]
    pub fn new(account: &Account, found: &WhatIf) -> Self {
        let currency = found.present.statement.currency.as_ref();
        let changed = found.changed.as_ref();
        let saved = changed.and_then(|changed| found.present.more_than(changed));
        let assumptions = found.assumptions().into_iter();
        let told = found.told();
        let a_year = saved.zip(changed);
        let a_year = a_year.and_then(|(saved, changed)| found.in_a_year(saved, changed));
        Self {
            account: account.name.to_string(),
            from: found.range.start().to_string(),
            to: found.range.end().to_string(),
            currency: currency.map(|it| it.as_str().to_owned()),
            assumes: assumptions
                .map(|it| WhatIfAssumption::sentence(it).to_owned())
                .collect(),
            present: WhatIfRow::new(account, found, &found.present),
            changed: changed.map(|changed| WhatIfRow::new(account, found, changed)),
            saved,
            saved_per_year: a_year,
            no_year: found.no_year.map(|reason| reason.as_str().to_owned()),
            known_days: found.known_days(),
            left_out_import: told.left_out().imported.watthours(),
            left_out_export: told.left_out().exported.watthours(),
            left_out_own: told.left_out_own().watthours(),
            coarse_import: told.coarse().imported.watthours(),
            coarse_export: told.coarse().exported.watthours(),
            saved_at_rest: found.saved_at_rest(),
            rule: found.rule().map(|rule| rule.as_str().to_owned()),
            replayed_more: found.replayed_more(),
            months: found.months(),
            sizes: found.sizes.iter().map(|one| found.size(one)).collect(),
        }
    }
}

impl WhatIfRow {
    fn new(account: &Account, found: &WhatIf, side: &PricedSide) -> Self {
        let energy = |of: fn(&HouseQuarter) -> Option<MicroWh>| {
            let energy = side.energy.as_ref().and_then(of);
            energy.map(MicroWh::watthours)
        };
        let at_grid = side.at_grid();
        Self {
            statement: StatementAnswer {
                imported: at_grid.map(|flow| flow.imported.watthours()),
                exported: at_grid.map(|flow| flow.exported.watthours()),
                ..StatementAnswer::new(account, &side.statement)
            },
            used: found.used(side).map(MicroWh::watthours),
            produced: energy(|it| it.produced),
            charged: energy(|it| it.charged),
            discharged: energy(|it| it.discharged),
            self_sufficiency: found.self_sufficiency(side),
        }
    }
}

impl WhatIf {
    fn months(&self) -> Vec<WhatIfMonth> {
        let Some(changed) = &self.changed else {
            return Vec::new();
        };
        let both = self.present.months.iter().zip(&changed.months);
        let months = both.map(|(present, changed)| WhatIfMonth {
            month: present.name(),
            present: present.total,
            changed: changed.more.and(changed.total),
        });
        months.collect()
    }

    fn size(&self, one: &SizedHouse) -> WhatIfSize {
        let SizedHouse { size, rule, side } = one;
        let house = side;
        let without = self.sizes.first().map(|it| &it.side);
        let saved = without.and_then(|without| without.more_than(house));
        let a_year = saved.and_then(|saved| self.in_a_year(saved, house));
        let energy = house.at_grid();
        let unpriced = house.statement.bill.unpriced;
        WhatIfSize {
            kwh: kilowatthours(*size),
            rule: rule.as_str().to_owned(),
            total: house.statement.total(),
            saved,
            saved_per_year: a_year,
            imported: energy.map(|flow| flow.imported.watthours()),
            exported: energy.map(|flow| flow.exported.watthours()),
            self_sufficiency: self.self_sufficiency(house),
            cycles_per_year: self.cycles_a_year(*size, house),
            price: self.price_of(*size),
            unpriced_import: unpriced.imported.watthours(),
            unpriced_export: unpriced.exported.watthours(),
            missing: house.statement.coverage().missing,
            payback_years: self.payback_years(*size, a_year),
        }
    }

    /// The house whose difference is asked about: the largest battery if only sizes are compared.
    #[must_use]
    pub fn told(&self) -> &PricedSide {
        let largest = self.sizes.last().map(|it| &it.side);
        self.changed.as_ref().or(largest).unwrap_or(&self.present)
    }

    /// The rule of the new battery; `None` without one.
    #[must_use]
    pub fn rule(&self) -> Option<BatteryRule> {
        let size = self.question.battery.as_ref()?.size;
        let own = self.sizes.iter().find(|it| Some(it.size) == size);
        own.or(self.sizes.last()).map(|told| told.rule)
    }

    /// How many days are known, in quarters of an hour.
    #[must_use]
    pub fn known_days(&self) -> f64 {
        let [known, day] =
            [self.told().known_ms(), MS_PER_DAY].map(|ms| MicroWh::new(ms).watthours());
        to_millionth(known / day)
    }

    /// An amount of the known time of the range as one of 365 days, half of a millionth away from
    /// zero; `None` if that tells nothing about a year.
    #[must_use]
    pub fn in_a_year(&self, amount: Decimal, side: &PricedSide) -> Option<Decimal> {
        let length = i128::from(side.known_ms());
        if length <= 0 || self.no_year.is_some() {
            return None;
        }
        let amount = i128::from(amount.millionths()) * i128::from(YEAR_MS);
        let year = (2 * amount + amount.signum() * length) / (2 * length);
        i64::try_from(year).ok().map(Decimal::from_millionths)
    }

    /// How often a battery gives its capacity in 365 days; `None` without a capacity, or if the range
    /// tells nothing about a year.
    #[must_use]
    pub fn cycles_a_year(&self, size: MicroWh, house: &PricedSide) -> Option<f64> {
        let given = house.energy.as_ref()?.discharged?.watthours();
        let [length, year] = [house.known_ms(), YEAR_MS].map(|ms| MicroWh::new(ms).watthours());
        let is_known = size > MicroWh::ZERO && length > 0.0 && self.no_year.is_none();
        is_known.then(|| to_millionth(given / size.watthours() * year / length))
    }

    /// The price of a battery; `None` without one for a kilowatt-hour.
    #[must_use]
    pub fn price_of(&self, size: MicroWh) -> Option<Decimal> {
        const KILOWATTHOUR: i128 = 1_000_000_000;
        let price = i128::from(self.price_per_kwh?.millionths());
        let whole = price * i128::from(size.millionths()) / KILOWATTHOUR;
        i64::try_from(whole).ok().map(Decimal::from_millionths)
    }

    /// After so many years a battery that saves `a_year` in the first one has saved its price; `None`
    /// if it never does, or has no price. With each year, it saves less by the part of its capacity
    /// that it loses: `n` years save `a_year * (1 - (1 - loss)^n) / loss`.
    #[must_use]
    pub fn payback_years(&self, size: MicroWh, a_year: Option<Decimal>) -> Option<f64> {
        let price = self.price_of(size).filter(|_| size > MicroWh::ZERO)?;
        let a_year = a_year.filter(|saved| *saved > Decimal::ZERO)?;
        let years = price.to_f64() / a_year.to_f64();
        let loss = self.question.battery.as_ref().map_or(0, |it| it.ageing);
        let loss = MicroWh::new(loss).watthours();
        let left = 1.0 - loss * years;
        if loss == 0.0 {
            return Some(to_millionth(years));
        }
        (left > 0.0).then(|| to_millionth(left.ln() / (1.0 - loss).ln()))
    }
}
