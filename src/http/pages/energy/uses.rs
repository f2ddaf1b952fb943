//! The uses of a house's energy, as a list that folds devices inside other devices.

use askama::Template;

use crate::chart::Wording;
use crate::domain::Sensor;
use crate::house::{DeviceUse, Energy, HouseUse, UsedPart};
use crate::http::pages::charts::View;
use crate::http::pages::frame::{PercentChange, figures};
use crate::ledger::AmountGap;
use crate::ledger::house::UsedSources;

/// The uses of a house's energy.
pub(crate) struct UsesView {
    /// The devices, the largest first.
    pub(crate) rows: Vec<UseRow>,
    /// The smaller ones if they are folded away: their number in words, and the rows.
    pub(crate) folded: Option<(String, Vec<UseRow>)>,
    /// The use that no device explains.
    pub(crate) other: Option<UseRow>,
    /// The night that the devices' standby power was measured in, in words.
    pub(crate) night: Option<String>,
}

/// A part of the use.
#[derive(Template)]
#[template(path = "use_row.html")]
pub(crate) struct UseRow {
    /// The key that scripts use.
    pub(crate) key: String,
    pub(crate) name: String,
    /// The chart of its sensor; `None` for a use that no sensor measures.
    pub(crate) chart: Option<String>,
    pub(crate) now: Option<DeviceNow>,
    pub(crate) energy: String,
    /// Its share of the use: the length of its bar from 0 to 100, and in words.
    pub(crate) share: Option<(u8, String)>,
    /// Other known facts: share, cost, change and standby power.
    pub(crate) facts: Vec<String>,
    pub(crate) change: Option<PercentChange>,
    /// The parts inside it: their names in words, and the rows.
    pub(crate) inside: Option<(String, Vec<Self>)>,
}

/// The power of a device now.
pub(crate) struct DeviceNow {
    /// Its key in the events of `/live`.
    pub(crate) key: String,
    pub(crate) power: String,
    /// The problem with its uploads; empty if there is none.
    pub(crate) silence: String,
}

/// The presentation of a list.
pub(crate) struct UsesFrame<'a> {
    pub(crate) currency: &'a str,
    pub(crate) wording: Wording<'a>,
    /// The maximum number of devices that are not folded away.
    pub(crate) most: usize,
    /// The power of a device now, on pages that show it.
    pub(crate) now: &'a dyn Fn(&Sensor) -> Option<DeviceNow>,
}

impl UsesView {
    /// Builds the list; `chart` is the view of a device, without its sensor.
    pub(crate) fn of(uses: &HouseUse, chart: &View, frame: &UsesFrame<'_>) -> Self {
        let night = uses.night_end.filter(|_| !uses.devices.is_empty());
        let mut rows = frame.rows(&uses.devices, chart);
        // A single hidden row would take no more space than the words that hide it.
        let is_long = rows.len() > frame.most.saturating_add(1);
        let folded = is_long.then(|| rows.split_off(frame.most));
        Self {
            folded: folded.map(|rows| {
                let count = [("count", rows.len().into())];
                (frame.wording.language.fill("uses-folded", count), rows)
            }),
            rows,
            other: uses.other.map(|part| frame.other(&part, "")),
            night: night.map(|end| {
                let date = frame.wording.date(end);
                frame
                    .wording
                    .language
                    .fill("uses-night", [("date", date.into())])
            }),
        }
    }
}

impl UsesFrame<'_> {
    fn rows(&self, devices: &[DeviceUse], chart: &View) -> Vec<UseRow> {
        let rows = devices.iter().map(|device| self.device(device, chart));
        rows.collect()
    }

    /// The use that the sub-meters inside a sensor do not explain; without a sensor, of the house.
    fn other(&self, part: &UsedPart, sensor: &str) -> UseRow {
        UseRow {
            key: format!("other:{sensor}"),
            name: self.wording.language.say("uses-other"),
            ..self.part(part, None)
        }
    }

    fn device(&self, device: &DeviceUse, chart: &View) -> UseRow {
        let its = chart.of_sensor(&device.sensor.id);
        let id = device.sensor.id.as_str();
        let mut inside = self.rows(&device.inside, chart);
        inside.extend(device.other.as_ref().map(|part| self.other(part, id)));
        let names: Vec<&str> = device.inside.iter().map(|it| &*it.sensor.name).collect();
        let names = names.join(", ");
        let mut row = self.part(&device.part, device.sources.as_ref());
        row.facts.extend(device.always_on.map(|watts| {
            let power = figures::power(watts, self.wording.language);
            self.wording
                .language
                .fill("uses-always-on", [("power", power.into())])
        }));
        UseRow {
            key: format!("use:{id}"),
            name: device.sensor.name.clone(),
            chart: Some(format!("chart{}", its.query_string(self.wording.zone))),
            now: (self.now)(&device.sensor),
            inside: (!device.inside.is_empty()).then(|| {
                (
                    self.wording
                        .language
                        .fill("uses-inside", [("names", names.into())]),
                    inside,
                )
            }),
            ..row
        }
    }

    /// The words for a cost at the grid's price; with own energy, for the real cost, too.
    fn cost(&self, energy: Energy, sources: Option<&UsedSources>) -> Option<String> {
        let language = self.wording.language;
        let full = figures::cost_of(energy, self.currency, language)?;
        let real = sources.and_then(|sources| Some((sources, sources.real_cost()?)));
        Some(match real {
            Some((sources, real)) => {
                let all = sources.known().energy + sources.unknown;
                let real = Energy {
                    cost: Some(real.rounded().to_f64()),
                    gap: AmountGap::of(all, sources.left_out(), 0.0),
                    ..energy
                };
                let real = figures::cost_of(real, self.currency, language)?;
                let values = [("cost", real.into()), ("full", full.into())];
                language.fill("uses-real-cost", values)
            }
            None => language.fill("uses-cost", [("cost", full.into())]),
        })
    }

    fn part(&self, part: &UsedPart, sources: Option<&UsedSources>) -> UseRow {
        let (now, before) = (part.energy.now, part.energy.before);
        let language = self.wording.language;
        let whole = |energy: &Energy| energy.is_comparable;
        let both = now.filter(whole).zip(before.filter(whole));
        let own = sources.and_then(UsedSources::own_share);
        let facts = [
            own.map(|share| {
                let share = figures::share(share, language);
                language.fill("uses-own", [("share", share.into())])
            }),
            now.and_then(|energy| self.cost(energy, sources)),
            now.filter(|it| it.is_partial)
                .map(|_| language.say("energy-incomplete")),
        ];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is from 0 to 100"
        )]
        let length = |share: f64| (share * 100.0).clamp(0.0, 100.0) as u8;
        UseRow {
            key: String::new(),
            name: String::new(),
            chart: None,
            now: None,
            energy: now.map_or_else(
                || figures::UNKNOWN.into(),
                |energy| figures::energy(energy.watthours, language),
            ),
            share: part
                .share
                .map(|share| (length(share), figures::share(share, language))),
            facts: facts.into_iter().flatten().collect(),
            change: both.and_then(|(now, before)| {
                figures::percent(now.watthours, before.watthours, language)
            }),
            inside: None,
        }
    }
}
