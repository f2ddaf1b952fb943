//! `/costs`: the cost of a range, as a bill.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use askama::Template;

use super::contracts::{day, layout};
use super::sheet::sheet;
use crate::chart::with_unit;
use crate::domain::{Account, Currency, Decimal, LocalDate, MicroWh};
use crate::house::{StatementAnswer, statement};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules, ShownRange};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::wire::body::in_background;
use crate::ledger::contract::{BillLine, BilledQuantity, LineKind, Period};
use crate::ledger::{CostStatement, Flow};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/statement.html")]
struct StatementPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without an account.
    shown: Option<StatementView>,
}

/// The statement of an account.
struct StatementView {
    account: String,
    dates: String,
    /// The end of the period so far, if it is not over.
    until: Option<String>,
    /// The first and the last day, in the form of addresses.
    days: [String; 2],
    /// The name and the address of each unit, and whether it is shown.
    units: Vec<(String, String, bool)>,
    earlier: Option<String>,
    later: Option<String>,
    csv: String,
    json: String,
    has_contract: bool,
    currency: String,
    contracts: Vec<ContractLines>,
    /// Costs, credits and taxes.
    sums: Vec<(String, AmountText)>,
    total: Option<AmountText>,
    is_complete: bool,
    /// Facts: the energy, the known share of the time, and events that affect it.
    facts: Vec<(String, String)>,
    unpriced: Option<String>,
}

/// The lines of a contract.
struct ContractLines {
    name: String,
    from: LocalDate,
    lines: Vec<LineText>,
}

/// A line of the bill.
struct LineText {
    what: String,
    quantity: String,
    price: String,
    amount: AmountText,
}

/// An amount with all digits, and as displayed.
struct AmountText {
    exact: String,
    shown: String,
}

/// A requested statement.
struct AskedStatement {
    account: Account,
    choice: RangeChoice,
    calendar: RangeCalendar,
    days: ShownRange,
    found: CostStatement,
}

/// `GET /costs`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = StatementPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs"),
        shown: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let language = page.layout.language;
    let asked = RangeRules::BILLED.asked(&visit, &account.zone)?;
    let mut shown = ask(&visit, account, asked.choice).await?.view(language);
    let status = asked.show_again(&mut shown.days, &mut page.layout);
    page.shown = Some(shown);
    Ok(render(status, &page))
}

/// `GET /costs.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let asked = named(&visit).await?;
    let table = Spreadsheet::respond(sheet(&asked.found, visit.language()));
    let [first, last] = asked.calendar.dates(&asked.days.range);
    let file = format!("costs-{first}-to-{last}.csv");
    Ok(attached(table, &file)?)
}

/// `GET /costs.json`: as `GET /statement` of the API.
pub(crate) async fn json(visit: Visit) -> PageResult {
    let asked = named(&visit).await?;
    let answer = StatementAnswer::new(&asked.account, &asked.found);
    Ok(HttpResponse::Ok()
        .insert_header(ContentType::json())
        .json(answer))
}

async fn named(visit: &Visit) -> Result<AskedStatement, PageError> {
    let scope = AccountScope::read(visit)?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    let choice = RangeRules::BILLED.read(visit.query(), &account.zone)?;
    ask(visit, account, choice).await
}

async fn ask(
    visit: &Visit,
    account: Account,
    choice: RangeChoice,
) -> Result<AskedStatement, PageError> {
    let calendar = RangeCalendar::of(visit, &account);
    let days = calendar.shown(choice);
    let (store, now) = (visit.app.store.clone(), visit.app.counted_now());
    let turn = visit.app.report_turn(&account.name).await?;
    let range = days.range.clone();
    let compute = move || {
        let _turn = turn;
        let found = statement(&store, &account, range, now);
        found.map(|found| (account, found))
    };
    let (account, found) = in_background(compute).await??;
    Ok(AskedStatement {
        account,
        choice,
        calendar,
        days,
        found,
    })
}

impl AskedStatement {
    /// The address of a range on one of the pages of statements.
    fn to(&self, path: &str, choice: RangeChoice) -> String {
        let account = Some(self.account.name.as_str());
        choice.address(path, account, &self.account.zone)
    }

    fn view(&self, language: &Language) -> StatementView {
        let page = |choice| self.to("costs", choice);
        let [first, last] = self.calendar.dates(&self.days.range);
        let [from, to] = [first, last].map(|date| day(date, language));
        let found = &self.found;
        let currency = found.currency.as_ref().map_or("", Currency::as_str);
        let words = BillWords { language, currency };
        let bill = &found.bill;
        let costs = if bill.taxes == Decimal::ZERO {
            language.say("statement-costs-untaxed")
        } else {
            language.say("statement-costs")
        };
        let sums = [
            (costs, bill.costs),
            (
                language.say("statement-credits"),
                Decimal::from_millionths(bill.credits.millionths().saturating_neg()),
            ),
            (language.say("statement-taxes"), bill.taxes),
        ];
        let is_told = |sum: &Decimal| found.total().is_some() && *sum != Decimal::ZERO;
        let sums = sums.into_iter().filter(|(_, sum)| is_told(sum));
        let sums = sums.map(|(name, sum)| (name, words.amount(sum)));
        let unpriced = Some(bill.unpriced).filter(|flow| *flow != Flow::default());
        StatementView {
            account: self.account.name.to_string(),
            dates: language.fill(
                "contract-from-to",
                [("from", from.into()), ("to", to.into())],
            ),
            until: (found.range.end() < self.days.range.end).then(|| {
                let end = found.range.end();
                let end = self.calendar.wording().date_and_clock(end);
                language.fill("statement-so-far", [("time", end.into())])
            }),
            days: [first, last].map(|date| date.to_string()),
            units: RangeRules::BILLED.links(self.choice, &self.calendar, page),
            earlier: self.days.earlier.map(page),
            later: self.days.later.map(page),
            csv: self.to("costs.csv", self.choice),
            json: self.to("costs.json", self.choice),
            has_contract: found.currency.is_some(),
            contracts: words.contracts(&bill.lines),
            sums: sums.collect(),
            total: found.total().map(|total| words.amount(total)),
            is_complete: found.is_complete(),
            facts: words.facts(found),
            unpriced: unpriced.map(|flow| words.unpriced(flow)),
            currency: figures::currency_sign(currency).to_owned(),
        }
    }
}

/// The wording of a bill.
struct BillWords<'a> {
    language: &'a Language,
    currency: &'a str,
}

impl BillWords<'_> {
    fn contracts(&self, lines: &[BillLine]) -> Vec<ContractLines> {
        let mut all: Vec<ContractLines> = Vec::new();
        for line in lines {
            let text = self.line(line);
            match all.last_mut() {
                Some(last) if last.from == line.contract_from => last.lines.push(text),
                _ => all.push(ContractLines {
                    name: line.contract.to_string(),
                    from: line.contract_from,
                    lines: vec![text],
                }),
            }
        }
        all
    }

    fn line(&self, line: &BillLine) -> LineText {
        let kind = || {
            self.language
                .word("statement-kind", LineKind::as_str(line.kind))
        };
        let name = line.name.as_ref().map_or_else(kind, ToString::to_string);
        LineText {
            what: match &line.part {
                Some(part) => format!("{name}: {part}"),
                None => name,
            },
            quantity: self.quantity(&line.quantity),
            price: match (line.price, &line.quantity) {
                (Some(price), quantity) => self.price(price, quantity),
                (None, BilledQuantity::Percent(_)) => String::new(),
                (None, _) => self.language.say("statement-varies"),
            },
            amount: AmountText {
                // The header of the table shows the currency.
                shown: with_unit(line.amount.to_f64(), 2, "", self.language)
                    .trim_end()
                    .to_owned(),
                ..self.amount(line.amount)
            },
        }
    }

    fn quantity(&self, quantity: &BilledQuantity) -> String {
        match quantity {
            BilledQuantity::Energy(energy) => self.kilowatthours(*energy),
            BilledQuantity::Power(power) => self.in_thousands(*power, "kW"),
            BilledQuantity::Percent(percent) => format!("{}\u{202F}%", self.number(*percent)),
            BilledQuantity::Time(count, period) => {
                let is_whole = count.millionths() % Decimal::ONE.millionths() == 0;
                let decimals = if is_whole { 0 } else { 2 };
                let unit = if *count == Decimal::ONE {
                    self.language.word("statement-one", Period::as_str(*period))
                } else {
                    self.language
                        .word("statement-many", Period::as_str(*period))
                };
                with_unit(count.to_f64(), decimals, &unit, self.language)
            }
        }
    }

    /// A price, and the quantity it applies to.
    fn price(&self, price: Decimal, quantity: &BilledQuantity) -> String {
        let price = figures::exact_money(price, self.language);
        let unit = match quantity {
            BilledQuantity::Energy(_) => "kWh".to_owned(),
            BilledQuantity::Power(_) => "kW".to_owned(),
            BilledQuantity::Time(_, period) => {
                self.language.word("statement-one", Period::as_str(*period))
            }
            BilledQuantity::Percent(_) => return price,
        };
        format!("{price}\u{202F}/\u{202F}{unit}")
    }

    fn facts(&self, found: &CostStatement) -> Vec<(String, String)> {
        let language = self.language;
        let energy = |of: fn(Flow) -> MicroWh| match found.energy {
            Some(flow) => self.kilowatthours(of(flow)),
            None => figures::UNKNOWN.to_owned(),
        };
        let coverage = found.coverage();
        let share = |share: f64| share_text(share, language);
        let count =
            |count: usize| figures::count(u64::try_from(count).unwrap_or(u64::MAX), language);
        let touched = found.touched;
        // Facts without a problem are left out.
        let told = [
            (
                coverage.measured < 1.0,
                language.say("statement-measured"),
                share(coverage.measured),
            ),
            (
                coverage.estimated > 0.0,
                language.say("statement-estimated"),
                share(coverage.estimated),
            ),
            (
                coverage.missing > 0.0,
                language.say("statement-missing"),
                share(coverage.missing),
            ),
            (
                touched.events > 0,
                language.say("statement-events"),
                count(touched.events),
            ),
            (
                touched.corrections > 0,
                language.say("statement-corrections"),
                count(touched.corrections),
            ),
        ];
        let told = told
            .into_iter()
            .filter_map(|(is, name, value)| is.then_some((name, value)));
        let flows = [
            (
                language.say("statement-imported"),
                energy(|flow| flow.imported),
            ),
            (
                language.say("statement-exported"),
                energy(|flow| flow.exported),
            ),
        ];
        flows.into_iter().chain(told).collect()
    }

    fn unpriced(&self, flow: Flow) -> String {
        let [imported, exported] = [flow.imported, flow.exported].map(|it| self.kilowatthours(it));
        let values = [("imported", imported.into()), ("exported", exported.into())];
        self.language.fill("statement-unpriced", values)
    }

    fn kilowatthours(&self, energy: MicroWh) -> String {
        self.in_thousands(energy, "kWh")
    }

    fn in_thousands(&self, energy: MicroWh, unit: &str) -> String {
        with_unit(energy.watthours() / 1_000.0, 2, unit, self.language)
    }

    fn amount(&self, amount: Decimal) -> AmountText {
        AmountText {
            exact: amount.to_string(),
            shown: figures::money(amount.to_f64(), self.currency, self.language),
        }
    }

    fn number(&self, number: Decimal) -> String {
        self.language.number(&number.to_string())
    }
}

/// A share of time in percent. A share between nothing and all is never shown as 0 % or 100 %.
fn share_text(share: f64, language: &Language) -> String {
    const LEAST: f64 = 0.000_1;
    let percent = |share: f64| with_unit(share * 100.0, 2, "%", language);
    if share <= 0.0 || share >= 1.0 {
        with_unit(share * 100.0, 0, "%", language)
    } else if share < LEAST {
        format!("< {}", percent(LEAST))
    } else if share > 1.0 - LEAST {
        format!("> {}", percent(1.0 - LEAST))
    } else {
        percent(share)
    }
}
