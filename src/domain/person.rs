//! People besides the administrator, and their rights in accounts.

use std::cmp::Ordering;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
// Records have the place in this order.
pub enum Membership {
    /// May see it.
    Viewer,
    /// May also change the household's entries: corrections, contracts, bills, notices.
    Member,
    /// May see the sub-meters of the tenancies that name them, and nothing else of it.
    Tenant,
}

words! { Membership: Viewer "viewer", Member "member", Tenant "tenant"; "tenant, viewer or member" }

impl Membership {
    const fn rank(self) -> u8 {
        match self {
            Self::Tenant => 0,
            Self::Viewer => 1,
            Self::Member => 2,
        }
    }
}

impl Ord for Membership {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Membership {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

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

    /// Whether they see tenancies and no house.
    #[must_use]
    pub fn are_of_tenant(&self) -> bool {
        self.allow_any(Membership::Tenant) && !self.allow_any(Membership::Viewer)
    }

    /// Whether they see only tenancies of some account.
    #[must_use]
    pub fn have_tenancies(&self) -> bool {
        match self {
            Self::Everything => false,
            Self::Accounts(all) => all.values().any(|has| *has == Membership::Tenant),
        }
    }

    /// Whether they can see all of `account`.
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
            (account("flat"), Membership::Tenant),
        ];
        let some = Rights::Accounts(BTreeMap::from(some));
        let none = Rights::Accounts(BTreeMap::new());
        // Tenant, viewer and member, of home, shop, flat and another account.
        let (yes, no) = ([true; 3], [false; 3]);
        for (rights, allowed) in [
            (&Rights::Everything, [yes, yes, yes, yes]),
            (&some, [yes, [true, true, false], [true, false, false], no]),
            (&none, [no; 4]),
        ] {
            let found = ["home", "shop", "flat", "other"].map(|name| {
                let name = account(name);
                assert_eq!(rights.show(&name), rights.allow(&name, Membership::Viewer));
                let all = [Membership::Tenant, Membership::Viewer, Membership::Member];
                all.map(|needed| rights.allow(&name, needed))
            });
            assert_eq!(found, allowed, "{rights:?}");
        }
        let flat = [(account("flat"), Membership::Tenant)];
        let tenant = Rights::Accounts(BTreeMap::from(flat));
        assert!(tenant.are_of_tenant());
        for other in [&some, &none, &Rights::Everything] {
            assert!(!other.are_of_tenant(), "{other:?}");
        }
        assert!(some.allow_any(Membership::Member) && !none.allow_any(Membership::Viewer));
    }
}
