//! `/bills`: the utility's bills, each compared with our statement.

use askama::Template;

use crate::admin::{BillForm, EntryForm, EntryRequest, Request, put_entry};
use crate::chart::Wording;
use crate::domain::{Account, AccountName, EntryKind, Timestamp};
use crate::house::{AmountRow, UtilityBill, utility_bill};
use crate::http::pages::frame::account_scope::{AccountChip, known_account};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::figures::{UNKNOWN, money};
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{AccountScope, Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::meters::bill_form::BillFields;
use crate::http::pages::meters::posted::{layout_in, no_account};
use crate::http::wire::ApiError;
use crate::ledger::contract::Contract;
use crate::store::{AccountEntry, Store};

#[derive(Template)]
#[template(path = "meters/bills.html")]
struct BillsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    account: String,
    /// The newest first: range, total, address, and whether it is shown.
    bills: Vec<(String, String, String, bool)>,
    shown: Option<BillView>,
    fields: BillFields,
}

/// A bill compared with our statement.
struct BillView {
    number: u32,
    range: String,
    /// The lines; the last one is the total.
    lines: Vec<AmountView>,
    /// The imported energy on the bill, and how far the ledger is off.
    energy: String,
    drift: String,
    drift_percent: String,
}

/// Amounts in words; `–` for unknown ones.
struct AmountView {
    /// `None` for the total.
    name: Option<String>,
    billed: String,
    computed: String,
    difference: String,
}

/// The format of an account's amounts.
struct AmountWording<'a> {
    wording: Wording<'a>,
    currency: String,
}

impl<'a> AmountWording<'a> {
    fn of(visit: &Visit, account: &'a Account) -> Self {
        let registry = visit.app.store.registry();
        let contracts = registry.contracts(&account.name);
        let newest = contracts.and_then(|all| all.all().last().map(Contract::currency));
        Self {
            wording: Wording::new(&account.zone, visit.language()),
            currency: newest.map(|it| it.as_str().to_owned()).unwrap_or_default(),
        }
    }

    fn amount(&self, number: f64) -> String {
        money(number, &self.currency, self.wording.language)
    }

    fn amount_of(&self, text: Option<&String>) -> String {
        let number = text.and_then(|text| text.parse().ok());
        number.map_or_else(|| UNKNOWN.to_owned(), |number| self.amount(number))
    }

    /// The days from `from` until before `to`.
    fn days(&self, from: Timestamp, to: Timestamp) -> String {
        let last = to.saturating_add_millis(-1);
        let [from, to] = [from, last].map(|time| self.wording.date(time));
        if from == to {
            return from;
        }
        format!("{from} – {to}")
    }

    fn bill(&self, bill: &UtilityBill) -> BillView {
        let lines = bill.lines.iter();
        let lines = lines.map(|line| self.line(Some(line.name.clone()), line));
        let range = Timestamp::parse(&bill.from).and_then(|from| {
            let to = Timestamp::parse(&bill.to)?;
            Ok(self.days(from, to))
        });
        BillView {
            number: bill.number,
            range: range.unwrap_or_default(),
            lines: lines.chain([self.line(None, &bill.total)]).collect(),
            energy: self.wording.watthours(bill.energy),
            drift: self.wording.watthours(bill.drift),
            drift_percent: self.wording.percent(bill.drift_percent.as_deref()),
        }
    }

    fn line(&self, name: Option<String>, amounts: &AmountRow) -> AmountView {
        AmountView {
            name,
            billed: self.amount_of(amounts.billed.as_ref()),
            computed: self.amount_of(amounts.computed.as_ref()),
            difference: self.amount_of(amounts.difference.as_ref()),
        }
    }
}

/// Bills are among the costs.
fn layout(visit: &Visit) -> Result<Layout, PageError> {
    layout_in(visit, Tab::Costs)
}

impl BillsPage {
    /// The bills of an account, and the comparison of the one with this number; without a number,
    /// of the newest one.
    async fn of(
        visit: &Visit,
        scope: AccountScope,
        number: Option<u32>,
    ) -> Result<Self, PageError> {
        let accounts = scope.chips("bills");
        let account = scope.account.ok_or(PageError::NotFound)?;
        let words = AmountWording::of(visit, &account);
        let name = account.name.to_string();
        let registry = visit.app.store.registry();
        let newest = registry.bills(&account.name).last().map(|(last, _)| last);
        let number = number.or(newest);
        let mut bills: Vec<(String, String, String, bool)> = registry
            .bills(&account.name)
            .map(|(one, bill)| {
                let range = words.days(bill.range.start(), bill.range.end());
                let total = words.amount(bill.total.to_f64());
                let own = [("account", name.as_str()), ("bill", &one.to_string())];
                let own = address("bills", &own);
                (range, total, own, number == Some(one))
            })
            .collect();
        bills.reverse();
        let shown = match number {
            Some(number) => compared(visit, account.clone(), number).await?,
            None => None,
        };
        Ok(Self {
            layout: layout(visit)?,
            accounts,
            account: name,
            bills,
            shown: shown.map(|bill| words.bill(&bill)),
            fields: BillFields::posted(visit)?.with_empty_lines(),
        })
    }
}

async fn compared(
    visit: &Visit,
    account: Account,
    number: u32,
) -> Result<Option<UtilityBill>, PageError> {
    let (name, now) = (account.name.clone(), visit.app.counted_now());
    let of = (number, Some(visit.language()));
    let look = move |store: &Store| utility_bill(store, &account, of, now);
    Ok(visit.report(&name, look).await?.map_err(ApiError::from)?)
}

/// `GET /bills?account=…&bill=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    if scope.account.is_none() {
        return Ok(no_account(&visit, layout(&visit)?, "bills-title"));
    }
    let number = visit.param("bill")?.parse().ok();
    Ok(ok(&BillsPage::of(&visit, scope, number).await?))
}

/// `POST /bills`: adds a bill, or shows the form with more lines.
pub(crate) async fn add(visit: Visit) -> PageResult {
    if !visit.field("more")?.is_empty() {
        return show(visit).await;
    }
    let account = visit.field("account")?;
    let numbers = visit.numbers();
    let form = BillFields::posted(&visit)?.bill(&numbers, visit.language())?;
    let mut questions = numbers.questions();
    questions.extend(same_bill(&visit, &account, &form));
    visit.ask(&questions)?;
    let of = known_account(&visit, &account)?.name;
    let (form, now) = (EntryForm::Bill(form), visit.app.counted_now());
    let added = visit.look(move |store| put_entry(store, &of, (&form, None), now));
    let field = |field: &str| match field {
        "to" => "last",
        "total" => "total",
        "kwh" => "kwh",
        field if field.starts_with("lines") => "lines",
        _ => "first",
    };
    let added = added
        .await?
        .map_err(|error| PageError::of_admin(error, field))?;
    let AccountEntry::Bill(number, _) = added else {
        return Err(PageError::NotFound);
    };
    let number = number.to_string();
    let own = [
        ("account", &*account),
        ("bill", &number),
        ("done", "bill-added"),
    ];
    Ok(leads_to("bills", &own))
}

/// The question whether a bill was entered before.
fn same_bill(visit: &Visit, account: &str, form: &BillForm) -> Option<String> {
    let registry = visit.app.store.registry();
    let account = AccountName::new(account).ok()?;
    let account = registry.account(&account)?;
    let bill = form.bill(&account.zone).ok()?;
    let mut known = registry.bills(&account.name);
    let (_, same) = known.find(|(_, other)| bill.seems_to_be(other))?;
    let words = AmountWording::of(visit, account);
    let range = words.days(same.range.start(), same.range.end());
    let total = words.amount(same.total.to_f64());
    let values = [("range", range.into()), ("total", total.into())];
    Some(visit.language().fill("bills-same", values))
}

/// `POST /bills/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = visit.field("account")?;
    let number: Result<u32, _> = visit.field("number")?.parse();
    let request = Request::Entries(EntryRequest::Remove {
        kind: EntryKind::Bill,
        account: Some(account.clone()),
        name: number.map_err(|_| PageError::NotFound)?.to_string(),
    });
    admin_call(&visit.app, request, |_| "bills").await?;
    let to = [("account", &*account), ("done", "bill-removed")];
    Ok(leads_to("bills", &to))
}
