//! Requests about people and wall tablets, and their rows as shown by commands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{LinkedUser, Membership, Person, WallTablet};

/// People's rights, by account.
pub type Memberships = Vec<(String, Membership)>;

/// A request about people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PeopleRequest {
    /// All people, by name.
    List,
    /// A new person.
    Add {
        /// Their name, not in use yet.
        name: String,
        /// The argon2id hash of their password as a PHC string.
        hash: String,
        /// Their rights.
        accounts: Memberships,
    },
    /// Replaces the accounts of a person.
    SetAccounts {
        /// The person.
        name: String,
        /// Their new rights.
        accounts: Memberships,
    },
    /// Replaces the password of a person. All of their sessions end.
    SetPassword {
        /// The person.
        name: String,
        /// The argon2id hash of the password as a PHC string.
        hash: String,
    },
    /// Removes a person. All of their sessions end.
    Remove {
        /// The person.
        name: String,
    },
    /// All linked users of Home Assistant, by id.
    ListLinked,
    /// Removes the link of a user of Home Assistant. The sessions that it began end.
    Unlink {
        /// The user's id.
        user: String,
        /// The person that they must be linked to; `None` for anybody.
        name: Option<String>,
    },
}

/// A request about wall tablets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WallRequest {
    /// All wall tablets, by name.
    List,
    /// A new link.
    Add {
        /// Its name, not in use yet.
        name: String,
        /// The account that it shows.
        account: String,
        /// The SHA-256 of its token.
        session: [u8; 32],
    },
    /// Revokes a link: tablets that use it no longer show anything.
    Revoke {
        /// The tablet.
        name: String,
    },
}

/// A person, as shown by commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonRow {
    /// Their name.
    pub name: String,
    /// Their rights in each account.
    pub accounts: BTreeMap<String, Membership>,
    /// The time when they were added, in the API's form.
    pub created: String,
}

/// A linked user of Home Assistant, as shown by commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkedUserRow {
    /// The user's id.
    pub user: String,
    /// The user's name in Home Assistant.
    pub user_name: String,
    /// The name of the person that they are signed in as; `None` for the administrator.
    pub person: Option<String>,
    /// The time when they were linked, in the API's form.
    pub linked: String,
}

/// A wall tablet, as shown by commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallRow {
    /// Its name.
    pub name: String,
    /// The account that it shows.
    pub account: String,
    /// The time when its link was made, in the API's form.
    pub created: String,
    /// The time of its last use, to within a day; `None` if never.
    pub last_used: Option<String>,
}

impl From<&Person> for PersonRow {
    fn from(person: &Person) -> Self {
        let accounts = person.accounts.iter();
        Self {
            name: person.name.to_string(),
            accounts: accounts.map(|(name, it)| (name.to_string(), *it)).collect(),
            created: person.created.to_string(),
        }
    }
}

impl From<&LinkedUser> for LinkedUserRow {
    fn from(linked: &LinkedUser) -> Self {
        Self {
            user: linked.user.id.to_string(),
            user_name: linked.user.name.to_string(),
            person: linked.owner.name().map(str::to_owned),
            linked: linked.linked.to_string(),
        }
    }
}

impl From<&WallTablet> for WallRow {
    fn from(tablet: &WallTablet) -> Self {
        Self {
            name: tablet.name.to_string(),
            account: tablet.account.to_string(),
            created: tablet.created.to_string(),
            last_used: tablet.last_used.map(|time| time.to_string()),
        }
    }
}
