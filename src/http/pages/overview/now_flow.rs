//! The power of a house now, as a picture with moving dots and as a table.

use super::power_text::{PowerText, PowerWords, is_device, key_of};
use crate::chart::{NowNode, NowPicture};
use crate::domain::{AccountName, Role, Sensor};
use crate::house::{HousePower, PowerNow};
use crate::store::{Store, StoreError};

/// The power of a house now.
pub(super) struct NowFlow {
    /// The picture for wide and narrow places; its texts are escaped.
    pub(super) pictures: [String; 2],
    /// The key of each part in the events of `/live`, its name, and its power.
    pub(super) rows: Vec<(String, String, PowerText)>,
}

/// The widths of the pictures, and the most devices in them.
const WIDTHS: [u16; 2] = [620, 340];
const MOST_DEVICES: usize = 3;

impl NowFlow {
    /// `None` without sensors of the house. May block on disk reads.
    pub(super) fn at(
        store: &Store,
        account: &AccountName,
        words: PowerWords<'_>,
    ) -> Result<Option<Self>, StoreError> {
        let house = HousePower::at(store, account, words.now)?;
        let sources = sources(&house, words);
        if sources.is_empty() {
            return Ok(None);
        }
        let name = words.wording.language.say("dashboard-house");
        let used = house.used.map(|power| FlowPart {
            key: "used".into(),
            class: "flow-house",
            name: name.clone(),
            text: PowerText::of(None, power, words),
        });
        let devices = devices(&house, words);
        let [from, to] = [&sources, &devices].map(|it| it.iter().map(FlowPart::node).collect());
        let (from, to): (Vec<NowNode>, Vec<NowNode>) = (from, to);
        let alone = NowNode {
            class: "flow-house",
            title: name,
            ..NowNode::default()
        };
        let picture = NowPicture {
            sources: &from,
            house: &used.as_ref().map_or(alone, FlowPart::node),
            devices: &to,
        };
        let pictures = WIDTHS.map(|width| picture.draw(width));
        let rows = sources.into_iter().chain(used).chain(devices);
        let rows = rows.map(|it| (it.key, it.name, it.text)).collect();
        Ok(Some(Self { pictures, rows }))
    }
}

/// A part of the house, and its power.
struct FlowPart {
    key: String,
    class: &'static str,
    name: String,
    text: PowerText,
}

impl FlowPart {
    fn node(&self) -> NowNode {
        let text = self.text.clone();
        NowNode {
            key: self.key.clone(),
            class: self.class,
            title: self.name.clone(),
            power: text.power,
            way: text.way,
            charge: text.charge,
            since: text.since,
            gives: text.gives,
            level: text.level,
            width: text.width,
        }
    }
}

/// The panels, the grid and the batteries, as far as the house has them.
fn sources(house: &HousePower, words: PowerWords<'_>) -> Vec<FlowPart> {
    let language = words.wording.language;
    let text = |role, power: PowerNow| PowerText::of(Some(role), power, words);
    let part = |(key, class): (&str, _), name, text: Option<PowerText>| {
        text.map(|text| FlowPart {
            key: key.to_owned(),
            class,
            name,
            text,
        })
    };
    let solar = part(
        ("solar", "flow-solar"),
        language.say("dashboard-solar"),
        house.solar.map(|power| text(Role::Solar, power)),
    );
    let grid = part(
        ("grid", "flow-grid"),
        language.say("dashboard-grid"),
        house.grid.map(|power| text(Role::Grid, power)),
    );
    let battery = part(
        ("battery", "flow-battery"),
        language.say("dashboard-battery"),
        house.battery.map(|power| words.battery(house, power)),
    );
    [solar, grid, battery].into_iter().flatten().collect()
}

/// The devices with the most power.
fn devices(house: &HousePower, words: PowerWords<'_>) -> Vec<FlowPart> {
    let sensors = house.sensors.iter();
    let mut devices: Vec<_> = sensors.filter(|(it, _)| is_device(it)).collect();
    devices.sort_by(|(_, a), (_, b)| {
        let of = |watts: Option<f64>| watts.unwrap_or(f64::NEG_INFINITY);
        of(b.watts).total_cmp(&of(a.watts))
    });
    let part = |(sensor, power): &(Sensor, PowerNow)| FlowPart {
        key: key_of(sensor.id.as_str()),
        class: "flow-house",
        name: sensor.name.clone(),
        text: PowerText::of(Some(Role::SubMeter), *power, words),
    };
    devices.into_iter().take(MOST_DEVICES).map(part).collect()
}
