//! `/costs`: the cost of a range, as a bill; with `offer=…` by an offer.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use askama::Template;

use super::bill_words::{AmountText, BillWords, ContractLines};
use super::compared::{ComparedStatement, ComparedView};
use super::contracts::{day, layout};
use super::sheet::sheet;
use crate::domain::{Account, Against, Currency, Decimal};
use crate::house::{StatementAnswer, offer_statement, statement};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{
    AskedAgainst, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::wire::body::in_background;
use crate::ledger::contract::Contract;
use crate::ledger::{CostStatement, Flow};
use crate::store::StoreError;
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
    /// The name of the offer whose prices these are, and the comparison of the range.
    offer: Option<(String, String)>,
    dates: String,
    /// The end of the period so far, if it is not over.
    until: Option<String>,
    /// The first and the last day, in the form of addresses.
    days: [String; 2],
    /// The name and the address of each unit, and whether it is shown.
    units: Vec<(String, String, bool)>,
    earlier: Option<String>,
    later: Option<String>,
    compare: String,
    csv: String,
    json: String,
    has_contract: bool,
    currency: String,
    contracts: Vec<ContractLines>,
    /// Costs, credits and taxes.
    sums: Vec<(String, AmountText)>,
    total: Option<AmountText>,
    /// Advances and the balance.
    paid: Vec<(String, AmountText)>,
    is_complete: bool,
    /// The total of the range that it is compared with.
    compared: Option<ComparedView>,
    /// The comparison in the address, for the form of ranges.
    against: Option<&'static str>,
    /// Facts: the energy, the known share of the time, and events that affect it.
    facts: Vec<(String, String)>,
    unpriced: Option<String>,
}

/// A requested statement.
struct AskedStatement {
    account: Account,
    offer: Option<Contract>,
    choice: RangeChoice,
    against: AskedAgainst,
    calendar: RangeCalendar,
    days: ShownRange,
    found: CostStatement,
    /// The same for the range that it is compared with; `None` on request, and if it is too long.
    compared: Option<ComparedStatement>,
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
    let requested = (asked.choice, AskedAgainst::read(visit.query())?);
    let found = ask(&visit, account, requested, true).await?;
    let mut shown = found.view(language);
    let status = asked.show_again(&mut shown.days, &mut page.layout);
    page.shown = Some(shown);
    Ok(render(status, &page))
}

/// `GET /costs.csv`
pub(crate) async fn csv(visit: Visit) -> PageResult {
    let asked = named(&visit).await?;
    let table = Spreadsheet::respond(sheet(asked.found.rows(), visit.language()));
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
    ask(visit, account, (choice, AskedAgainst::default()), false).await
}

async fn ask(
    visit: &Visit,
    account: Account,
    (choice, against): (RangeChoice, AskedAgainst),
    is_compared: bool,
) -> Result<AskedStatement, PageError> {
    let calendar = RangeCalendar::of(visit, &account);
    let days = calendar.shown(choice);
    let (store, now) = (visit.app.store.clone(), visit.app.counted_now());
    let name = visit.param("offer")?;
    let offer = (!name.is_empty()).then(|| {
        let offer = store.registry().offer(&account.name, &name).cloned();
        offer.ok_or(PageError::NotFound)
    });
    let offer = offer.transpose()?;
    let turn = visit.app.report_turn(&account.name).await?;
    let compute = move || {
        let _turn = turn;
        let range = days.range.clone();
        let found = match &offer {
            Some(offer) => offer_statement(&store, &account, (offer, range), now)?,
            None => statement(&store, &account, range, now)?,
        };
        // An offer is compared with the contracts, on the page of the comparison.
        let is_compared = is_compared && offer.is_none() && found.currency.is_some();
        let (days, compared) = if is_compared {
            let asked = (choice, against);
            ComparedStatement::of(&store, &account, (days, asked), now)?
        } else {
            (days, None)
        };
        Ok::<_, StoreError>(AskedStatement {
            account,
            offer,
            choice,
            against,
            calendar,
            days,
            found,
            compared,
        })
    };
    Ok(in_background(compute).await??)
}

/// The address of a range on one of the pages of statements, perhaps by an offer.
pub(super) fn lines_address(
    path: &str,
    (account, choice): (&Account, RangeChoice),
    offer: Option<&str>,
) -> String {
    let account_name = [("account", account.name.to_string())].into_iter();
    let offer = offer.map(|name| ("offer", name.to_owned()));
    let range = choice.parameters(&account.zone);
    let all: Vec<_> = account_name.chain(range).chain(offer).collect();
    format!("{path}{}", query_string(&all))
}

impl AskedStatement {
    /// The address of a range on one of the pages of statements.
    fn to(&self, path: &str, choice: RangeChoice) -> String {
        let offer = self.offer.as_ref().map(|offer| offer.name().as_str());
        lines_address(path, (&self.account, choice), offer)
    }

    /// The address of the comparison of the range.
    fn comparison(&self) -> String {
        lines_address("costs/compare", (&self.account, self.choice), None)
    }

    /// The range that it is compared with, in words.
    fn compared(&self, words: &BillWords<'_>) -> Option<ComparedView> {
        let here = self.to("costs", self.choice);
        let range = (&self.days, &self.calendar);
        let compared = self.compared.as_ref()?;
        Some(compared.view(&self.found, range, words, |other| other.added_to(here)))
    }

    fn view(&self, language: &Language) -> StatementView {
        let page = |choice| self.against.added_to(self.to("costs", choice));
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
            offer: self
                .offer
                .as_ref()
                .map(|offer| (offer.name().to_string(), self.comparison())),
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
            compare: self.comparison(),
            csv: self.to("costs.csv", self.choice),
            json: self.to("costs.json", self.choice),
            has_contract: found.currency.is_some(),
            contracts: words.contracts(&bill.lines),
            sums: sums.collect(),
            total: found.total().map(|total| words.amount(total)),
            paid: words.paid(found),
            is_complete: found.is_complete(),
            compared: self.compared(&words),
            against: self.against.get().map(Against::as_str),
            facts: words.facts(found),
            unpriced: unpriced.map(|flow| words.unpriced(flow)),
            currency: figures::currency_sign(currency).to_owned(),
        }
    }
}
