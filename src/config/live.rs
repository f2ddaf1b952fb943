//! Settings that change while the service runs: pages change them, the server follows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use super::error::ConfigError;
use super::in_force::{InForce, check};
use super::kept::{self, KeptSecrets, NewPolledDevice, NewPriceSource, NewSubscription};
use super::layers::default_of;
use super::offered::{OFFERED_BY, OfferedBroker, take_back};
use super::sections::{check_polled_together, check_sources_together};
use super::setting::Setting;
use super::settings::Config;
use crate::backups::{FolderProblem, prepare_folder};
use crate::domain::{Secret, ServiceSetting, ServiceSettings, SettingValue};
use crate::locks::lock;
use crate::store::{Store, StoreError};

/// New values of settings as texts; `None` for the default.
pub type TypedSettings = BTreeMap<ServiceSetting, Option<String>>;

/// The settings in force, and notification of changes.
pub struct LiveSettings {
    /// Serializes changes, so that the last one stored is the last one in force.
    changing: Mutex<()>,
    state: Mutex<LiveState>,
    changed: Condvar,
}

struct LiveState {
    /// The settings of file, environment and flags, with an offered broker below them.
    config: Config,
    in_force: Arc<InForce>,
    /// The settings in the store.
    stored: ServiceSettings,
    /// The number of earlier versions of the settings in force.
    number: u64,
    is_closed: bool,
}

/// Why settings were not changed. It contains no values, because some are secrets.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// A value is unusable.
    #[error("{}: expected {expected}", .setting.as_str())]
    Invalid {
        /// The setting.
        setting: ServiceSetting,
        /// The values that are accepted.
        expected: String,
    },
    /// The file, the environment or a flag fixes it.
    #[error("{} is set by {by}: change it there", .setting.as_str())]
    Held {
        /// The setting.
        setting: ServiceSetting,
        /// The place where it is set.
        by: String,
    },
    /// The folder cannot hold backups.
    #[error(transparent)]
    Folder(#[from] FolderProblem),
    /// The store refused them.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const POLLED: ServiceSetting = ServiceSetting::PolledDevices;
const SOURCES: ServiceSetting = ServiceSetting::PriceSources;

impl LiveSettings {
    /// Applies the settings of `store` below those of file, environment and flags.
    #[must_use]
    pub fn new(config: &Config, store: &Store) -> Self {
        let stored = store.registry().settings().clone();
        let in_force = InForce::new(config, &stored);
        for setting in in_force.missing() {
            log::warn!(
                "{} is missing since the store was restored: set it in the settings",
                setting.as_str()
            );
        }
        Self {
            changing: Mutex::new(()),
            state: Mutex::new(LiveState {
                config: config.clone(),
                in_force: Arc::new(in_force),
                stored,
                number: 0,
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// The settings in force.
    #[must_use]
    pub fn in_force(&self) -> Arc<InForce> {
        Arc::clone(&lock(&self.state).in_force)
    }

    /// Changes settings, all or none, and applies them. Blocks on the disk.
    ///
    /// # Errors
    /// A [`SettingsError`]; nothing was changed then.
    pub fn change(&self, store: &Store, typed: TypedSettings) -> Result<(), SettingsError> {
        let turn = lock(&self.changing);
        self.put(store, typed, &turn)
    }

    /// Adds a subscription to the pages' list, as [`Self::change`] does; does nothing if it is
    /// already there.
    ///
    /// # Errors
    /// A [`SettingsError`]. Nothing was changed then.
    pub fn subscribe(&self, store: &Store, new: &NewSubscription) -> Result<(), SettingsError> {
        self.change_subscriptions(store, |list, text| kept::with(list, text, new.section()))
    }

    /// Removes the subscription with this section, if it is in the pages' list, as [`Self::change`]
    /// does.
    ///
    /// # Errors
    /// A [`SettingsError`]. Nothing was changed then.
    pub fn unsubscribe(&self, store: &Store, section: &str) -> Result<(), SettingsError> {
        self.change_subscriptions(store, |list, text| kept::without(list, text, section))
    }

    fn change_subscriptions(
        &self,
        store: &Store,
        change: impl FnOnce(ServiceSetting, &str) -> Result<String, ConfigError>,
    ) -> Result<(), SettingsError> {
        const LIST: ServiceSetting = ServiceSetting::MqttSubscriptions;
        // Before the list is read, so that two concurrent changes are both made.
        let turn = lock(&self.changing);
        let registry = store.registry();
        let text = kept::stored_text(registry.settings().get(&LIST));
        let changed = change(LIST, text).map_err(|error| invalid(LIST, error))?;
        self.put(store, [(LIST, Some(changed))].into(), &turn)
    }

    /// Adds a polled device to the pages' list, as [`Self::change`] does. It replaces the one with
    /// the same sensor.
    ///
    /// # Errors
    /// A [`SettingsError`]: a device of the file may have the same sensor. Nothing was changed then.
    pub fn poll(&self, store: &Store, new: &NewPolledDevice) -> Result<(), SettingsError> {
        let added = |text: &str| {
            let same = kept::polled(text)?.into_iter();
            let mut same = same.filter(|one| one.parsed.sensor == new.sensor);
            let others = same.try_fold(text.to_owned(), |text, one| {
                kept::without(POLLED, &text, &one.section)
            });
            kept::with(POLLED, &others?, new.section())
        };
        let address = new.settings().map_err(|error| invalid(POLLED, error))?;
        let password = (address.address.to_string(), new.password.clone());
        self.change_polled(store, added, Some(password))
    }

    /// Removes the polled device with this section, if it is in the pages' list, as
    /// [`Self::change`] does.
    ///
    /// # Errors
    /// A [`SettingsError`]. Nothing was changed then.
    pub fn stop_polling(&self, store: &Store, section: &str) -> Result<(), SettingsError> {
        let removed = |text: &str| kept::without(POLLED, text, section);
        self.change_polled(store, removed, None)
    }

    /// Changes the list of polled devices. Their passwords stay, those of other addresses go.
    fn change_polled(
        &self,
        store: &Store,
        change: impl FnOnce(&str) -> Result<String, ConfigError>,
        password: Option<(String, Secret)>,
    ) -> Result<(), SettingsError> {
        const PASSWORDS: ServiceSetting = ServiceSetting::PollPasswords;
        let turn = lock(&self.changing);
        let registry = store.registry();
        let text = |list| kept::stored_text(registry.settings().get(&list));
        let wrong = |error| invalid(POLLED, error);
        let devices = change(text(POLLED)).map_err(wrong)?;
        let kept = kept::polled(&devices).map_err(wrong)?;
        let mut all = lock(&self.state).config.poll.clone();
        all.extend(kept.iter().map(|one| one.parsed.clone()));
        check_polled_together(&all, &|_| kept::IN_BROWSER.to_owned()).map_err(wrong)?;
        let stored = kept::passwords(text(PASSWORDS)).map_err(|error| invalid(PASSWORDS, error))?;
        let typed = password.filter(|(_, password)| password.is_set());
        let mut passwords: KeptSecrets = stored.into_iter().chain(typed).collect();
        let is_polled = |address: &String| {
            let mut devices = kept.iter().map(|one| &one.parsed.address);
            devices.any(|device| device.to_string() == *address)
        };
        passwords.retain(|address, _| is_polled(address));
        let mut changes = TypedSettings::from([(POLLED, Some(devices))]);
        // Missing ones stay missing, so that the status page asks for them.
        if !passwords.is_empty() || !text(PASSWORDS).is_empty() {
            changes.insert(PASSWORDS, Some(kept::passwords_text(&passwords)));
        }
        self.put(store, changes, &turn)
    }

    /// Adds a price source to the pages' list, as [`Self::change`] does. It replaces the one that
    /// fills the same series.
    ///
    /// # Errors
    /// A [`SettingsError`]: a source of the file may fill the same series. Nothing was changed then.
    pub fn fetch_prices(&self, store: &Store, new: &NewPriceSource) -> Result<(), SettingsError> {
        let settings = new.settings().map_err(|error| invalid(SOURCES, error))?;
        let added = |text: &str| {
            let same = kept::price_sources(text)?.into_iter();
            let mut same = same.filter(|one| one.parsed.fills_the_same(&settings));
            let others = same.try_fold(text.to_owned(), |text, one| {
                kept::without(SOURCES, &text, &one.section)
            });
            kept::with(SOURCES, &others?, new.section.clone())
        };
        let key = (settings.key_server().to_owned(), new.key.clone());
        self.change_price_sources(store, added, Some(key))
    }

    /// Removes the price source with this section, if it is in the pages' list, as
    /// [`Self::change`] does.
    ///
    /// # Errors
    /// A [`SettingsError`]. Nothing was changed then.
    pub fn stop_fetching(&self, store: &Store, section: &str) -> Result<(), SettingsError> {
        let removed = |text: &str| kept::without(SOURCES, text, section);
        self.change_price_sources(store, removed, None)
    }

    /// Changes the list of price sources. Their keys stay, those of other servers go.
    fn change_price_sources(
        &self,
        store: &Store,
        change: impl FnOnce(&str) -> Result<String, ConfigError>,
        key: Option<(String, Secret)>,
    ) -> Result<(), SettingsError> {
        const KEYS: ServiceSetting = ServiceSetting::PriceKeys;
        let turn = lock(&self.changing);
        let registry = store.registry();
        let text = |list| kept::stored_text(registry.settings().get(&list));
        let wrong = |error| invalid(SOURCES, error);
        let sources = change(text(SOURCES)).map_err(wrong)?;
        let kept = kept::price_sources(&sources).map_err(wrong)?;
        let mut all = lock(&self.state).config.price_sources.clone();
        all.extend(kept.iter().map(|one| one.parsed.clone()));
        check_sources_together(&all, &|_| kept::IN_BROWSER.to_owned()).map_err(wrong)?;
        let stored = kept::passwords(text(KEYS)).map_err(|error| invalid(KEYS, error))?;
        let typed = key.filter(|(_, key)| key.is_set());
        let mut keys: KeptSecrets = stored.into_iter().chain(typed).collect();
        keys.retain(|server, _| kept.iter().any(|one| one.parsed.key_server() == server));
        let mut changes = TypedSettings::from([(SOURCES, Some(sources))]);
        // Missing ones stay missing, so that the status page asks for them.
        if !keys.is_empty() || !text(KEYS).is_empty() {
            changes.insert(KEYS, Some(kept::passwords_text(&keys)));
        }
        self.put(store, changes, &turn)
    }

    fn put(
        &self,
        store: &Store,
        typed: TypedSettings,
        _one_by_one: &MutexGuard<'_, ()>,
    ) -> Result<(), SettingsError> {
        let mut changes = BTreeMap::new();
        for (setting, text) in typed {
            let held = lock(&self.state).config.held.get(&setting).cloned();
            if let Some(Setting { origin: by, .. }) = held {
                return Err(SettingsError::Held { setting, by });
            }
            let text = text.filter(|text| *text != default_of(setting.as_str()));
            if let Some(text) = &text {
                self.check(setting, text)?;
            }
            changes.insert(setting, text.as_deref().map(SettingValue::text));
        }
        let names: Vec<_> = changes.keys().map(|setting| setting.as_str()).collect();
        let names = names.join(", ");
        store.edit(move |edit| edit.change_settings(changes))?;
        log::info!("changed in the browser: {names}");
        self.put_in_force(store);
        Ok(())
    }

    /// Applies settings that were changed elsewhere, as by another front-end on the same database.
    pub fn look(&self, store: &Store) {
        let _turn = lock(&self.changing);
        if *store.registry().settings() != lock(&self.state).stored {
            log::debug!("settings were changed elsewhere");
            self.put_in_force(store);
        }
    }

    fn put_in_force(&self, store: &Store) {
        let stored = store.registry().settings().clone();
        let mut state = lock(&self.state);
        state.in_force = Arc::new(InForce::new(&state.config, &stored));
        state.stored = stored;
        state.number = state.number.wrapping_add(1);
        self.changed.notify_all();
    }

    /// Whether an offered broker would be used, because none is set.
    #[must_use]
    pub fn wants_offer(&self) -> bool {
        const BROKER: ServiceSetting = ServiceSetting::MqttBroker;
        let state = lock(&self.state);
        let held = state.config.held.get(&BROKER);
        let is_offered = held.is_some_and(|held| held.origin == OFFERED_BY);
        is_offered || (held.is_none() && !state.stored.contains_key(&BROKER))
    }

    /// Applies an offered broker, unless one is set.
    ///
    /// # Errors
    /// A [`ConfigError`] without secrets if the broker is invalid; nothing was changed then.
    pub fn offer(&self, store: &Store, offered: &OfferedBroker) -> Result<(), ConfigError> {
        let _turn = lock(&self.changing);
        if !self.wants_offer() {
            return Ok(());
        }
        let mut config = lock(&self.state).config.clone();
        offered.lay(&mut config)?;
        if config != lock(&self.state).config {
            lock(&self.state).config = config;
            self.put_in_force(store);
        }
        Ok(())
    }

    /// Removes a broker that is no longer offered.
    pub fn take_back_offer(&self, store: &Store) {
        let _turn = lock(&self.changing);
        let mut config = lock(&self.state).config.clone();
        take_back(&mut config);
        if config != lock(&self.state).config {
            lock(&self.state).config = config;
            self.put_in_force(store);
        }
    }

    /// The setting, with its origin, that keeps an offered broker from being used although no
    /// broker is set.
    #[must_use]
    pub fn without_broker(&self) -> Option<Setting> {
        let state = lock(&self.state);
        let held = state.config.held.get(&ServiceSetting::MqttBroker);
        held.filter(|held| held.value.is_empty()).cloned()
    }

    /// Waits until the settings differ from those numbered `number`, for `at_most`. Returns those
    /// in force, with their number; `None` once it is closed.
    pub fn wait(&self, number: u64, at_most: Duration) -> Option<(u64, Arc<InForce>)> {
        let waits = |state: &mut LiveState| !state.is_closed && state.number == number;
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.state), at_most, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!state.is_closed).then(|| (state.number, Arc::clone(&state.in_force)))
    }

    /// Ends all waits.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    fn check(&self, setting: ServiceSetting, text: &str) -> Result<(), SettingsError> {
        if text.len() > setting.max_bytes() {
            let expected = format!("at most {} bytes", setting.max_bytes());
            return Err(SettingsError::Invalid { setting, expected });
        }
        check(setting, text).map_err(|error| invalid(setting, error))?;
        if setting == ServiceSetting::BackupDir {
            prepare_folder(Path::new(text), &self.in_force().config.data_dir)?;
        }
        Ok(())
    }
}

fn invalid(setting: ServiceSetting, error: ConfigError) -> SettingsError {
    let expected = match error {
        ConfigError::Invalid { expected, .. } => expected,
        other => other.to_string(),
    };
    SettingsError::Invalid { setting, expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{OpenMode, StoreSettings};

    #[test]
    fn what_another_front_end_changed_is_in_force_after_a_look() {
        let dir = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
        let [ours, theirs] = [(); 2].map(|()| LiveSettings::new(&Config::default(), &store));
        let keep = Some("3".to_owned());
        let typed = [(ServiceSetting::BackupKeep, keep)].into();
        theirs.change(&store, typed).unwrap();
        let now = Duration::ZERO;
        let (number, before) = ours.wait(0, now).unwrap();
        assert_eq!((number, before.config.backup.keep), (0, 7));
        ours.look(&store);
        let (number, after) = ours.wait(0, Duration::MAX).unwrap();
        assert_eq!((number, after.config.backup.keep), (1, 3));
        // Nothing has changed.
        ours.look(&store);
        assert_eq!(ours.wait(1, now).unwrap().0, 1);
        ours.close();
        assert!(ours.wait(1, Duration::MAX).is_none());
    }
}
