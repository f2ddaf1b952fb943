//! `/costs/sensor`: the statement of one sub-meter, to print or as a file.

use std::ops::Range;

use askama::Template;

use super::bill_words::{AmountText, BillWords};
use super::billed_days::BilledDays;
use super::contracts::layout;
use super::sheet::sheet;
use crate::domain::{Account, Currency, MicroWh, Role, Sensor, SensorId, Timestamp};
use crate::house::{EnergySource, SensorStatement, SensorStatementError, SourceLine};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules, ShownRange};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::meters::made::MadeView;
use crate::ledger::TouchCount;
use crate::ledger::contract::BilledQuantity;
use crate::store::Store;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/sensor.html")]
struct SensorCostsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without an account.
    account: Option<String>,
    /// `None` without a sub-meter.
    shown: Option<SensorCosts>,
}

/// The statement of a sub-meter.
struct SensorCosts {
    days: BilledDays,
    sensor: String,
    name: String,
    /// The name and the address of each sub-meter, and whether it is shown.
    sensors: Vec<(String, String, bool)>,
    csv: String,
    currency: String,
    lines: Vec<SourceText>,
    total: Option<AmountText>,
    /// The gap of the total, and whether that is more than half.
    gap: Option<(String, bool)>,
    is_complete: bool,
    /// The energy that the total leaves out, as a sentence.
    left_out: Option<String>,
    facts: Vec<(String, String)>,
    /// The first times without readings, and how many more there are.
    gaps: Vec<String>,
    more_gaps: Option<String>,
    corrections: Vec<MadeView>,
    more_corrections: Option<String>,
}

/// A line of the statement.
pub(super) struct SourceText {
    pub(super) what: String,
    pub(super) contract: String,
    pub(super) quantity: String,
    pub(super) price: String,
    pub(super) amount: Option<AmountText>,
}

impl SensorCosts {
    /// Whether the total leaves out more than half: then it is not set off.
    fn is_mostly_unknown(&self) -> bool {
        self.gap.as_ref().is_some_and(|(_, is_most)| *is_most)
    }
}

/// A requested statement.
struct AskedSensor {
    account: Account,
    sensors: Vec<Sensor>,
    choice: RangeChoice,
    calendar: RangeCalendar,
    days: ShownRange,
    found: SensorStatement,
    corrections: Vec<MadeView>,
}

/// `GET /costs/sensor`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.clone();
    let mut page = SensorCostsPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/sensor"),
        account: account.as_ref().map(|account| account.name.to_string()),
        shown: None,
    };
    let (Some(account), Some(sensor)) = (account, sensor(&visit, &scope)?) else {
        return Ok(ok(&page));
    };
    let asked = RangeRules::BILLED.asked(&visit, &account.zone)?;
    let found = ask(&visit, (account, scope), (sensor, asked.choice)).await?;
    let mut shown = found.view(page.layout.language);
    let status = asked.show_again(&mut shown.days.ends, &mut page.layout);
    page.shown = Some(shown);
    Ok(render(status, &page))
}

/// `GET /costs/sensor.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.clone().ok_or(PageError::NotFound)?;
    let sensor = sensor(&visit, &scope)?.ok_or(PageError::NotFound)?;
    let choice = RangeRules::BILLED.read(visit.query(), &account.zone)?;
    let asked = ask(&visit, (account, scope), (sensor, choice)).await?;
    let table = Spreadsheet::respond(sheet(asked.found.rows(), visit.language()));
    let [first, last] = asked.calendar.dates(&asked.days.range);
    let file = format!("{}-{first}-to-{last}.csv", asked.found.sensor.id);
    Ok(attached(table, &file)?)
}

fn sub_meters(scope: &AccountScope) -> impl Iterator<Item = &Sensor> {
    let all = scope.sensors.iter();
    all.filter(|sensor| sensor.role == Role::SubMeter)
}

/// The sub-meter that the address names, by default the first one; `None` without any.
fn sensor(visit: &Visit, scope: &AccountScope) -> Result<Option<SensorId>, PageError> {
    let name = visit.param("sensor")?;
    if name.is_empty() {
        return Ok(sub_meters(scope).next().map(|sensor| sensor.id.clone()));
    }
    let id = SensorId::new(&name).map_err(|_| PageError::NotFound)?;
    let is_known = sub_meters(scope).any(|sensor| sensor.id == id);
    is_known.then_some(Some(id)).ok_or(PageError::NotFound)
}

async fn ask(
    visit: &Visit,
    (account, scope): (Account, AccountScope),
    (sensor, choice): (SensorId, RangeChoice),
) -> Result<AskedSensor, PageError> {
    let calendar = RangeCalendar::of(visit, &account);
    let days = calendar.shown(choice);
    let sensors = sub_meters(&scope).cloned().collect();
    let (name, now) = (account.name.clone(), visit.app.counted_now());
    let compute = move |store: &Store| {
        let asked = (&sensor, days.range.clone());
        let found = SensorStatement::of(store, &account, asked, now)?;
        let registry = store.registry();
        let (_, corrections) = &found.corrections;
        let made = corrections
            .iter()
            .map(|one| MadeView::new(&registry, &account, one, calendar.wording()));
        Ok(AskedSensor {
            corrections: made.collect(),
            account,
            sensors,
            choice,
            calendar,
            days,
            found,
        })
    };
    let found: Result<_, SensorStatementError> = visit.report(&name, compute).await?;
    found.map_err(|error| match error {
        SensorStatementError::Store(error) => error.into(),
        _ => PageError::NotFound,
    })
}

impl AskedSensor {
    /// The address of a sub-meter and a range.
    fn to(&self, path: &str, sensor: &SensorId, choice: RangeChoice) -> String {
        let mut all = vec![
            ("account", self.account.name.to_string()),
            ("sensor", sensor.to_string()),
        ];
        all.extend(choice.parameters(&self.account.zone));
        format!("{path}{}", query_string(&all))
    }

    fn view(mut self, language: &Language) -> SensorCosts {
        let made = std::mem::take(&mut self.corrections);
        let found = &self.found;
        let sensor = &found.sensor;
        let page = |choice| self.to("costs/sensor", &sensor.id, choice);
        let of_sensor = |it: &Sensor| {
            let address = self.to("costs/sensor", &it.id, self.choice);
            (it.name.clone(), address, it.id == sensor.id)
        };
        let rules = (RangeRules::BILLED, self.choice, &self.calendar);
        let shown = (&self.days, Some(found.range.end()));
        let currency = found.currency.as_ref().map_or("", Currency::as_str);
        let words = BillWords { language, currency };
        SensorCosts {
            days: BilledDays::of(&self.account, rules, shown, page),
            sensor: sensor.id.to_string(),
            name: sensor.name.clone(),
            sensors: self.sensors.iter().map(of_sensor).collect(),
            csv: self.to("costs/sensor.csv", &sensor.id, self.choice),
            currency: figures::currency_sign(currency).to_owned(),
            lines: found.lines.iter().map(|line| words.source(line)).collect(),
            total: found.total().map(|total| words.amount(total)),
            gap: found.gap().map(|gap| (words.without(gap), gap.is_most)),
            is_complete: found.is_complete(),
            left_out: Some(found.sources.left_out())
                .filter(|left_out| *left_out != MicroWh::ZERO)
                .map(|left_out| {
                    let energy = words.kilowatthours(left_out);
                    language.fill("sensor-costs-left-out", [("energy", energy.into())])
                }),
            facts: words.of_sensor(found),
            gaps: self.gaps(language),
            more_gaps: more_of((found.gaps.0, found.gaps.1.len()), language),
            more_corrections: more_of((found.corrections.0, made.len()), language),
            corrections: made,
        }
    }

    /// The times without readings.
    fn gaps(&self, language: &Language) -> Vec<String> {
        let wording = self.calendar.wording();
        let text = |gap: &Range<Timestamp>| {
            let [from, to] = [gap.start, gap.end].map(|time| wording.date_and_clock(time));
            let values = [("from", from.into()), ("to", to.into())];
            language.fill("contract-from-to", values)
        };
        self.found.gaps.1.iter().map(text).collect()
    }
}

/// How many of them are not listed, as a sentence.
fn more_of((count, listed): (usize, usize), language: &Language) -> Option<String> {
    let more = count.checked_sub(listed).filter(|more| *more > 0)?;
    Some(language.fill("sensor-costs-more", [("count", more.into())]))
}

impl BillWords<'_> {
    pub(super) fn source(&self, line: &SourceLine) -> SourceText {
        let quantity = BilledQuantity::Energy(line.energy);
        let contract = line.contract.as_ref().map(|(name, _)| name.to_string());
        SourceText {
            what: self
                .language
                .word("sensor-costs-source", EnergySource::as_str(line.source)),
            contract: contract.unwrap_or_else(|| figures::UNKNOWN.to_owned()),
            quantity: self.kilowatthours(line.energy),
            price: line
                .price
                .map_or_else(String::new, |price| self.price(price, &quantity)),
            amount: line.amount.map(|amount| self.cell(amount)),
        }
    }

    pub(super) fn of_sensor(&self, found: &SensorStatement) -> Vec<(String, String)> {
        let language = self.language;
        let energy = found
            .measured
            .flow
            .map(|flow| self.kilowatthours(flow.net()));
        let energy = energy.unwrap_or_else(|| figures::UNKNOWN.to_owned());
        let share = found.sources.own_share();
        let share = share.map(|share| figures::share(share, language));
        let touched = TouchCount {
            events: found.events,
            corrections: found.corrections.0,
        };
        let own = share.map(|share| (language.say("energy-own_share"), share));
        let energy = [(language.say("energy-energy"), energy)];
        let known = self.known(found.coverage(), touched);
        energy.into_iter().chain(own).chain(known).collect()
    }
}
