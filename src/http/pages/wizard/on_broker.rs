//! The broker's knowledge of a device.

use super::device::Device;
use crate::http::gate::AppState;
use crate::http::pages::service::devices::count_found;

/// A device whose messages come through a broker.
pub(super) enum OnBroker {
    /// There is no broker.
    NoBroker,
    /// No such device without a sensor was heard.
    NotHeard,
    /// The number of such devices heard.
    Heard(usize),
}

impl OnBroker {
    /// `None` for a device that does not send to a broker, unless some were heard there.
    pub(super) fn of(app: &AppState, device: Device) -> Option<Self> {
        let count = count_found(app, &device.presets());
        if count > 0 {
            return Some(Self::Heard(count));
        }
        let has_broker = app.settings.in_force().config.mqtt.broker.is_some();
        let unheard = if has_broker {
            Self::NotHeard
        } else {
            Self::NoBroker
        };
        device.sends_to_broker().then_some(unheard)
    }
}
