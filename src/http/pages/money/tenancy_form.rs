//! The form of a tenancy: adding, changing and removing one.

use actix_web::HttpResponse;
use serde_json::json;

use crate::admin::{AdminError, EntryForm, put_entry, remove_entry};
use crate::domain::{AccountName, EntryKind, LocalDate};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::response::leads_to;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::ledger::contract::Tenancy;
use crate::store::StoreError;

/// `POST /costs/tenancies`: adds a tenancy, or changes the one with the name `old`.
pub(crate) async fn save(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let (name, old) = (visit.trimmed("name")?, visit.field("old")?);
    let numbers = visit.numbers();
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let date = |field: &'static str| {
        let typed = given(visit.trimmed(field)?);
        let date = typed.map(|text| LocalDate::typed(&text)).transpose();
        date.map_err(|_| PageError::mistake("tenancy-wrong-date", field))
    };
    let amount = |field: &str| Ok::<_, PageError>(given(numbers.plain(&visit.trimmed(field)?)));
    let from = date("from")?.ok_or_else(|| PageError::mistake("tenancy-wrong-date", "from"))?;
    let text = json!({
        "name": name,
        "sensor": visit.field("meter")?,
        "from": from,
        "until": date("until")?,
        "person": given(visit.trimmed("person")?),
        "price": amount("price")?,
        "base_fee": amount("fee")?,
    });
    let (text, of) = (text.to_string(), account.name.clone());
    Tenancy::parse(&text).map_err(|error| mistake(error.into()))?;
    let registry = visit.app.store.registry();
    let mut known = registry.tenancies(&account.name);
    if name != old && known.any(|it| it.name.as_str() == name) {
        return Err(PageError::mistake("tenancy-wrong-taken", "name"));
    }
    visit.ask(&numbers.questions())?;
    let now = visit.app.counted_now();
    let put = visit.look(move |store| {
        let old = Some(old.as_str()).filter(|old| !old.is_empty());
        put_entry(store, &of, (&EntryForm::Tenancy(text), old), now)
    });
    put.await?.map_err(mistake)?;
    Ok(list(&account.name, "tenancy"))
}

/// `POST /costs/tenancies/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let (of, name) = (account.clone(), visit.field("old")?);
    let removed = visit.look(move |store| remove_entry(store, &of, EntryKind::Tenancy, &name));
    match removed.await? {
        Ok(()) => Ok(list(&account, "tenancy-removed")),
        Err(AdminError::Unfit(_) | AdminError::Field { .. }) => Err(PageError::NotFound),
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}

fn list(account: &AccountName, done: &str) -> HttpResponse {
    let parameters = [("account", account.as_str()), ("done", done)];
    leads_to("costs/tenancies", &parameters)
}

/// The mistake in a form.
fn mistake(error: AdminError) -> PageError {
    match &error {
        AdminError::Unfit(StoreError::TooManyEntries { .. }) => {
            return PageError::mistake("tenancy-too-many", "name");
        }
        AdminError::Unfit(StoreError::UnknownEntry { .. }) => return PageError::NotFound,
        AdminError::Unfit(StoreError::TenancyCollides { .. }) => {
            return PageError::mistake("tenancy-wrong-collides", "from");
        }
        _ => {}
    }
    match error.at() {
        "name" => PageError::mistake("tenancy-wrong-name", "name"),
        "sensor" => PageError::mistake("tenancy-wrong-sensor", "meter"),
        "from" => PageError::mistake("tenancy-wrong-date", "from"),
        "until" => PageError::mistake("tenancy-wrong-until", "until"),
        "person" => PageError::mistake("tenancy-wrong-person", "person"),
        "price" => PageError::mistake("tenancy-wrong-amount", "price"),
        "base_fee" => PageError::mistake("tenancy-wrong-amount", "fee"),
        _ => PageError::of_admin(error, |_| "main"),
    }
}
