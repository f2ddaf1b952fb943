//! What is known of a device by way of the broker.

use super::device::Device;
use crate::http::gate::AppState;
use crate::http::pages::service::devices::count_found;

/// A device whose messages come by way of a broker.
pub(super) enum OnBroker {
    /// There is no broker.
    NoBroker,
    /// No such device was heard that feeds no sensor yet.
    NotHeard,
    /// So many were.
    Heard(usize),
}

impl OnBroker {
    /// `None` for a device that does not need one, unless some were heard.
    pub(super) fn of(app: &AppState, device: Device) -> Option<Self> {
        let count = count_found(app, device.presets());
        if count > 0 {
            return Some(Self::Heard(count));
        }
        let has_broker = app.settings.in_force().config.mqtt.broker.is_some();
        device.needs_broker().then_some(if has_broker {
            Self::NotHeard
        } else {
            Self::NoBroker
        })
    }
}
