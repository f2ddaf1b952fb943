//! Links from a chart to other views of it.

use crate::chart::ChartKind;
use crate::domain::{Interval, Role, Sensor, SensorId, Zone};
use crate::http::pages::charts::range::{RangeChoice, ShownRange};
use crate::http::pages::charts::selection::{MAX_BARS, bars};
use crate::http::pages::charts::view::{INTERVALS, View};

/// A link to another view.
pub(crate) struct ViewLink {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) is_here: bool,
}

/// The pages that have a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartPage {
    Dashboard,
    /// The chart on a page of its own.
    Alone,
}

/// The links from a view to others.
pub(crate) struct ViewLinks<'a> {
    pub(crate) view: &'a View,
    pub(crate) zone: &'a Zone,
    pub(crate) page: ChartPage,
}

impl ViewLinks<'_> {
    fn to(&self, view: &View) -> String {
        let query = view.query_string(self.zone);
        match self.page {
            ChartPage::Dashboard => format!("/{query}#chart"),
            ChartPage::Alone => format!("/chart{query}"),
        }
    }

    fn link(&self, name: impl Into<String>, view: &View, is_here: bool) -> ViewLink {
        ViewLink {
            name: name.into(),
            address: self.to(view),
            is_here,
        }
    }

    pub(crate) fn to_range(&self, choice: RangeChoice) -> String {
        self.to(&self.view.with_range(choice))
    }

    pub(crate) fn kinds(&self) -> Vec<ViewLink> {
        let to = |kind: ChartKind| {
            let view = View {
                kind,
                // Power has no bars.
                by: None,
                ..self.view.clone()
            };
            self.link(kind.title(), &view, kind == self.view.kind)
        };
        ChartKind::ALL.map(to).into()
    }

    pub(crate) fn subjects(&self, sensors: &[Sensor]) -> Vec<ViewLink> {
        let at_grid = sensors.iter().filter(|it| it.role == Role::Grid).count();
        let to = |name: &str, sensor: Option<&SensorId>, is_default: bool| {
            let view = View {
                sensor: sensor.cloned(),
                ..self.view.clone()
            };
            // The default view names no sensor, but shows this one.
            let is_here = view == *self.view || is_default && self.view.sensor.is_none();
            self.link(name, &view, is_here)
        };
        let house = (at_grid > 0).then(|| to("House", None, true));
        let each = sensors.iter().enumerate().filter_map(|(nth, sensor)| {
            // Without sensors at the grid, the first one is shown by default.
            let is_default = at_grid == 0 && nth == 0;
            let link = to(&sensor.name, Some(&sensor.id), is_default);
            // The only sensor at the grid is the same as the house.
            let is_house = at_grid == 1 && sensor.role == Role::Grid;
            (link.is_here || !is_house).then_some(link)
        });
        house.into_iter().chain(each).collect()
    }

    pub(crate) fn ranges(&self) -> Vec<ViewLink> {
        let at = self.view.range.at();
        let to = |(_, name, choice): (_, &str, _)| {
            let is_here = match (choice, self.view.range) {
                // Whatever its time: the link leads to the same unit.
                (RangeChoice::Unit(unit, _), RangeChoice::Unit(here, _)) => unit == here,
                (choice, here) => choice == here,
            };
            self.link(name, &self.view.with_range(choice), is_here)
        };
        RangeChoice::named(at).map(to).into()
    }

    /// Those that make a readable number of bars of `range`.
    pub(crate) fn intervals(&self, range: &ShownRange, here: Interval) -> Vec<ViewLink> {
        if self.view.kind == ChartKind::Power {
            return Vec::new();
        }
        let fitting = INTERVALS.into_iter().filter(|(_, by)| {
            let count = bars(range, *by);
            // A single bar is no chart. The current interval is listed all the same.
            *by == here || (2..=MAX_BARS).contains(&count)
        });
        let to = |(word, by): (&str, Interval)| {
            let view = View {
                by: Some(by),
                ..self.view.clone()
            };
            self.link(format!("By {word}"), &view, by == here)
        };
        fitting.map(to).collect()
    }
}
