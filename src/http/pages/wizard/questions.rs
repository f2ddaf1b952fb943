//! The questions that lead to a device: about Home Assistant, the parts of the home, and the way of the
//! readings. The address has all answers so far.

use super::device::Device;
use super::devices::{Choice, ChoicesPage, devices};
use crate::domain::Role;
use crate::domain::words::words;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{PageResult, Visit};
use crate::http::pages::service::devices::WholeHouse;
use crate::http::pages::settings::parts::layout;
use crate::texts::Language;

/// The address of the questions.
const PAGE: &str = "settings/sensor/new";

/// Something in a home that has a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Grid,
    Panels,
    Battery,
    Wallbox,
    HeatPump,
    Flat,
    Other,
}

words! {
    Thing: Grid "grid", Panels "panels", Battery "battery", Wallbox "wallbox", HeatPump "heat-pump", Flat "flat", Other "other";
    "the word of a part of the home, such as grid"
}

/// How readings come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadingsWay {
    Mqtt,
    /// They are asked for at the device's address.
    Address,
    Script,
    File,
    /// A person reads the meter.
    Person,
    /// That of the device with this name.
    Name,
}

words! {
    ReadingsWay: Mqtt "mqtt", Address "address", Script "script", File "file", Person "person", Name "name";
    "the word of a way, such as mqtt"
}

impl Thing {
    /// The role of its sensor; `None` where the form asks.
    pub(super) const fn role(self) -> Option<Role> {
        match self {
            // Many meters count both directions separately, each for a sensor.
            Self::Grid | Self::Battery | Self::Other => None,
            Self::Panels => Some(Role::Solar),
            Self::Wallbox | Self::HeatPump | Self::Flat => Some(Role::SubMeter),
        }
    }

    /// Its usual name; empty for none.
    pub(super) fn name(self, language: &Language) -> String {
        match self {
            Self::Other => String::new(),
            thing => language.word("thing", Thing::as_str(thing)),
        }
    }
}

impl ReadingsWay {
    /// Whether readings of this device come in this way.
    fn has(self, device: Device) -> bool {
        match self {
            Self::Mqtt => !device.presets().is_empty(),
            Self::Address => device.is_polled(),
            Self::Script => device == Device::Script,
            Self::File => device == Device::File,
            Self::Person => device == Device::Person,
            Self::Name => true,
        }
    }

    /// The pages of the devices of this way that bring their sensors.
    fn with_sensors(self, language: &Language) -> impl Iterator<Item = Choice> {
        let all = WholeHouse::ALL.iter();
        let all = all.filter(move |_| matches!(self, Self::Mqtt | Self::Name));
        all.map(|one| Choice {
            name: language.word("whole-house", WholeHouse::as_str(*one)),
            about: language.word("whole-house-about", WholeHouse::as_str(*one)),
            address: address("settings/devices", &[("of", one.as_str())]),
        })
    }

    /// The page for devices of this way that nobody knows by name.
    fn general(self, language: &Language) -> Option<Choice> {
        let (about, address) = match self {
            Self::Mqtt => (language.say("wizard-another-mqtt"), "settings/devices"),
            Self::Address => (language.say("wizard-another-address"), "settings/polled"),
            _ => return None,
        };
        Some(Choice {
            name: language.say("wizard-another"),
            about,
            address: address.to_owned(),
        })
    }
}

/// The address of the question before the form.
pub(super) fn back_of(thing: Option<Thing>) -> String {
    thing.map_or_else(
        || PAGE.to_owned(),
        |it| address(PAGE, &[("what", it.as_str())]),
    )
}

/// The next question.
pub(super) fn question(visit: &Visit) -> PageResult {
    let language = visit.language();
    let thing: Option<Thing> = visit.param("what")?.parse().ok();
    let way: Option<ReadingsWay> = visit.param("way")?.parse().ok();
    let is_answered = !visit.param("home")?.is_empty();
    let (question, choices, back) = match (thing, way) {
        (Some(thing), Some(way)) => (
            language.say("wizard-which-device"),
            of_way(thing, way, language),
            back_of(Some(thing)),
        ),
        (Some(thing), None) => (
            language.say("wizard-how"),
            ways(thing, language),
            address(PAGE, &[("home", "no")]),
        ),
        _ if is_answered => (
            language.say("wizard-what"),
            things(language),
            PAGE.to_owned(),
        ),
        _ => (
            language.say("wizard-home"),
            home(language),
            "settings".to_owned(),
        ),
    };
    Ok(ok(&ChoicesPage {
        layout: layout(visit)?,
        title: language.say("wizard-title"),
        question,
        choices,
        back,
    }))
}

fn home(language: &Language) -> Vec<Choice> {
    vec![
        Choice {
            name: language.say("wizard-home-yes"),
            about: language.say("wizard-home-yes-about"),
            address: "settings/home-assistant".to_owned(),
        },
        Choice {
            name: language.say("wizard-home-no"),
            about: language.say("wizard-home-no-about"),
            address: address(PAGE, &[("home", "no")]),
        },
    ]
}

fn things(language: &Language) -> Vec<Choice> {
    let choice = |thing: &Thing| Choice {
        name: language.word("thing", Thing::as_str(*thing)),
        about: language.word("thing-about", Thing::as_str(*thing)),
        address: back_of(Some(*thing)),
    };
    Thing::ALL.iter().map(choice).collect()
}

fn ways(thing: Thing, language: &Language) -> Vec<Choice> {
    let choice = |way: &ReadingsWay| {
        let mut only = Device::ALL.iter().filter(|device| way.has(**device));
        let then = match (only.next(), only.next()) {
            (Some(device), None) => ("device", device.as_str()),
            _ => ("way", way.as_str()),
        };
        Choice {
            name: language.word("way", ReadingsWay::as_str(*way)),
            about: language.word("way-about", ReadingsWay::as_str(*way)),
            address: address(PAGE, &[("what", thing.as_str()), then]),
        }
    };
    ReadingsWay::ALL.iter().map(choice).collect()
}

fn of_way(thing: Thing, way: ReadingsWay, language: &Language) -> Vec<Choice> {
    let known = Device::ALL
        .iter()
        .copied()
        .filter(|device| way.has(*device));
    let to = |device| address(PAGE, &[("what", thing.as_str()), ("device", device)]);
    let one = devices(language, known, to);
    let whole_house = way.with_sensors(language);
    whole_house
        .chain(one)
        .chain(way.general(language))
        .collect()
}
