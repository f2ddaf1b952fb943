//! People and wall tablets. Only hashes of passwords and tokens reach this room, never the secrets
//! themselves.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::administrator::password_hash;
use super::error::{AdminError, wrong};
use super::names::account_name;
use super::people_rows::{
    LinkedUserRow, Memberships, PeopleRequest, PersonRow, WallRequest, WallRow,
};
use super::response::Response;
use crate::domain::{
    AccountName, HomeUserId, Membership, Person, PersonName, SessionId, SessionOwner, Timestamp,
    WallName, WallTablet,
};
use crate::store::{Store, StoreError};

/// The administrator's name at sign-in, if a name is given.
pub const ADMINISTRATOR: &str = "administrator";

pub(super) fn run(
    store: &Store,
    request: PeopleRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    match request {
        PeopleRequest::List => {
            let registry = store.registry();
            let rows = registry.people().map(PersonRow::from);
            Ok(Response::People(rows.collect()))
        }
        PeopleRequest::Add {
            name,
            hash,
            accounts,
        } => {
            let person = Person {
                name: new_name(&name)?,
                password: password_hash(&hash)?,
                accounts: memberships(accounts)?,
                created: now,
            };
            let row = (&person).into();
            if !store.edit(move |edit| edit.add_person(person))? {
                return Err(wrong("name", format!("there is a person {name:?}"), None));
            }
            Ok(Response::People(vec![row]))
        }
        PeopleRequest::SetAccounts { name, accounts } => {
            let (accounts, name) = (memberships(accounts)?, person_name(&name)?);
            let person = store.edit(move |edit| edit.set_memberships(&name, accounts))?;
            Ok(Response::People(vec![(&person).into()]))
        }
        PeopleRequest::SetPassword { name, hash } => {
            let (hash, name) = (password_hash(&hash)?, person_name(&name)?);
            store.edit(move |edit| edit.set_person_password(&name, hash))?;
            Ok(Response::Done)
        }
        PeopleRequest::Remove { name } => {
            let name = person_name(&name)?;
            store.edit(move |edit| edit.remove_person(&name))?;
            Ok(Response::Done)
        }
        PeopleRequest::ListLinked => {
            let registry = store.registry();
            let rows = registry.linked_users().map(LinkedUserRow::from);
            Ok(Response::LinkedUsers(rows.collect()))
        }
        PeopleRequest::Unlink { user, name } => {
            let id = HomeUserId::new(&user).map_err(|_| StoreError::UnknownLinkedUser(user))?;
            let owner = name.as_deref().map(person_name).transpose()?;
            let owner = owner.map(SessionOwner::Person);
            store.edit(move |edit| edit.unlink_user(&id, owner.as_ref()))?;
            Ok(Response::Done)
        }
    }
}

pub(super) fn run_walls(
    store: &Store,
    request: WallRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    match request {
        WallRequest::List => {
            let registry = store.registry();
            let rows = registry.tablets().map(WallRow::from);
            Ok(Response::Walls(rows.collect()))
        }
        WallRequest::Add {
            name,
            account,
            session,
        } => {
            let tablet = WallTablet {
                name: wall_name(&name)?,
                account: account_name(&account)?,
                session: SessionId(session),
                created: now,
                last_used: None,
            };
            let row = (&tablet).into();
            if !store.edit(move |edit| edit.add_tablet(tablet))? {
                return Err(wrong(
                    "name",
                    format!("there is a wall tablet {name:?}"),
                    None,
                ));
            }
            Ok(Response::Walls(vec![row]))
        }
        WallRequest::Revoke { name } => {
            let name = wall_name(&name)?;
            store.edit(move |edit| edit.remove_tablet(&name))?;
            Ok(Response::Done)
        }
    }
}

fn person_name(text: &str) -> Result<PersonName, AdminError> {
    // Nobody has a name that nobody can have.
    PersonName::new(text).map_err(|_| StoreError::UnknownPerson(text.to_owned()).into())
}

/// Checks the name of a new person: it can be typed again, and is not the administrator's.
fn new_name(text: &str) -> Result<PersonName, AdminError> {
    let unfit = |problem: &dyn Display| wrong("name", problem, "Anna");
    if text.trim() != text {
        return Err(unfit(&"expected no spaces around it"));
    }
    if text.eq_ignore_ascii_case(ADMINISTRATOR) {
        return Err(unfit(&"expected another one than the administrator's"));
    }
    PersonName::new(text).map_err(|error| unfit(&error))
}

fn wall_name(text: &str) -> Result<WallName, AdminError> {
    WallName::new(text.trim()).map_err(|error| wrong("name", error, "hall"))
}

fn memberships(all: Memberships) -> Result<BTreeMap<AccountName, Membership>, AdminError> {
    let mut accounts = BTreeMap::new();
    for (name, membership) in all {
        let name = account_name(&name)?;
        if accounts.insert(name.clone(), membership).is_some() {
            let text = format!("account {name} is named twice: choose tenant, viewer or member");
            return Err(AdminError::Refused(text));
        }
    }
    Ok(accounts)
}
