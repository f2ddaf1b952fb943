//! People besides the administrator, and their rights in accounts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::account::AccountName;
use super::name::name;
use super::password::PasswordHash;
use super::time::Timestamp;
use super::words::words;

name! {
    /// A person's name, used to sign in: 1 to 56 bytes of UTF-8 without control characters. Case
    /// matters.
    PersonName, 56
}

/// The rights of a person in an account. The greater one includes the lesser one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Membership {
    /// May see it.
    Viewer,
    /// May also change the household's entries: corrections, contracts, bills, notices.
    Member,
}

words! { Membership: Viewer "viewer", Member "member"; "viewer or member" }

/// Somebody who signs in by name and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their name, which identifies them.
    pub name: PersonName,
    /// The hash of their password.
    pub password: PasswordHash,
    /// Their rights in each account that they can see.
    pub accounts: BTreeMap<AccountName, Membership>,
    /// The time when they were added.
    pub created: Timestamp,
}

impl Person {
    /// The maximum number of people, besides the administrator.
    // Each change of the registry copies all of them.
    pub const MOST: usize = 64;
}

/// The rights of a signed-in visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Everything: the administrator.
    Everything,
    /// These memberships, and nothing else. They see no other account.
    Accounts(BTreeMap<AccountName, Membership>),
}

impl Rights {
    /// Whether they have at least this membership in `account`.
    #[must_use]
    pub fn allow(&self, account: &AccountName, needed: Membership) -> bool {
        match self {
            Self::Everything => true,
            Self::Accounts(all) => all.get(account).is_some_and(|has| *has >= needed),
        }
    }

    /// Whether they have at least this membership in any account.
    #[must_use]
    pub fn allow_any(&self, needed: Membership) -> bool {
        match self {
            Self::Everything => true,
            Self::Accounts(all) => all.values().any(|has| *has >= needed),
        }
    }

    /// Whether they can see `account`.
    #[must_use]
    pub fn show(&self, account: &AccountName) -> bool {
        self.allow(account, Membership::Viewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str) -> AccountName {
        AccountName::new(name).unwrap()
    }

    #[test]
    fn rights_end_at_the_accounts() {
        let some = [
            (account("home"), Membership::Member),
            (account("shop"), Membership::Viewer),
        ];
        let some = Rights::Accounts(BTreeMap::from(some));
        let none = Rights::Accounts(BTreeMap::new());
        // Viewer and member, of home, shop and another account.
        for (rights, allowed) in [
            (&Rights::Everything, [true, true, true, true, true, true]),
            (&some, [true, true, true, false, false, false]),
            (&none, [false; 6]),
        ] {
            let found = ["home", "shop", "other"].map(|name| {
                let name = account(name);
                assert_eq!(rights.show(&name), rights.allow(&name, Membership::Viewer));
                [Membership::Viewer, Membership::Member].map(|needed| rights.allow(&name, needed))
            });
            assert_eq!(found.concat(), allowed, "{rights:?}");
        }
        assert!(some.allow_any(Membership::Member) && !none.allow_any(Membership::Viewer));
    }
}
