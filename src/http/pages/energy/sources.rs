//! Who used the sun: the devices of a range as a table, with the sources of their energy.

use super::tiles::value_text;
use crate::domain::{Account, Timestamp};
use crate::house::{DeviceUse, EnergyColumn, EnergyCourse};
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::range::RangeChoice;
use crate::ledger::house::UsedSources;
use crate::texts::Language;

/// The devices as a table.
pub(super) struct SourcesView {
    /// The heads of the columns.
    pub(super) heads: Vec<String>,
    /// The name of each device, the address of its statement, and its values.
    pub(super) rows: Vec<(String, String, Vec<String>)>,
}

/// The sources of a course, and what their words need.
pub(super) struct ShownSources<'a> {
    pub(super) course: &'a EnergyCourse,
    pub(super) account: &'a Account,
    /// The ends of the range.
    pub(super) ends: [Timestamp; 2],
    pub(super) language: &'a Language,
}

const COLUMNS: [EnergyColumn; 8] = [
    EnergyColumn::Energy,
    EnergyColumn::FromSolar,
    EnergyColumn::FromBattery,
    EnergyColumn::FromGrid,
    EnergyColumn::FromUnknown,
    EnergyColumn::OwnShare,
    EnergyColumn::RealCost,
    EnergyColumn::Cost,
];

impl ShownSources<'_> {
    /// The table; `None` if no sources are known.
    pub(super) fn view(&self) -> Option<SourcesView> {
        let mut devices = Vec::new();
        flatten(&self.course.uses.devices, &mut devices);
        devices.retain(|device| device.sources.is_some());
        let is_known =
            |column: &EnergyColumn| devices.iter().any(|it| value(it, *column).is_some());
        let columns: Vec<EnergyColumn> = COLUMNS.into_iter().filter(is_known).collect();
        let row = |device: &&DeviceUse| {
            let values = columns.iter().map(|column| self.cell(device, *column));
            (
                device.sensor.name.clone(),
                self.statement_of(device),
                values.collect(),
            )
        };
        let head =
            |column: &EnergyColumn| self.language.word("energy", EnergyColumn::as_str(*column));
        (!devices.is_empty()).then(|| SourcesView {
            heads: columns.iter().map(head).collect(),
            rows: devices.iter().map(row).collect(),
        })
    }

    fn cell(&self, device: &DeviceUse, column: EnergyColumn) -> String {
        let currency = self.course.currency.as_ref();
        let currency = currency.map_or("", |currency| currency.as_str());
        let shown = value(device, column);
        let shown = shown.map(|value| value_text(column, value, currency, self.language));
        shown.unwrap_or_else(|| figures::UNKNOWN.to_owned())
    }

    /// The address of the statement of a device.
    fn statement_of(&self, device: &DeviceUse) -> String {
        let [from, to] = self.ends;
        let range = RangeChoice::between(from, to);
        let range = range.map(|range| range.parameters(&self.account.zone));
        let mut all = vec![
            ("account", self.account.name.to_string()),
            ("sensor", device.sensor.id.to_string()),
        ];
        all.extend(range.into_iter().flatten());
        format!("costs/sensor{}", query_string(&all))
    }
}

/// The devices, each before those inside it.
fn flatten<'a>(devices: &'a [DeviceUse], all: &mut Vec<&'a DeviceUse>) {
    for device in devices {
        all.push(device);
        flatten(&device.inside, all);
    }
}

/// A value of a device, if it is known and there is something to say.
fn value(device: &DeviceUse, column: EnergyColumn) -> Option<f64> {
    let now = device.part.energy.now?;
    let sources: &UsedSources = device.sources.as_ref()?;
    match column {
        EnergyColumn::Energy => Some(now.watthours),
        EnergyColumn::FromSolar => Some(sources.solar.energy.watthours()),
        EnergyColumn::FromBattery => Some(sources.battery.energy.watthours()),
        EnergyColumn::FromGrid => Some(sources.grid_energy().watthours()),
        EnergyColumn::FromUnknown => {
            Some(sources.unknown.watthours()).filter(|unknown| *unknown != 0.0)
        }
        EnergyColumn::OwnShare => sources.own_share(),
        EnergyColumn::RealCost => {
            let cost = now.cost.and(sources.real_cost());
            cost.map(|cost| cost.rounded().to_f64())
        }
        EnergyColumn::Cost => now.cost,
        _ => None,
    }
}
