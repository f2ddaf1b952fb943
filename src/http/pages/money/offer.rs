//! `/costs/offer`: adds, changes and removes an offer, in the form of a contract.

use actix_web::HttpResponse;

use super::contract::{
    ContractPage, OFFER, at, check_meanwhile, other_currency, seen_contract, typed_contract,
};
use super::contracts::contracts_of;
use super::doubt_words::offer_questions;
use crate::admin::{AdminError, EntryForm, put_entry, remove_entry};
use crate::domain::{AccountName, Currency, EntryKind, LocalDate};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::ledger::contract::Contract;
use crate::store::StoreError;

/// `GET /costs/offer?account=…&offer=…`; without a name for a new offer, perhaps with a `template`;
/// with `as=json` as text.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.param("account")?)?;
    let mut page = ContractPage::new(&visit, &account.name, OFFER).await?;
    let registry = visit.app.store.registry();
    let name = visit.param("offer")?;
    let known = registry.offer(&account.name, &name);
    let is_new = name.is_empty() || visit.is_again();
    if !is_new && known.is_none() {
        return Err(PageError::NotFound);
    }
    let known = known.filter(|_| !is_new);
    if known.is_some() {
        page.old = name;
    }
    let contracts = contracts_of(&visit, &account.name);
    let today = LocalDate::at(visit.app.counted_now(), &account.zone);
    page.fill(&visit, (known, contracts.currency()), today)?;
    if !page.old.is_empty() {
        page.seen = seen_contract(registry.offer(&account.name, &page.old));
    }
    Ok(ok(&page))
}

/// `POST /costs/offer`
pub(crate) async fn save(visit: Visit) -> PageResult {
    let owner = known_account(&visit, &visit.field("account")?)?;
    let account = owner.name.clone();
    let old = visit.field("old")?;
    let numbers = visit.numbers();
    let offer = typed_contract(&visit, &numbers)?;
    let registry = visit.app.store.registry();
    let stored = registry.offer(&account, &old);
    let name = offer.name().as_str();
    if name != old && registry.offer(&account, name).is_some() {
        return Err(PageError::mistake("offer-wrong-taken", at(&visit, "name")?));
    }
    check_meanwhile(&visit, stored, &offer)?;
    let mut questions = numbers.questions();
    questions.extend(offer_questions(&visit, &owner, (&offer, stored)).await?);
    visit.ask(&questions)?;
    put(&visit, &account, offer, stored.map(|_| old.clone())).await?;
    Ok(list(&account, "offer"))
}

/// Adds an offer from a tariff, and leads to the list of all.
pub(super) async fn put_new(visit: &Visit, account: &AccountName, offer: Contract) -> PageResult {
    let registry = visit.app.store.registry();
    if registry.offer(account, offer.name().as_str()).is_some() {
        return Err(PageError::mistake("offer-wrong-taken", "name"));
    }
    put(visit, account, offer, None).await?;
    Ok(list(account, "offer"))
}

async fn put(
    visit: &Visit,
    account: &AccountName,
    offer: Contract,
    old: Option<String>,
) -> Result<(), PageError> {
    let of = account.clone();
    let (form, now) = (EntryForm::Offer(offer.to_string()), visit.app.counted_now());
    let put = visit.look(move |store| put_entry(store, &of, (&form, old.as_deref()), now));
    let error = match put.await? {
        Ok(_) => return Ok(()),
        Err(AdminError::Unfit(StoreError::TooManyEntries { .. })) => {
            return Err(PageError::mistake("offer-too-many", "main"));
        }
        Err(error) => error,
    };
    if error.at() == "currency" {
        let registry = visit.app.store.registry();
        let contracts = registry.contracts(account).and_then(|all| all.currency());
        let others = contracts.or(registry.offers(account).next().map(Contract::currency));
        let field = at(visit, "currency")?;
        return Err(others.map_or(PageError::NotFound, |it: &Currency| {
            other_currency(visit, field, it)
        }));
    }
    Err(PageError::of_admin(error, |_| "main"))
}

/// `POST /costs/offer/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let (of, name) = (account.clone(), visit.field("old")?);
    let removed = visit.look(move |store| remove_entry(store, &of, EntryKind::Offer, &name));
    match removed.await? {
        Ok(()) => Ok(list(&account, "offer-removed")),
        Err(AdminError::Unfit(_) | AdminError::Field { .. }) => Err(PageError::NotFound),
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}

fn list(account: &AccountName, done: &str) -> HttpResponse {
    let parameters = [("account", account.as_str()), ("done", done)];
    leads_to("costs/offers", &parameters)
}
