//! The power of a house now, as a picture with moving dots and as a table.

use super::power_text::{PowerText, is_device, key_of};
use crate::chart::{NowNode, NowPicture, Wording};
use crate::domain::{AccountName, Role, Timestamp};
use crate::house::HousePower;
use crate::store::{Store, StoreError};

/// The power of a house now.
pub(super) struct NowFlow {
    /// The picture for wide, middle and narrow places; its texts are escaped.
    pub(super) pictures: [String; 3],
    /// The key of each part in the events of `/live`, its name, and its power.
    pub(super) rows: Vec<(String, String, PowerText)>,
}

/// The widths of the pictures, and the most devices in them: of the dashboard, and of a tablet that
/// is read from afar.
pub(super) const OF_DASHBOARD: ([u16; 3], usize) = ([1_040, 620, 340], 4);
pub(super) const OF_WALL: ([u16; 3], usize) = ([620, 620, 340], 3);

impl NowFlow {
    /// `None` without sensors of the house. May block on disk reads.
    pub(super) fn at(
        store: &Store,
        account: &AccountName,
        (wording, (widths, most)): (Wording<'_>, ([u16; 3], usize)),
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let house = HousePower::at(store, account, now)?;
        let language = wording.language;
        let sources = [
            ("solar", "flow-solar", language.say("dashboard-solar")),
            ("grid", "flow-grid", language.say("dashboard-grid")),
            ("battery", "flow-battery", language.say("dashboard-battery")),
        ];
        let roles = [Role::Solar, Role::Grid, Role::Battery];
        let powers = [house.solar, house.grid, house.battery];
        let powers = roles.into_iter().zip(powers);
        let sources = sources.into_iter().zip(powers);
        let sources = sources.filter_map(|((key, class, name), (role, power))| {
            let text = PowerText::of(Some(role), power?, now, wording);
            Some((class, key.to_owned(), name, text))
        });
        let sources: Vec<_> = sources.collect();
        if sources.is_empty() {
            return Ok(None);
        }
        let used = house
            .used
            .map(|power| PowerText::of(None, power, now, wording));
        let mut devices: Vec<_> = house
            .sensors
            .iter()
            .filter(|(it, _)| is_device(it))
            .collect();
        devices.sort_by(|(_, a), (_, b)| {
            let of = |watts: Option<f64>| watts.unwrap_or(f64::NEG_INFINITY);
            of(b.watts).total_cmp(&of(a.watts))
        });
        let devices = devices.into_iter().take(most).map(|(sensor, power)| {
            let text = PowerText::of(Some(Role::SubMeter), *power, now, wording);
            (
                "flow-house",
                key_of(sensor.id.as_str()),
                sensor.name.clone(),
                text,
            )
        });
        let devices: Vec<_> = devices.collect();
        let node =
            |(class, key, title, text): &(&'static str, String, String, PowerText)| NowNode {
                key: key.clone(),
                class,
                title: title.clone(),
                power: text.power.clone(),
                way: text.way.clone(),
                since: text.since.clone(),
                gives: text.gives,
                level: text.level,
            };
        let name = language.say("dashboard-house");
        let of_house = used.map(|text| ("flow-house", "used".to_owned(), name.clone(), text));
        let alone = NowNode {
            key: "house".into(),
            class: "flow-house",
            title: name,
            power: String::new(),
            way: String::new(),
            since: String::new(),
            gives: false,
            level: 0,
        };
        let [from, to]: [Vec<NowNode>; 2] =
            [&sources, &devices].map(|it| it.iter().map(node).collect());
        let middle = of_house.as_ref().map_or(alone, node);
        let picture = NowPicture {
            sources: &from,
            house: &middle,
            devices: &to,
        };
        let rows = sources.into_iter().chain(of_house).chain(devices);
        Ok(Some(Self {
            pictures: widths.map(|width| picture.draw(width)),
            rows: rows.map(|(_, key, name, text)| (key, name, text)).collect(),
        }))
    }
}
