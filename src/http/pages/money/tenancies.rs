//! `/costs/tenancies`: the tenants of a house, and their statements side by side;
//! `/costs/tenancies/statements`: all statements, to print.

use askama::Template;

use super::bill_words::{AmountText, BillWords};
use super::billed_days::{AskedDays, BilledDays, span};
use super::contracts::layout;
use super::paper::{SensorPaper, made_for_tenant};
use super::sheet::table;
use super::statement::lines_address;
use crate::domain::{Account, Currency, Decimal, Role};
use crate::house::{HouseShare, SensorStatement, SensorStatementError, TenanciesStatement};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::{address, query_string};
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::typed_number::field_text;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::ledger::contract::Tenancy;
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/tenancies.html")]
struct TenanciesPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// Who pays what in the range; `None` without tenancies.
    paid: Option<PaidView>,
    tenancies: Vec<TenancyRow>,
    /// The id and the name of each sub-meter.
    sensors: Vec<(String, String)>,
    /// The name of the tenancy that is changed; empty for a new one.
    old: String,
    /// The stored one.
    changed: Option<Tenancy>,
}

#[derive(Template)]
#[template(path = "money/tenancy_statements.html")]
struct TenancyStatementsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    paid: Option<PaidView>,
}

/// The name of a tenancy, its days in the range, and its statement, or why it has none.
type TenancyPaper = (String, String, Result<SensorPaper, String>);

/// The payments of the tenants in a range, and the rest of the house.
struct PaidView {
    days: BilledDays,
    currency: String,
    rows: Vec<PaidRow>,
    /// A sub-meter inside another one, as a sentence.
    nested: Option<String>,
    /// Whether all statements are complete.
    is_complete: bool,
    statements: String,
    csv: String,
    /// Each statement, if they are asked for.
    papers: Vec<TenancyPaper>,
}

/// A row: a tenant, the rest, or the house.
struct PaidRow {
    name: String,
    /// The page of a tenant; empty for the house.
    address: String,
    energy: String,
    real: Option<AmountText>,
    charged: Option<AmountText>,
    is_total: bool,
}

/// A tenancy in the list.
struct TenancyRow {
    name: String,
    /// The sub-meter, the days and the price.
    text: String,
    /// The address of the page that changes it.
    address: String,
    /// The page that its tenant sees.
    shown: String,
    /// A person that cannot see it yet, as a sentence; for the administrator.
    no_access: Option<String>,
}

/// The statements of a range that is asked for, and those on paper.
type AskedTenancies = AskedDays<(TenanciesStatement, Vec<TenancyPaper>)>;

/// `GET /costs/tenancies?account=…&old=…`; without a name for a new tenancy.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = TenanciesPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/tenancies"),
        account: String::new(),
        paid: None,
        tenancies: Vec::new(),
        sensors: Vec::new(),
        old: String::new(),
        changed: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    page.account = account.name.to_string();
    let devices = scope.sensors.iter().filter(|it| it.role == Role::SubMeter);
    page.sensors = devices
        .map(|it| (it.id.to_string(), it.name.clone()))
        .collect();
    let registry = visit.app.store.registry();
    let known: Vec<Tenancy> = registry.tenancies(&account.name).cloned().collect();
    page.old = visit.param("old")?;
    if let Some(old) = known.iter().find(|it| it.name.as_str() == page.old)
        && !page
            .sensors
            .iter()
            .any(|(id, _)| *id == old.sensor.as_str())
    {
        // Its sub-meter is gone; the tenancy can still be ended.
        let id = old.sensor.to_string();
        page.sensors.push((id.clone(), id));
    }
    page.changed = known
        .iter()
        .find(|it| it.name.as_str() == page.old)
        .cloned();
    if !page.old.is_empty() && page.changed.is_none() && !visit.is_again() {
        return Err(PageError::NotFound);
    }
    page.tenancies = known.iter().map(|it| row(&visit, &account, it)).collect();
    if known.is_empty() {
        return Ok(ok(&page));
    }
    // A form that is shown again has its own dates.
    let range = if visit.is_again() {
        RangeRules::BILLED
            .read("", &account.zone)
            .map(|choice| (choice, None))?
    } else {
        let asked = RangeRules::BILLED.asked(&visit, &account.zone)?;
        (asked.choice, Some(asked))
    };
    let found = ask(&visit, account, (range.0, false)).await?;
    let mut paid = found.view("costs/tenancies", page.layout.language);
    let status = range
        .1
        .map(|asked| asked.show_again(&mut paid.days.ends, &mut page.layout));
    page.paid = Some(paid);
    Ok(render(status.unwrap_or_default(), &page))
}

/// `GET /costs/tenancies/statements`
pub(crate) async fn statements(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = TenancyStatementsPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/tenancies/statements"),
        paid: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let asked = RangeRules::BILLED.asked(&visit, &account.zone)?;
    let found = ask(&visit, account, (asked.choice, true)).await?;
    let mut paid = found.view("costs/tenancies/statements", page.layout.language);
    let status = asked.show_again(&mut paid.days.ends, &mut page.layout);
    page.paid = Some(paid);
    Ok(render(status, &page))
}

/// `GET /costs/tenancies.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    let choice = RangeRules::BILLED.read(visit.query(), &account.zone)?;
    let asked = ask(&visit, account, (choice, false)).await?;
    let rows = table(asked.found.0.rows(), visit.language());
    let [first, last] = asked.calendar.dates(&asked.days.range);
    let file = format!("tenancies-{first}-to-{last}.csv");
    Ok(attached(Spreadsheet::respond(rows), &file)?)
}

async fn ask(
    visit: &Visit,
    account: Account,
    (choice, with_papers): (RangeChoice, bool),
) -> Result<AskedTenancies, PageError> {
    let calendar = RangeCalendar::of(visit, &account);
    let days = calendar.shown(choice);
    let (of, now) = (account.name.clone(), visit.app.counted_now());
    let found = visit.report(&of, move |store| {
        let found = TenanciesStatement::of(store, &account, days.range.clone(), now)?;
        let papers = if with_papers {
            papers(store, &account, &found, &calendar)
        } else {
            Vec::new()
        };
        Ok::<_, StoreError>(AskedTenancies {
            account,
            choice,
            calendar,
            days,
            found: (found, papers),
        })
    });
    Ok(found.await??)
}

fn papers(
    store: &Store,
    account: &Account,
    found: &TenanciesStatement,
    calendar: &RangeCalendar,
) -> Vec<TenancyPaper> {
    let wording = calendar.wording();
    let paper = |(tenancy, found): &(Tenancy, Result<SensorStatement, SensorStatementError>)| {
        let name = tenancy.name.to_string();
        let Ok(found) = found else {
            return (
                name,
                String::new(),
                Err(wording.language.say("tenancy-gone")),
            );
        };
        let made = made_for_tenant(store, account, found, wording);
        let [first, last] = calendar.dates(&(found.range.start()..found.range.end()));
        let days = span(first, Some(last), wording.language);
        (name, days, Ok(SensorPaper::of(found, made, calendar)))
    };
    found.tenancies.iter().map(paper).collect()
}

/// The address of the page of a tenant, with further parameters.
pub(crate) fn tenancy_address(
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

/// A tenancy in the list.
fn row(visit: &Visit, account: &Account, tenancy: &Tenancy) -> TenancyRow {
    let language = visit.language();
    let registry = visit.app.store.registry();
    let sensor = registry.sensor(&tenancy.sensor);
    let sensor = sensor.filter(|it| it.account == account.name);
    let sensor = sensor.map_or_else(|| tenancy.sensor.to_string(), |it| it.name.clone());
    let contracts = registry.contracts(&account.name);
    let currency = contracts.and_then(|all| all.currency());
    let words = BillWords {
        language,
        currency: currency.map_or("", Currency::as_str),
    };
    let price = match tenancy.price {
        Some(price) => {
            let price = figures::exact_money(price, language);
            language.fill("tenancy-agreed", [("price", price.into())])
        }
        None => language.say("tenancy-real-cost"),
    };
    let fee = Some(tenancy.base_fee).filter(|fee| *fee != Decimal::ZERO);
    let fee = fee.map(|fee| {
        let fee = words.amount(fee).shown;
        language.fill("tenancy-a-month", [("fee", fee.into())])
    });
    let days = span(tenancy.from, tenancy.until, language);
    let parts = [Some(sensor), Some(days), Some(price), fee];
    let name = tenancy.name.as_str();
    let of = [("account", account.name.as_str()), ("old", name)];
    let person = tenancy
        .person
        .as_ref()
        .filter(|_| visit.visitor.offered().everything);
    let no_access = person.filter(|person| {
        let known = registry.person(person);
        let right = known.and_then(|it| it.accounts.get(&account.name));
        right.is_none()
    });
    TenancyRow {
        name: name.to_owned(),
        text: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        address: address("costs/tenancies", &of),
        shown: tenancy_address(account, tenancy, Vec::new()),
        no_access: no_access.map(|person| {
            let name = person.as_str();
            language.fill("tenancy-no-access", [("name", name.into())])
        }),
    }
}

impl AskedTenancies {
    fn to(&self, path: &str, choice: RangeChoice) -> String {
        lines_address(path, (&self.account, choice), None)
    }

    fn view(self, page: &str, language: &Language) -> PaidView {
        let (found, _) = &self.found;
        let currency = found.house.currency.as_ref();
        let words = BillWords {
            language,
            currency: currency.map_or("", Currency::as_str),
        };
        let row = |name: String, share: HouseShare| PaidRow {
            name,
            address: String::new(),
            energy: share
                .energy
                .map_or_else(|| figures::UNKNOWN.to_owned(), |it| words.kilowatthours(it)),
            real: share.real.map(|it| words.cell(it)),
            charged: share.charged.map(|it| words.cell(it)),
            is_total: false,
        };
        let tenants = found.tenancies.iter().map(|(tenancy, statement)| {
            let share = statement.as_ref().map(HouseShare::of).unwrap_or_default();
            // The page of a tenant knows no contract year.
            let days = RangeChoice::between(self.days.range.start, self.days.range.end);
            let days = days.map(|days| days.parameters(&self.account.zone));
            let days = days.unwrap_or_default();
            PaidRow {
                address: tenancy_address(&self.account, tenancy, days),
                ..row(tenancy.name.to_string(), share)
            }
        });
        let of_house = [
            row(language.say("tenancy-rest"), found.rest()),
            PaidRow {
                is_total: true,
                ..row(language.say("costs-house"), found.house_share())
            },
        ];
        PaidView {
            days: self.shown(found.house.range.end(), |choice| self.to(page, choice)),
            currency: figures::currency_sign(words.currency).to_owned(),
            rows: tenants.chain(of_house).collect(),
            nested: found.nested.as_ref().map(|id| {
                let id = id.as_str();
                language.fill("tenancy-nested", [("sensor", id.into())])
            }),
            is_complete: found.is_complete(),
            statements: self.to("costs/tenancies/statements", self.choice),
            csv: self.to("costs/tenancies.csv", self.choice),
            papers: self.found.1,
        }
    }
}

impl TenanciesPage {
    /// The stored text of a field of the form.
    fn text(&self, field: &str) -> String {
        let Some(tenancy) = &self.changed else {
            return String::new();
        };
        let amount = |amount: Decimal| field_text(&amount.to_string(), self.layout.language);
        match field {
            "name" => tenancy.name.to_string(),
            "meter" => tenancy.sensor.to_string(),
            "from" => tenancy.from.to_string(),
            "until" => tenancy.until.map_or_else(String::new, |it| it.to_string()),
            "person" => tenancy
                .person
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            "price" => tenancy.price.map_or_else(String::new, amount),
            _ if tenancy.base_fee == Decimal::ZERO => String::new(),
            _ => amount(tenancy.base_fee),
        }
    }
}
