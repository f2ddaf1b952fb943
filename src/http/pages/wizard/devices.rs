//! The page of a choice, the devices to choose, and the names of devices and roles.

use askama::Template;

use super::device::Device;
use crate::domain::Role;
use crate::http::pages::frame::Layout;
use crate::texts::Language;

/// A choice, such as that of the device for a new or an existing sensor.
#[derive(Template)]
#[template(path = "wizard/devices.html")]
pub(super) struct ChoicesPage {
    pub(super) layout: Layout,
    pub(super) title: String,
    pub(super) question: String,
    pub(super) choices: Vec<Choice>,
    /// The address of the page before.
    pub(super) back: String,
}

/// Something to choose.
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) about: String,
    /// The address that choosing it leads to.
    pub(super) address: String,
}

/// These devices, each with the address that `address` returns for it.
pub(super) fn devices(
    language: &Language,
    all: impl IntoIterator<Item = Device>,
    address: impl Fn(&'static str) -> String,
) -> Vec<Choice> {
    let view = |device| Choice {
        name: device_name(device, language),
        about: language.word("device-about", Device::as_str(device)),
        address: address(device.as_str()),
    };
    all.into_iter().map(view).collect()
}

/// The usual name of a device.
pub(super) fn device_name(device: Device, language: &Language) -> String {
    language.word("device", Device::as_str(device))
}

/// The name of a role, as something that a sensor measures.
pub(super) fn role_text(role: Role, language: &Language) -> String {
    language.word("role", Role::as_str(role))
}
