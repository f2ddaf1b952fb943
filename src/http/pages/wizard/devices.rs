//! The choice of the device, and the names of devices and roles.

use askama::Template;

use super::device::Device;
use crate::domain::Role;
use crate::http::pages::frame::Layout;
use crate::texts::Language;

/// The choice of the device, for a new or an existing sensor.
#[derive(Template)]
#[template(path = "wizard/devices.html")]
pub(super) struct DevicesPage {
    pub(super) layout: Layout,
    pub(super) devices: Vec<DeviceView>,
    /// The name of the existing sensor.
    pub(super) sensor: Option<String>,
}

/// A device to choose.
pub(super) struct DeviceView {
    name: String,
    about: String,
    /// The address that choosing it leads to.
    address: String,
}

/// All devices, each with the address that `address` returns for it.
pub(super) fn devices(
    language: &Language,
    address: impl Fn(&'static str) -> String,
) -> Vec<DeviceView> {
    let view = |device| DeviceView {
        name: device_name(device, language),
        about: language.word("device-about", Device::as_str(device)),
        address: address(device.as_str()),
    };
    Device::ALL.map(view).into()
}

/// The usual name of a device.
pub(super) fn device_name(device: Device, language: &Language) -> String {
    language.word("device", Device::as_str(device))
}

/// The name of a role, as something that a sensor measures.
pub(super) fn role_text(role: Role, language: &Language) -> String {
    language.word("role", Role::as_str(role))
}
