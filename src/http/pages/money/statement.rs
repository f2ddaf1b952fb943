//! `/costs`: the cost of a range, as a bill; with `offer=…` by an offer, with `without=…` of the house
//! without some part.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use askama::Template;

use super::bill_words::{AmountText, BillWords, ContractLines};
use super::billed_days::BilledDays;
use super::compared::{ComparedStatement, ComparedView};
use super::contracts::layout;
use super::sheet::sheet;
use crate::domain::{Account, Against, Currency, Decimal};
use crate::house::{
    HouseWithout, SavingsError, StatementAnswer, offer_statement, statement, statement_without,
};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{
    AskedAgainst, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::http::pages::frame::response::{attached, ok, render};
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::ledger::contract::Contract;
use crate::ledger::{CostStatement, Flow};
use crate::store::Store;
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
    days: BilledDays,
    /// The offer or the changed house that it is of.
    instead: Option<InsteadView>,
    /// The pages that have it beside others: names and addresses.
    also: Vec<(String, String)>,
    csv: String,
    json: String,
    has_contract: bool,
    currency: String,
    contracts: Vec<ContractLines>,
    /// Costs, credits and taxes.
    sums: Vec<(String, AmountText)>,
    total: Option<AmountText>,
    /// The gap of the total, and whether that is more than half.
    gap: Option<(String, bool)>,
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
    /// The price series that have another currency.
    other_currency: Vec<String>,
    /// The price series whose prices were converted.
    converted: Vec<String>,
}

/// An offer or a changed house, in place of the contracts and the house.
struct InsteadView {
    note: String,
    /// The name and the address of the page that has it beside them.
    beside: (String, String),
    /// The parameter of the address, for the form of ranges.
    parameter: (&'static str, String),
}

impl StatementView {
    /// Whether the total leaves out more than half: then it is not set off.
    fn is_mostly_unknown(&self) -> bool {
        self.gap.as_ref().is_some_and(|(_, is_most)| *is_most)
    }
}

/// A requested statement.
struct AskedStatement {
    account: Account,
    offer: Option<Contract>,
    without: Option<HouseWithout>,
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
    let status = asked.show_again(&mut shown.days.ends, &mut page.layout);
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
    let now = visit.app.counted_now();
    let name = visit.param("offer")?;
    let offer = (!name.is_empty()).then(|| {
        let offer = visit
            .app
            .store
            .registry()
            .offer(&account.name, &name)
            .cloned();
        offer.ok_or(PageError::NotFound)
    });
    let offer = offer.transpose()?;
    let without = match visit.param("without")?.as_str() {
        "" => None,
        word => {
            let parts = word.parse::<HouseWithout>();
            Some(parts.map_err(|_| PageError::NotFound)?)
        }
    };
    let of = account.name.clone();
    let compute = move |store: &Store| {
        let range = days.range.clone();
        let found = match (&offer, without) {
            (Some(offer), _) => offer_statement(store, &account, (offer, range), now)?,
            (None, Some(without)) => statement_without(store, &account, (without, range), now)?,
            (None, None) => statement(store, &account, range, now)?,
        };
        // These are compared with the house and its contracts, on pages of their own.
        let is_own = offer.is_none() && without.is_none();
        let is_compared = is_compared && is_own && found.currency.is_some();
        let (days, compared) = if is_compared {
            let asked = (choice, against);
            ComparedStatement::of(store, &account, (days, asked), now)?
        } else {
            (days, None)
        };
        Ok::<_, SavingsError>(AskedStatement {
            account,
            offer,
            without,
            choice,
            against,
            calendar,
            days,
            found,
            compared,
        })
    };
    visit
        .report(&of, compute)
        .await?
        .map_err(|error| match error {
            SavingsError::Store(error) => error.into(),
            _ => PageError::NotFound,
        })
}

/// The address of a range on one of the pages of statements, with a parameter perhaps.
pub(super) fn lines_address(
    path: &str,
    (account, choice): (&Account, RangeChoice),
    parameter: Option<(&str, &str)>,
) -> String {
    let account_name = [("account", account.name.to_string())].into_iter();
    let parameter = parameter.map(|(name, value)| (name, value.to_owned()));
    let range = choice.parameters(&account.zone);
    let all: Vec<_> = account_name.chain(range).chain(parameter).collect();
    format!("{path}{}", query_string(&all))
}

impl AskedStatement {
    /// The address of a range on one of the pages of statements.
    fn to(&self, path: &str, choice: RangeChoice) -> String {
        lines_address(path, (&self.account, choice), self.parameter())
    }

    /// The parameter of the address for an offer or a changed house.
    fn parameter(&self) -> Option<(&'static str, &str)> {
        let offer = self.offer.as_ref();
        let offer = offer.map(|offer| ("offer", offer.name().as_str()));
        let without = self.without;
        offer.or(without.map(|parts| ("without", HouseWithout::as_str(parts))))
    }

    /// The pages that have it beside other statements of the range.
    fn beside(&self, language: &Language) -> [(String, String); 2] {
        let to = |path| lines_address(path, (&self.account, self.choice), None);
        [
            (language.say("compare-title"), to("costs/compare")),
            (language.say("savings-title"), to("costs/savings")),
        ]
    }

    fn instead(&self, language: &Language) -> Option<InsteadView> {
        let (name, value) = self.parameter()?;
        let [comparison, savings] = self.beside(language);
        let (note, beside) = if let (None, Some(parts)) = (&self.offer, self.without) {
            let note = language.word("statement-without", HouseWithout::as_str(parts));
            (note, savings)
        } else {
            let of = [("name", value.into())];
            (language.fill("statement-offer", of), comparison)
        };
        Some(InsteadView {
            note,
            beside,
            parameter: (name, value.to_owned()),
        })
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
        let found = &self.found;
        let rules = (RangeRules::BILLED, self.choice, &self.calendar);
        let shown = (&self.days, Some(found.range.end()));
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
            days: BilledDays::of(&self.account, rules, shown, page),
            instead: self.instead(language),
            also: self.beside(language).to_vec(),
            csv: self.to("costs.csv", self.choice),
            json: self.to("costs.json", self.choice),
            has_contract: found.currency.is_some(),
            contracts: words.contracts(&bill.lines),
            sums: sums.collect(),
            total: found.total().map(|total| words.amount(total)),
            gap: found.gap().map(|gap| (words.without(gap), gap.is_most)),
            paid: words.paid(found),
            is_complete: found.is_complete(),
            compared: self.compared(&words),
            against: self.against.get().map(Against::as_str),
            facts: words.facts(found),
            unpriced: unpriced.map(|flow| words.unpriced(flow)),
            other_currency: words.other_currency(found),
            converted: words.converted(found),
            currency: figures::currency_sign(currency).to_owned(),
        }
    }
}
