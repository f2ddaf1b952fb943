//! The sources and the uses of a range as a Sankey diagram, from the sums of its bars and the
//! energy of its devices.

use super::buckets::ShownBuckets;
use super::flow_words::{flow_name, sum_of_flow};
use crate::chart::{FlowKind, Sankey, SankeyFlow, SankeyPlace};
use crate::house::Supply;

/// The most devices with a place of their own.
const MOST_DEVICES: usize = 6;
/// The widths of the pictures, for wide, middle and narrow places.
const WIDTHS: [u16; 3] = [1_040, 620, 340];

/// The numbers of the places.
const SOLAR: usize = 0;
const BATTERY: usize = 1;
const GRID: usize = 2;
const HOUSE: usize = 3;
const EXPORTED: usize = 4;
const CHARGED: usize = 5;
const FIRST_DEVICE: usize = 6;

impl ShownBuckets<'_> {
    /// The pictures; `None` if nothing is known. Their texts are escaped.
    pub(super) fn paths(&self) -> Option<[String; 3]> {
        let language = self.wording.language;
        let place = |column, class, name| SankeyPlace {
            column,
            class,
            name,
        };
        let named = |column, kind: FlowKind| place(column, kind.class(), flow_name(kind, language));
        let mut places = vec![
            place(0, "flow-solar", language.say("dashboard-solar")),
            place(0, "flow-battery", language.say("dashboard-battery")),
            place(0, "flow-grid", language.say("dashboard-grid")),
            place(1, "flow-house", language.say("chart-house")),
            named(1, FlowKind::Exported),
            named(1, FlowKind::Charged),
        ];
        let rows = self.course.buckets.iter();
        let supplies = rows.filter_map(|it| it.row.as_ref()?.supply());
        let supplies: Vec<Supply> = supplies.collect();
        let sum = |of: fn(&Supply) -> f64| supplies.iter().map(of).sum::<f64>();
        let total = |kind| sum_of_flow(kind, &self.course.buckets).unwrap_or(0.0);
        let (exported, charged) = (total(FlowKind::Exported), total(FlowKind::Charged));
        let of_battery = sum(|it| it.exported_by_battery);
        let of_grid = sum(|it| it.charged_by_grid);
        let flow = |(from, to, watthours)| SankeyFlow {
            from,
            to,
            watthours,
        };
        let mut flows: Vec<SankeyFlow> = [
            (SOLAR, HOUSE, total(FlowKind::Solar)),
            (SOLAR, EXPORTED, exported - of_battery),
            (SOLAR, CHARGED, charged - of_grid),
            (BATTERY, HOUSE, total(FlowKind::Battery)),
            (BATTERY, EXPORTED, of_battery),
            (GRID, HOUSE, total(FlowKind::Grid)),
            (GRID, CHARGED, of_grid),
        ]
        .map(flow)
        .into();
        self.add_devices(&mut places, &mut flows);
        let title = language.say("energy-paths");
        let picture = Sankey {
            title: &title,
            wording: self.wording,
            places: &places,
            flows: &flows,
        };
        let [wide, middle, narrow] = WIDTHS.map(|width| picture.draw(width));
        Some([wide?, middle?, narrow?])
    }

    /// Adds the devices, and where the rest of the house's energy went.
    fn add_devices(&self, places: &mut Vec<SankeyPlace>, flows: &mut Vec<SankeyFlow>) {
        let language = self.wording.language;
        let uses = &self.course.uses;
        let energy = |part: &crate::house::UsedPart| part.energy.now.map_or(0.0, |it| it.watthours);
        let count = uses.devices.len();
        // A single one more takes no more space than the words for it.
        let most = if count > MOST_DEVICES + 1 {
            MOST_DEVICES
        } else {
            count
        };
        let (shown, rest) = uses.devices.split_at(most);
        for (device, nth) in shown.iter().zip(FIRST_DEVICE..) {
            let name = device.sensor.name.clone();
            let watthours = energy(&device.part);
            places.push(SankeyPlace {
                column: 2,
                class: "flow-house",
                name,
            });
            flows.push(SankeyFlow {
                from: HOUSE,
                to: nth,
                watthours,
            });
        }
        // What no device measured is not mixed with the smaller devices.
        let count = [("count", rest.len().into())];
        let smaller = rest.iter().map(|it| energy(&it.part)).sum();
        let other = uses.other.as_ref().map_or(0.0, energy);
        for (watthours, name) in [
            (smaller, language.fill("uses-folded", count)),
            (other, language.say("uses-other")),
        ] {
            flows.push(SankeyFlow {
                from: HOUSE,
                to: places.len(),
                watthours,
            });
            places.push(SankeyPlace {
                column: 2,
                class: "flow-house",
                name,
            });
        }
    }
}
