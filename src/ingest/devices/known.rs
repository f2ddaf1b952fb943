//! The known devices: the files in the folder `devices`. Adding a device means adding a file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use toml::{Table, Value};

use super::broker_terms::BrokerTerms;
use super::poll_terms::PollTerms;
use crate::domain::Role;

pub(super) static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/devices");

static ALL: LazyLock<KnownDevices> = LazyLock::new(|| {
    let files = FILES.files().filter_map(|file| {
        let id = file.path().to_str()?.strip_suffix(".toml")?;
        Some((id, file.contents_utf8()?))
    });
    let mut files: Vec<_> = files.collect();
    files.sort_unstable();
    let mut all = KnownDevices::default();
    for (id, text) in files {
        // A test reads all of them.
        if let Ok(file) = DeviceFile::read(text) {
            all.add(id, file);
        }
    }
    all
});

/// A device that many people have.
pub struct KnownDevice<T> {
    id: &'static str,
    about: Arc<DeviceAbout>,
    /// How its messages or answers are read.
    pub terms: T,
}

/// The name of a device, and its place on pages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceAbout {
    name: String,
    /// Its name in other languages than English, by their tags.
    #[serde(default)]
    names: BTreeMap<String, String>,
    #[serde(rename = "document")]
    _document: String,
    /// The source of the examples.
    #[serde(rename = "tested")]
    _tested: String,
    card: Option<String>,
    role: Option<Role>,
}

/// A known device that sends to a broker.
pub type Preset = KnownDevice<BrokerTerms>;
/// A known device that answers requests.
pub type PollPreset = KnownDevice<PollTerms>;

#[derive(Default)]
struct KnownDevices {
    on_broker: Vec<Preset>,
    polled: Vec<PollPreset>,
}

/// A file of the folder.
pub(super) struct DeviceFile {
    about: Arc<DeviceAbout>,
    mqtt: Option<BrokerTerms>,
    poll: Option<PollTerms>,
}

/// The terms of known devices of a kind.
pub trait DeviceTerms: Sized + 'static {
    /// All devices of the kind, by id.
    fn devices() -> &'static [KnownDevice<Self>];
}

impl DeviceTerms for BrokerTerms {
    fn devices() -> &'static [Preset] {
        &ALL.on_broker
    }
}

impl DeviceTerms for PollTerms {
    fn devices() -> &'static [PollPreset] {
        &ALL.polled
    }
}

impl<T: DeviceTerms> KnownDevice<T> {
    /// All of them, by id.
    #[must_use]
    pub fn all() -> &'static [Self] {
        T::devices()
    }

    /// The device with an id.
    #[must_use]
    pub fn with_id(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|device| device.id == id)
    }

    /// The ids of all, for people.
    #[must_use]
    pub fn ids() -> String {
        let ids: Vec<&str> = Self::all().iter().map(Self::id).collect();
        ids.join(", ")
    }

    /// The name of its file, such as `shelly`.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Its usual name in the language with this tag.
    #[must_use]
    pub fn name_in(&self, language: &str) -> &str {
        let DeviceAbout { name, names, .. } = &*self.about;
        names.get(language).unwrap_or(name)
    }

    /// Whether it belongs to this device of the wizard.
    #[must_use]
    pub fn is_of(&self, card: &str) -> bool {
        self.about.card.as_deref() == Some(card)
    }

    /// The role of the sensor that it is meant for, if it is not any.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.about.role
    }
}

impl<T> PartialEq for KnownDevice<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for KnownDevice<T> {}

impl<T> fmt::Debug for KnownDevice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl KnownDevices {
    fn add(&mut self, id: &'static str, DeviceFile { about, mqtt, poll }: DeviceFile) {
        self.on_broker.extend(mqtt.map(|terms| KnownDevice {
            id,
            about: Arc::clone(&about),
            terms,
        }));
        self.polled
            .extend(poll.map(|terms| KnownDevice { id, about, terms }));
    }
}

impl DeviceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The fault and the expected form, in words.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let told = |error: toml::de::Error| error.to_string();
        let mut file: Table = text.parse().map_err(told)?;
        let lists = match file.remove("lists") {
            Some(Value::Table(lists)) => lists,
            _ => Table::new(),
        };
        let (mut mqtt, mut poll) = (file.remove("mqtt"), file.remove("poll"));
        for terms in [&mut mqtt, &mut poll].into_iter().flatten() {
            expand(terms, &lists)?;
        }
        // Messages and answers with their readings, for the tests.
        file.remove("example");
        Ok(Self {
            about: DeviceAbout::deserialize(file).map(Arc::new).map_err(told)?,
            mqtt: mqtt
                .map(BrokerTerms::deserialize)
                .transpose()
                .map_err(told)?,
            poll: poll.map(PollTerms::deserialize).transpose().map_err(told)?,
        })
    }
}

/// Repeats each element with the field `each` for all values of the lists that it names, the first
/// list outermost. Their names in braces are replaced in it.
fn expand(value: &mut Value, lists: &Table) -> Result<(), String> {
    match value {
        Value::Table(table) => table.iter_mut().try_for_each(|(_, it)| expand(it, lists)),
        Value::Array(list) => {
            let mut expanded = Vec::new();
            for mut element in std::mem::take(list) {
                let table = element.as_table_mut();
                let each = table.and_then(|table| table.remove("each"));
                let each = each.as_ref().and_then(Value::as_array);
                let mut copies = vec![element];
                for name in each.into_iter().flatten().filter_map(Value::as_str) {
                    let values = lists.get(name).and_then(Value::as_array);
                    let values = values.ok_or_else(|| {
                        format!("each: expected names of lists in [lists], got {name:?}")
                    })?;
                    let place = format!("{{{name}}}");
                    let filled_in = copies.iter().flat_map(|copy| {
                        let texts = values.iter().map(text_of);
                        texts.map(|text| filled(copy, &place, &text))
                    });
                    copies = filled_in.collect();
                }
                expanded.append(&mut copies);
            }
            *list = expanded;
            list.iter_mut().try_for_each(|it| expand(it, lists))
        }
        _ => Ok(()),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The same value with a text instead of a place in its texts.
fn filled(value: &Value, place: &str, with: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(place, with)),
        Value::Array(list) => Value::Array(list.iter().map(|it| filled(it, place, with)).collect()),
        Value::Table(table) => {
            let fields = table.iter();
            let fields = fields.map(|(name, it)| (name.clone(), filled(it, place, with)));
            Value::Table(fields.collect())
        }
        other => other.clone(),
    }
}
