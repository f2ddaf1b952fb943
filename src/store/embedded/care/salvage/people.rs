//! Rescue of people and wall tablets.

use std::collections::BTreeMap;

use crate::domain::{Person, PersonName};
use crate::store::embedded::care::salvage::rescue::Rescue;
use crate::store::error::StoreError;
use crate::store::records::RecordKind;
use crate::store::registry::people_records::{PeopleRow, people_row, tablet_of};

impl Rescue<'_, '_> {
    /// Rescues people and wall tablets, once all accounts are known. What cannot be read allows nothing: an account that was lost
    /// is not made again for them.
    pub(super) fn people(&mut self) -> Result<(), StoreError> {
        let store = self.import.store;
        let accounts = store.registry();
        let mut people = BTreeMap::<PersonName, Person>::new();
        for (key, value) in self.records(RecordKind::People, "people") {
            match people_row(&key, &value) {
                Some(PeopleRow::Person(person)) => {
                    people.insert(person.name.clone(), person);
                }
                Some(PeopleRow::Membership(name, account, membership))
                    if accounts.account(&account).is_some() && people.contains_key(&name) =>
                {
                    let person = people.get_mut(&name);
                    person.map(|it| it.accounts.insert(account, membership));
                }
                _ => self.lose_record("person", &key),
            }
        }
        for person in people.into_values() {
            let name = person.name.clone();
            match store.add_person_durably(person) {
                Err(StoreError::TooManyPeople) => {
                    self.lose_record("person", name.as_str().as_bytes());
                }
                added => drop(added?),
            }
        }
        for (key, value) in self.records(RecordKind::Tablets, "wall tablets") {
            match tablet_of(&key, &value).map(|tablet| store.add_tablet_durably(tablet)) {
                None | Some(Err(StoreError::UnknownAccount(_) | StoreError::TooManyTablets)) => {
                    self.lose_record("wall tablet", &key);
                }
                Some(added) => drop(added?),
            }
        }
        Ok(())
    }
}
