//! Settings of the service: changing them.

use crate::domain::ServiceSettings;
use crate::store::error::StoreError;
use crate::store::handle::store::Store;
use crate::store::registry::setting_edit::SettingChanges;

impl Store {
    /// Changes settings of the service, all or none. A password or a token goes if the address changes that it is sent to, unless it is
    /// among the changes. Blocks.
    ///
    /// # Errors
    /// [`StoreError::TextTooLong`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn change_settings_durably(&self, changes: SettingChanges) -> Result<(), StoreError> {
        self.register(move |edit| edit.change_settings(changes))
    }

    /// Sets these settings of the service, as they are. Blocks.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn put_settings_durably(&self, settings: ServiceSettings) -> Result<(), StoreError> {
        let all = settings.into_iter();
        // All at once: one by one, the address of a secret would seem to change.
        let put = all.map(|(setting, value)| (setting, Some(value)));
        self.change_settings_durably(put.collect())
    }
}
