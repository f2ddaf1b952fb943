//! People and wall tablets: adding, changing, removing them.

use std::collections::BTreeMap;

use crate::domain::{
    AccountName, Membership, PasswordHash, Person, PersonName, WallName, WallTablet,
};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

impl Store {
    /// Adds a person, unless there is one with this name; returns whether they were added. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyPeople`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn add_person_durably(&self, person: Person) -> Result<bool, StoreError> {
        self.register(move |edit| edit.add_person(person))
    }

    /// Changes what a person may do, from their next request on, and returns the person. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownPerson`], [`StoreError::UnknownAccount`]; as above.
    pub fn set_memberships_durably(
        &self,
        name: &PersonName,
        accounts: BTreeMap<AccountName, Membership>,
    ) -> Result<Person, StoreError> {
        let name = name.clone();
        self.register(move |edit| edit.set_memberships(&name, accounts))
    }

    /// Sets a person's password, and ends all of their sessions. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownPerson`]; as above.
    pub fn set_person_password_durably(
        &self,
        name: &PersonName,
        password: PasswordHash,
    ) -> Result<(), StoreError> {
        let name = name.clone();
        self.register(move |edit| edit.set_person_password(&name, password))
    }

    /// Removes a person, and ends their sessions. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownPerson`]; as above.
    pub fn remove_person_durably(&self, name: &PersonName) -> Result<(), StoreError> {
        let name = name.clone();
        self.register(move |edit| edit.remove_person(&name))
    }

    /// Adds a wall tablet, unless there is one with this name; returns whether it was added. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyTablets`]; as above.
    pub fn add_tablet_durably(&self, tablet: WallTablet) -> Result<bool, StoreError> {
        self.register(move |edit| edit.add_tablet(tablet))
    }

    /// Records the last use of a wall tablet, unless it was revoked.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn use_tablet_durably(&self, tablet: WallTablet) -> Result<(), StoreError> {
        self.register_async(move |edit| edit.use_tablet(tablet))
            .await
    }

    /// Removes a wall tablet, and ends its session. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownTablet`]; as above.
    pub fn remove_tablet_durably(&self, name: &WallName) -> Result<(), StoreError> {
        let name = name.clone();
        self.register(move |edit| edit.remove_tablet(&name))
    }
}
