//! The wanted places of JSON from a device, a server or a file. Only they become values; everything
//! else is skipped as it is read. A tree of all values would take 150 bytes of memory for a byte,
//! and its sender chooses how many there are.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The longest text that is kept, in bytes. A longer one is kept as an empty object, which is wrong
/// wherever a text is expected.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// The most elements that are kept of a list that is wanted as a whole: more than any reader takes.
const MAX_ELEMENTS: usize = 32;
/// The highest position of an element that is wanted by itself.
const MAX_POSITION: usize = 1_023;
/// The most members that are kept of an object whose names are unknown, and their longest name, in
/// bytes.
const MAX_MEMBERS: usize = 64;
const MAX_NAME_BYTES: usize = 256;

/// Without a place: all of a value is skipped, apart from its kind.
static NOTHING: WantedPlaces = WantedPlaces {
    is_list: false,
    members: BTreeMap::new(),
    any: None,
};

/// The wanted places below one in JSON, as a tree of names. A number, a text and a list of them have
/// to be wanted. As for objects and other lists, only what is wanted in them is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedPlaces {
    /// Whether a list here is wanted as a whole.
    is_list: bool,
    members: BTreeMap<String, Self>,
    /// The places in members with other names.
    any: Option<Box<Self>>,
}

impl WantedPlaces {
    /// The places at these pointers (RFC 6901).
    pub(crate) fn at<P: AsRef<str>>(pointers: impl IntoIterator<Item = P>) -> Self {
        let mut places = Self::default();
        for pointer in pointers {
            places.add(pointer.as_ref());
        }
        places
    }

    /// The members with these names.
    pub(crate) fn members<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let mut places = Self::default();
        for name in names {
            places.member(name.as_ref()).is_list = true;
        }
        places
    }

    /// Adds the place at a pointer. A text that is no pointer leads to no place.
    pub(crate) fn add(&mut self, pointer: &str) {
        if let Some(path) = path(pointer) {
            let place = path.iter().fold(self, |place, name| place.member(name));
            place.is_list = true;
        }
    }

    /// Adds all of `places` in each member of any name.
    pub(crate) fn add_in_members(&mut self, places: &Self) {
        for member in self.members.values_mut() {
            member.add_all(places);
        }
        self.any.get_or_insert_default().add_all(places);
    }

    /// Adds all of `places`.
    pub(crate) fn add_all(&mut self, places: &Self) {
        self.is_list |= places.is_list;
        for (name, places) in &places.members {
            self.member(name).add_all(places);
        }
        if let Some(any) = &places.any {
            self.add_in_members(any);
        }
    }

    fn member(&mut self, name: &str) -> &mut Self {
        let any = self.any.as_deref();
        let member = self.members.entry(name.to_owned());
        member.or_insert_with(|| any.cloned().unwrap_or_default())
    }

    /// The values at these places, where they are in `json`.
    pub(crate) fn read(&self, json: &[u8]) -> serde_json::Result<Value> {
        let mut json = serde_json::Deserializer::from_slice(json);
        let value = self.deserialize(&mut json)?;
        json.end()?;
        Ok(value)
    }

    /// Gives `take` the values at these places in each element of the list at a pointer, or in each
    /// member of the object there, with its name. Returns whether there is one.
    ///
    /// # Errors
    /// [`StoppedWalk::NotJson`], or the first error of `take`.
    pub(crate) fn each<E>(
        &self,
        json: &[u8],
        list: &str,
        mut take: impl FnMut(Option<&str>, Value) -> Result<(), E>,
    ) -> Result<bool, StoppedWalk<E>> {
        let Some(path) = path(list) else {
            return Ok(false);
        };
        let mut stop = None;
        let mut found = false;
        let mut take = |name: Option<&str>, value| {
            take(name, value)
                .map_err(|error| stop = Some(error))
                .is_ok()
        };
        let walk = ListWalk {
            path: &path,
            places: self,
            take: &mut take,
            found: &mut found,
        };
        let mut json = serde_json::Deserializer::from_slice(json);
        let walked = walk.deserialize(&mut json).and_then(|()| json.end());
        match (stop, walked) {
            (Some(error), _) => Err(StoppedWalk::By(error)),
            (None, Err(_)) => Err(StoppedWalk::NotJson),
            (None, Ok(())) => Ok(found),
        }
    }
}

/// Why a walk through a list ended before the end of the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StoppedWalk<E> {
    NotJson,
    By(E),
}

/// The names on the way to a place; `None` for a text that is no pointer.
fn path(pointer: &str) -> Option<Vec<String>> {
    let mut names = pointer.split('/');
    let unescaped = |name: &str| name.replace("~1", "/").replace("~0", "~");
    (names.next() == Some("")).then(|| names.map(unescaped).collect())
}

impl<'de> DeserializeSeed<'de> for &WantedPlaces {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &WantedPlaces {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        let is_short = text.len() <= MAX_TEXT_BYTES;
        Ok(if is_short {
            text.into()
        } else {
            Value::Object(Map::new())
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let names = self.members.keys();
        let positions = names.filter_map(|name| name.parse::<usize>().ok());
        let highest = positions.filter(|it| *it <= MAX_POSITION).max();
        let all = if self.is_list { MAX_ELEMENTS } else { 0 };
        let most = highest.map_or(0, |highest| highest + 1).max(all);
        let mut kept = Vec::new();
        while kept.len() < most {
            let element = self.members.get(&kept.len().to_string());
            let Some(value) = list.next_element_seed(element.unwrap_or(&NOTHING))? else {
                return Ok(Value::Array(kept));
            };
            kept.push(value);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(member) = object.next_key_seed(MemberName(self))? {
            match member {
                Some((name, places)) if places.is_some() || kept.len() < MAX_MEMBERS => {
                    let any = self.any.as_deref().unwrap_or(&NOTHING);
                    let value = object.next_value_seed(places.unwrap_or(any))?;
                    kept.insert(name, value);
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(kept))
    }
}

/// The name of a member, if it is wanted, and its places if it is wanted by its name.
struct MemberName<'w>(&'w WantedPlaces);

impl<'de, 'w> DeserializeSeed<'de> for MemberName<'w> {
    type Value = Option<(String, Option<&'w WantedPlaces>)>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'w> Visitor<'_> for MemberName<'w> {
    type Value = Option<(String, Option<&'w WantedPlaces>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let places = self.0.members.get(name);
        let is_any = self.0.any.is_some() && name.len() <= MAX_NAME_BYTES;
        Ok((places.is_some() || is_any).then(|| (name.to_owned(), places)))
    }
}

/// The rest of the way to a list, and what is done with its elements.
struct ListWalk<'w> {
    path: &'w [String],
    places: &'w WantedPlaces,
    /// Returns whether to go on.
    take: &'w mut dyn FnMut(Option<&str>, Value) -> bool,
    found: &'w mut bool,
}

impl ListWalk<'_> {
    fn take<E: Error>(&mut self, name: Option<&str>, value: Value) -> Result<(), E> {
        let goes_on = (self.take)(name, value);
        goes_on.then_some(()).ok_or_else(|| E::custom("stopped"))
    }
}

impl<'de> DeserializeSeed<'de> for ListWalk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ListWalk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let Some((first, rest)) = self.path.split_first() else {
            *self.found = true;
            while let Some(value) = list.next_element_seed(self.places)? {
                self.take(None, value)?;
            }
            return Ok(());
        };
        let wanted = first.parse::<usize>().ok();
        for position in 0_usize.. {
            let element = if Some(position) == wanted {
                list.next_element_seed(self.below(rest))?
            } else {
                list.next_element::<IgnoredAny>()?.map(drop)
            };
            if element.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let Some((first, rest)) = self.path.split_first() else {
            *self.found = true;
            while let Some(name) = object.next_key::<String>()? {
                let value = object.next_value_seed(self.places)?;
                self.take(Some(&name), value)?;
            }
            return Ok(());
        };
        let wanted = WantedPlaces::members([first]);
        while let Some(member) = object.next_key_seed(MemberName(&wanted))? {
            if member.is_some() {
                object.next_value_seed(self.below(rest))?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl ListWalk<'_> {
    fn below<'s>(&'s mut self, path: &'s [String]) -> ListWalk<'s> {
        ListWalk {
            path,
            places: self.places,
            take: self.take,
            found: self.found,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
