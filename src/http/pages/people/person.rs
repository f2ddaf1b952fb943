//! The administrator's pages about people: listing, adding, rights, passwords, removing.

use actix_web::web::Data;
use askama::Template;

use crate::admin::{Memberships, PeopleRequest, Request};
use crate::domain::{Membership, Password, Person, PersonName};
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::seen::{StoredField, seen};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::sign_in::Hashing;
use crate::http::pages::sign_in::password::chosen;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "people/list.html")]
struct PeoplePage {
    layout: Layout,
    /// Each name, and the person's rights.
    people: Vec<(String, String)>,
    linked: Vec<LinkedView>,
}

/// A linked user of Home Assistant.
struct LinkedView {
    id: String,
    user: String,
    /// Whom they are signed in as.
    owner: String,
}

/// An account in the form of a person.
struct AccountChoice {
    account: String,
    chosen: Option<Membership>,
}

#[derive(Template)]
#[template(path = "people/new.html")]
struct NewPersonPage {
    layout: Layout,
    accounts: Vec<AccountChoice>,
}

impl NewPersonPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;
}

#[derive(Template)]
#[template(path = "people/person.html")]
struct PersonPage {
    layout: Layout,
    name: String,
    accounts: Vec<AccountChoice>,
    /// The digest of the stored rights.
    seen: String,
}

impl PersonPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    fn of(visit: &Visit, person: &Person) -> Result<Self, PageError> {
        // The other forms of the page do not send rights.
        let accounts = if visit.is_again() && !visit.field("seen")?.is_empty() {
            posted(visit)?
        } else {
            choices(visit, |account| Ok(membership(person, account)))?
        };
        Ok(Self {
            layout: layout(visit)?,
            name: person.name.to_string(),
            accounts,
            seen: seen(&stored(visit, person)?),
        })
    }
}

/// A person's rights in an account.
fn membership(person: &Person, account: &str) -> Option<Membership> {
    let mut all = person.accounts.iter();
    all.find(|(name, _)| name.as_str() == account)
        .map(|(_, membership)| *membership)
}

/// The fields of the form with the stored rights.
fn stored(visit: &Visit, person: &Person) -> Result<Vec<StoredField>, PageError> {
    let registry = visit.app.store.registry();
    let fields = registry.accounts().map(|account| {
        let name = account.name.as_str();
        let word = membership(person, name).map_or("none", Membership::as_str);
        Ok(StoredField {
            words: |language, word| Some(membership_text(word.parse().ok(), language)),
            ..visit.stored_field(format!("may-{name}"), name.to_owned(), word)?
        })
    });
    fields.collect()
}

/// A person's rights in an account, in words.
pub(super) fn membership_text(membership: Option<Membership>, language: &Language) -> String {
    match membership {
        None => language.say("people-none"),
        Some(Membership::Tenant) => language.say("people-tenant"),
        Some(Membership::Viewer) => language.say("people-viewer"),
        Some(Membership::Member) => language.say("people-member"),
    }
}

/// The layout of these pages. The parameter `done` of the address names the change that led there.
fn layout(visit: &Visit) -> Result<Layout, PageError> {
    let language = visit.language();
    let done = match visit.param("done")?.as_str() {
        "added" => Some(language.say("people-done-added")),
        "unlinked" => Some(language.say("people-done-unlinked")),
        "removed" => Some(language.say("people-done-removed")),
        "password" => Some(language.say("people-done-password")),
        "saved" => Some(language.say("people-done-saved")),
        _ => None,
    };
    Ok(Layout {
        done,
        ..visit.layout(Tab::Settings)
    })
}

/// All accounts, each with the right that `chosen` returns.
fn choices(
    visit: &Visit,
    chosen: impl Fn(&str) -> Result<Option<Membership>, PageError>,
) -> Result<Vec<AccountChoice>, PageError> {
    let registry = visit.app.store.registry();
    let all = registry.accounts().map(|account| {
        Ok(AccountChoice {
            chosen: chosen(account.name.as_str())?,
            account: account.name.to_string(),
        })
    });
    all.collect()
}

/// The right for each account in the form, in fields named after the accounts.
fn posted(visit: &Visit) -> Result<Vec<AccountChoice>, PageError> {
    choices(visit, |account| {
        let word = visit.field(&format!("may-{account}"))?;
        // The form offers only known words; any other word grants nothing.
        Ok(word.parse().ok())
    })
}

fn memberships(accounts: &[AccountChoice]) -> Memberships {
    let each = accounts.iter();
    let each = each.filter_map(|it| Some((it.account.clone(), it.chosen?)));
    each.collect()
}

/// `GET /settings/people`
pub(crate) async fn list(visit: Visit) -> PageResult {
    let language = visit.language();
    let registry = visit.app.store.registry();
    let people = registry.people().map(|person| {
        let each = person.accounts.iter();
        let each = each.map(|(account, membership)| {
            format!(
                "{account}: {}",
                membership_text(Some(*membership), language)
            )
        });
        let accounts = each.collect::<Vec<_>>().join(" · ");
        let none = || membership_text(None, language);
        let text = if accounts.is_empty() {
            none()
        } else {
            accounts
        };
        (person.name.to_string(), text)
    });
    let linked = registry.linked_users().map(|it| LinkedView {
        id: it.user.id.to_string(),
        user: it.user.name.to_string(),
        owner: match it.owner.name() {
            Some(name) => language.fill("people-linked-to", [("name", name.into())]),
            None => language.say("people-linked-to-administrator"),
        },
    });
    Ok(ok(&PeoplePage {
        layout: layout(&visit)?,
        people: people.collect(),
        linked: linked.collect(),
    }))
}

/// `GET /settings/person/new`
pub(crate) async fn new(visit: Visit) -> PageResult {
    let mut accounts = posted(&visit)?;
    // Most installations have one account, and a new person is for that one.
    if let [only] = accounts.as_mut_slice()
        && !visit.is_again()
    {
        only.chosen = Some(Membership::Member);
    }
    Ok(ok(&NewPersonPage {
        layout: layout(&visit)?,
        accounts,
    }))
}

/// `POST /settings/person/new`
pub(crate) async fn add(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    let hash = hashing.hash(chosen(&visit)?).await?;
    let add = PeopleRequest::Add {
        name: visit.field("name")?,
        hash: hash.as_str().to_owned(),
        accounts: memberships(&posted(&visit)?),
    };
    admin_call(&visit.app, Request::People(add), |_| "name").await?;
    Ok(see_other("settings/people?done=added"))
}

/// `GET /settings/person?name=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let person = known(&visit, &visit.param("name")?)?;
    Ok(ok(&PersonPage::of(&visit, &person)?))
}

fn known(visit: &Visit, name: &str) -> Result<Person, PageError> {
    let name = PersonName::new(name).map_err(|_| PageError::NotFound)?;
    let registry = visit.app.store.registry();
    registry.person(&name).cloned().ok_or(PageError::NotFound)
}

/// `POST /settings/person`: changes the person's rights.
pub(crate) async fn change(visit: Visit) -> PageResult {
    let person = known(&visit, &visit.field("name")?)?;
    visit.check_seen(&stored(&visit, &person)?)?;
    let name = person.name.to_string();
    let set = PeopleRequest::SetAccounts {
        name: name.clone(),
        accounts: memberships(&posted(&visit)?),
    };
    admin_call(&visit.app, Request::People(set), |_| "name").await?;
    let to = [("name", &*name), ("done", "saved")];
    Ok(leads_to("settings/person", &to))
}

/// `POST /settings/person/password`
pub(crate) async fn set_password(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    let person = known(&visit, &visit.field("name")?)?;
    let hash = hashing.hash(chosen(&visit)?).await?;
    let name = person.name.to_string();
    let set = PeopleRequest::SetPassword {
        name: name.clone(),
        hash: hash.as_str().to_owned(),
    };
    admin_call(&visit.app, Request::People(set), |_| "name").await?;
    let to = [("name", &*name), ("done", "password")];
    Ok(leads_to("settings/person", &to))
}

/// `POST /settings/person/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let name = known(&visit, &visit.field("name")?)?.name.to_string();
    let remove = Request::People(PeopleRequest::Remove { name });
    admin_call(&visit.app, remove, |_| "main").await?;
    Ok(see_other("settings/people?done=removed"))
}

/// `POST /settings/people/unlink`
pub(crate) async fn unlink(visit: Visit) -> PageResult {
    let unlink = PeopleRequest::Unlink {
        user: visit.field("user")?,
        name: None,
    };
    admin_call(&visit.app, Request::People(unlink), |_| "main").await?;
    Ok(see_other("settings/people?done=unlinked"))
}
