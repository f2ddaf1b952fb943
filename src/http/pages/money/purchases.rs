//! `/costs/purchases`: what a household bought, how far it has paid for itself, and the form to add,
//! change and remove a purchase.

use std::cmp::Reverse;

use actix_web::HttpResponse;
use askama::Template;

use super::bill_words::BillWords;
use super::contracts::{contracts_of, day, layout};
use crate::admin::{AdminError, EntryForm, PurchaseForm, put_entry, remove_entry};
use crate::domain::{Account, AccountName, Currency, Decimal, EntryKind, LocalDate};
use crate::house::{HouseWithout, Payback, PaybackReason, SavingsError, paybacks};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::{AccountChip, known_account};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::typed_number::field_text;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::ledger::{Purchase, PurchaseKind};
use crate::store::StoreError;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/purchases.html")]
struct PurchasesPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    paybacks: Vec<PaybackView>,
    /// Why nothing is known of them.
    problem: Option<String>,
    /// By date, the newest first.
    purchases: Vec<PurchaseView>,
    /// The name of the purchase that is changed; empty for a new one.
    old: String,
    fields: PurchaseFields,
}

/// Purchases that the same savings pay for.
struct PaybackView {
    title: String,
    /// The share paid back.
    share: String,
    /// When they will have paid for themselves, or why that is not known.
    expected: String,
    facts: Vec<(String, String)>,
}

struct PurchaseView {
    name: String,
    kind: String,
    date: String,
    amount: String,
    /// The address of the page that changes it.
    address: String,
}

/// A purchase as its form shows it.
#[derive(Default)]
struct PurchaseFields {
    name: String,
    kind: String,
    date: String,
    amount: String,
    subsidy: String,
    costs: String,
}

/// `GET /costs/purchases?account=…&purchase=…`; without a name for a new purchase.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = PurchasesPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/purchases"),
        account: String::new(),
        paybacks: Vec::new(),
        problem: None,
        purchases: Vec::new(),
        old: String::new(),
        fields: PurchaseFields::default(),
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    page.account = account.name.to_string();
    let registry = visit.app.store.registry();
    let mut known: Vec<&Purchase> = registry.purchases(&account.name).collect();
    page.old = if visit.is_again() {
        visit.field("old")?
    } else {
        visit.param("purchase")?
    };
    let is_changed = |one: &&Purchase| one.terms().name.as_str() == page.old;
    let changed = known.iter().copied().find(is_changed);
    if !page.old.is_empty() && changed.is_none() && !visit.is_again() {
        return Err(PageError::NotFound);
    }
    page.fields = PurchaseFields::of(changed, visit.language());
    let contracts = contracts_of(&visit, &account.name);
    let words = PurchaseWords {
        bill: BillWords {
            language: page.layout.language,
            currency: contracts.currency().map_or("", Currency::as_str),
        },
        language: page.layout.language,
        account: &account,
    };
    known.sort_by_key(|one| Reverse(one.terms().date));
    page.purchases = known.iter().map(|one| words.purchase(one)).collect();
    if !known.is_empty() {
        let (of, now) = (account.clone(), visit.app.counted_now());
        let found = visit.report(&account.name, move |store| paybacks(store, &of, now));
        match found.await? {
            Ok((_, found)) => {
                page.paybacks = found.iter().map(|one| words.payback(one)).collect();
            }
            Err(SavingsError::Store(error)) => return Err(error.into()),
            Err(error) => page.problem = Some(words.problem(&error)),
        }
    }
    Ok(ok(&page))
}

/// `POST /costs/purchases`: adds a purchase, or changes the one with the name `old`.
pub(crate) async fn save(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let old = visit.field("old")?;
    let numbers = visit.numbers();
    let date = LocalDate::typed(&visit.trimmed("date")?);
    let date = date.map_err(|_| PageError::mistake("purchase-wrong-date", "date"))?;
    let amount = |name: &str| Ok::<_, PageError>(numbers.plain(&visit.trimmed(name)?));
    let form = PurchaseForm {
        name: visit.trimmed("name")?,
        kind: visit.choice::<PurchaseKind>("kind")?.as_str().to_owned(),
        date: date.to_string(),
        amount: amount("amount")?,
        subsidy: amount("subsidy")?,
        costs_per_year: amount("costs")?,
    };
    let registry = visit.app.store.registry();
    let mut known = registry.purchases(&account.name);
    if form.name != old && known.any(|one| one.terms().name.as_str() == form.name) {
        return Err(PageError::mistake("purchase-wrong-taken", "name"));
    }
    let now = visit.app.counted_now();
    let checked = form.purchase(LocalDate::at(now, &account.zone));
    checked.map_err(mistake)?;
    visit.ask(&numbers.questions())?;
    let of = account.name.clone();
    let put = visit.look(move |store| {
        let old = Some(old.as_str()).filter(|old| !old.is_empty());
        put_entry(store, &of, (&EntryForm::Purchase(form), old), now)
    });
    put.await?.map_err(mistake)?;
    Ok(list(&account.name, "purchase"))
}

/// `POST /costs/purchases/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let (of, name) = (account.clone(), visit.field("old")?);
    let removed = visit.look(move |store| remove_entry(store, &of, EntryKind::Purchase, &name));
    match removed.await? {
        Ok(()) => Ok(list(&account, "purchase-removed")),
        Err(AdminError::Unfit(_) | AdminError::Field { .. }) => Err(PageError::NotFound),
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}

fn list(account: &AccountName, done: &str) -> HttpResponse {
    let parameters = [("account", account.as_str()), ("done", done)];
    leads_to("costs/purchases", &parameters)
}

/// The mistake in a form.
fn mistake(error: AdminError) -> PageError {
    match &error {
        AdminError::Unfit(StoreError::TooManyEntries { .. }) => {
            return PageError::mistake("purchase-too-many", "name");
        }
        AdminError::Unfit(StoreError::UnknownEntry { .. }) => return PageError::NotFound,
        _ => {}
    }
    match error.at() {
        "name" => PageError::mistake("purchase-wrong-name", "name"),
        "date" => PageError::mistake("purchase-wrong-date", "date"),
        "amount" => PageError::mistake("purchase-wrong-amount", "amount"),
        "subsidy" => PageError::mistake("purchase-wrong-subsidy", "subsidy"),
        "costs_per_year" => PageError::mistake("purchase-wrong-costs", "costs"),
        _ => PageError::of_admin(error, |_| "main"),
    }
}

impl PurchaseFields {
    /// The fields of a purchase, or of a new one.
    fn of(purchase: Option<&Purchase>, language: &Language) -> Self {
        let Some(terms) = purchase.map(Purchase::terms) else {
            return Self {
                kind: PurchaseKind::Panels.as_str().to_owned(),
                ..Self::default()
            };
        };
        let amount = |amount: Decimal| match amount {
            Decimal::ZERO => String::new(),
            amount => field_text(&amount.to_string(), language),
        };
        Self {
            name: terms.name.to_string(),
            kind: terms.kind.as_str().to_owned(),
            date: terms.date.to_string(),
            amount: amount(terms.amount),
            subsidy: amount(terms.subsidy),
            costs: amount(terms.costs_per_year),
        }
    }
}

/// The wording of purchases.
struct PurchaseWords<'a> {
    bill: BillWords<'a>,
    language: &'a Language,
    account: &'a Account,
}

impl PurchaseWords<'_> {
    fn problem(&self, error: &SavingsError) -> String {
        match error {
            SavingsError::TooMany => self.language.say("savings-too-many"),
            SavingsError::Store(error) => error.to_string(),
            _ => self.language.say("savings-no-contract"),
        }
    }

    fn purchase(&self, purchase: &Purchase) -> PurchaseView {
        let terms = purchase.terms();
        let name = terms.name.as_str();
        let parameters = [("account", self.account.name.as_str()), ("purchase", name)];
        PurchaseView {
            name: name.to_owned(),
            kind: self
                .language
                .word("purchase-kind", PurchaseKind::as_str(terms.kind)),
            date: day(terms.date, self.language),
            amount: self.bill.amount(purchase.price()).shown,
            address: address("costs/purchases", &parameters),
        }
    }

    fn payback(&self, found: &Payback) -> PaybackView {
        let language = self.language;
        let money = |amount: Decimal| self.bill.amount(amount).shown;
        let since = found.known_from;
        let since = since.map(|time| LocalDate::at(time, &self.account.zone));
        let since = day(since.unwrap_or(found.since), language);
        let facts = [
            (language.say("purchase-price"), Some(found.price)),
            (
                language.fill("purchase-saved", [("date", since.into())]),
                found.saved,
            ),
            (
                language.say("purchase-assumed"),
                found.assumed.filter(|it| *it != Decimal::ZERO),
            ),
            (
                language.say("purchase-costs-so-far"),
                Some(found.costs).filter(|it| *it != Decimal::ZERO),
            ),
            (language.say("purchase-per-year"), found.per_year),
        ];
        let facts = facts.into_iter();
        let share = found
            .paid_back()
            .map(|share| figures::share(share, language));
        PaybackView {
            title: language.word("purchase-by", HouseWithout::as_str(found.by)),
            share: share.unwrap_or_else(|| figures::UNKNOWN.to_owned()),
            expected: match (found.expected, found.reason) {
                (Some(date), _) => {
                    let date = [("date", day(date, language).into())];
                    language.fill("purchase-expected", date)
                }
                (None, Some(reason)) => {
                    language.word("purchase-reason", PaybackReason::as_str(reason))
                }
                (None, None) => String::new(),
            },
            facts: facts
                .filter_map(|(name, amount)| Some((name, money(amount?))))
                .collect(),
        }
    }
}
