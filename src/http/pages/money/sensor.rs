//! `/costs/sensor`: the statement of one sub-meter, to print or as a file.

use askama::Template;

use super::billed_days::{AskedDays, BilledDays};
use super::contracts::layout;
use super::paper::{SensorPaper, made};
use super::sheet::sheet;
use crate::domain::{Account, Role, Sensor, SensorId};
use crate::house::{SensorStatement, SensorStatementError};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::store::Store;

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
    paper: SensorPaper,
}

/// A requested statement, also on paper, and all sub-meters.
type AskedSensor = AskedDays<(SensorStatement, SensorPaper, Vec<Sensor>)>;

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
    let mut shown = found.view();
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
    let (found, ..) = &asked.found;
    let table = Spreadsheet::respond(sheet(found.rows(), visit.language()));
    let [first, last] = asked.calendar.dates(&asked.days.range);
    let file = format!("{}-{first}-to-{last}.csv", found.sensor.id);
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
        let made = made(store, &account, &found, calendar.wording());
        let paper = SensorPaper::of(&found, made, &calendar);
        Ok(AskedSensor {
            account,
            choice,
            calendar,
            days,
            found: (found, paper, sensors),
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

    fn view(self) -> SensorCosts {
        let (found, _, sensors) = &self.found;
        let sensor = &found.sensor;
        let page = |choice| self.to("costs/sensor", &sensor.id, choice);
        let of_sensor = |it: &Sensor| {
            let address = self.to("costs/sensor", &it.id, self.choice);
            (it.name.clone(), address, it.id == sensor.id)
        };
        SensorCosts {
            days: self.shown(found.range.end(), page),
            sensor: sensor.id.to_string(),
            name: sensor.name.clone(),
            sensors: sensors.iter().map(of_sensor).collect(),
            csv: self.to("costs/sensor.csv", &sensor.id, self.choice),
            paper: self.found.1,
        }
    }
}
