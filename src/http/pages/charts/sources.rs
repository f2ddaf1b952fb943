//! The sensors that a chart can show: a few as chips, many as a list with groups and a search.

use crate::domain::{Role, Sensor};
use crate::http::pages::charts::links::{ViewLink, ViewLinks};

/// The sensors to choose from.
pub(crate) struct Sources {
    /// The house and the grid and, if they are few, each sensor.
    pub(crate) chips: Vec<ViewLink>,
    /// All sensors by the part of the house that they measure.
    pub(crate) groups: Vec<SourceGroup>,
    /// Whether they are so many that the list is the way to them.
    pub(crate) is_long: bool,
    /// The form for several sensors in one chart: its address and its hidden fields.
    pub(crate) form: (&'static str, Vec<(&'static str, String)>),
}

/// The sensors of a part of the house.
pub(crate) struct SourceGroup {
    pub(crate) name: String,
    pub(crate) rows: Vec<Source>,
}

/// A sensor to choose.
pub(crate) struct Source {
    pub(crate) id: String,
    pub(crate) link: ViewLink,
    /// Whether it is drawn beside the subject.
    pub(crate) is_with: bool,
}

/// The most sensors that are chips.
const MOST_CHIPS: usize = 8;

impl Sources {
    pub(crate) fn of(links: &ViewLinks<'_>, sensors: &[Sensor]) -> Self {
        let (mut chips, each) = links.subjects(sensors);
        let is_long = each.len() > MOST_CHIPS;
        let mut groups: Vec<SourceGroup> = Vec::new();
        // The sensors are sorted by role and name.
        for of_role in sensors.chunk_by(|a, b| group_of(a.role) == group_of(b.role)) {
            let rows = of_role.iter().map(|sensor| Source {
                id: sensor.id.to_string(),
                link: links.of_sensor(sensor),
                is_with: links.view.with.contains(&sensor.id),
            });
            let role = of_role.first().map_or(Role::SubMeter, |it| it.role);
            let group = group_of(role);
            groups.push(SourceGroup {
                name: links.language.word("chart-group", HousePart::as_str(group)),
                rows: rows.collect(),
            });
        }
        if !is_long {
            chips.extend(each.into_iter().map(|(_, link)| link));
        } else if let Some((_, here)) = each.into_iter().find(|(_, link)| link.is_here) {
            chips.push(here);
        }
        Self {
            chips,
            groups,
            is_long,
            form: links.with_form(),
        }
    }
}

/// A part of the house with sensors of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HousePart {
    Grid,
    Solar,
    Battery,
    Devices,
}

crate::domain::words::words! {
    HousePart: Grid "grid", Solar "solar", Battery "battery", Devices "devices";
    "grid, solar, battery or devices"
}

const fn group_of(role: Role) -> HousePart {
    match role {
        Role::Grid | Role::GridImport | Role::GridExport => HousePart::Grid,
        Role::Solar => HousePart::Solar,
        Role::Battery | Role::BatteryCharge | Role::BatteryDischarge => HousePart::Battery,
        Role::SubMeter => HousePart::Devices,
    }
}
