//! Links from a chart to other views of it.

use crate::chart::{ChartData, ChartKind};
use crate::domain::{Interval, Sensor, Zone};
use crate::house::EnergyBar;
use crate::http::pages::charts::selection::{MAX_BARS, bars, is_use_known};
use crate::http::pages::charts::view::{ChartSubject, INTERVALS, View};
use crate::http::pages::frame::range::{
    PeriodLinks, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::texts::Language;

/// A link to another view.
pub(crate) struct ViewLink {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) is_here: bool,
}

/// A page with a chart.
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
    pub(crate) language: &'static Language,
}

impl ViewLinks<'_> {
    fn to(&self, view: &View) -> String {
        let query = view.query_string(self.zone);
        match self.page {
            ChartPage::Dashboard => format!("./{query}#chart"),
            ChartPage::Alone => format!("chart{query}"),
        }
    }

    /// The address of the view on a page of its own.
    pub(crate) fn alone(&self) -> String {
        format!("chart{}", self.view.query_string(self.zone))
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

    /// The addresses of the bars of energy.
    pub(crate) fn of_bars(&self, data: &ChartData) -> Vec<String> {
        let ChartData::Energy { interval, bars, .. } = data else {
            return Vec::new();
        };
        let to = |bar: &EnergyBar| self.to(&self.view.of_bar(bar.start, *interval));
        bars.iter().map(to).collect()
    }

    /// The form for further sensors: its address and hidden fields.
    pub(crate) fn with_form(&self) -> (&'static str, Vec<(&'static str, String)>) {
        let view = View {
            with: Vec::new(),
            ..self.view.clone()
        };
        (self.form_address(), view.parameters(self.zone))
    }

    const fn form_address(&self) -> &'static str {
        match self.page {
            ChartPage::Dashboard => "./#chart",
            ChartPage::Alone => "chart",
        }
    }

    /// The form for other days: its address and hidden fields.
    pub(crate) fn days_form(&self) -> (&'static str, Vec<(&'static str, String)>) {
        // The usual range is in no address.
        let view = self.view.with_range(RangeChoice::LAST_DAY);
        (self.form_address(), view.parameters(self.zone))
    }

    pub(crate) fn kinds(&self) -> Vec<ViewLink> {
        let to = |kind: ChartKind| {
            let view = View {
                kind,
                // Power has no bars.
                by: None,
                ..self.view.clone()
            };
            self.link(kind.title(self.language), &view, kind == self.view.kind)
        };
        ChartKind::ALL.map(to).into()
    }

    /// The link to a sensor.
    pub(crate) fn of_sensor(&self, sensor: &Sensor) -> ViewLink {
        let view = self.view.of_sensor(&sensor.id);
        let is_here = view == *self.view;
        self.link(&sensor.name, &view, is_here)
    }

    /// The house and the grid, and each sensor.
    pub(crate) fn subjects<'s>(
        &self,
        sensors: &'s [Sensor],
    ) -> (Vec<ViewLink>, Vec<(&'s Sensor, ViewLink)>) {
        let at_grid = sensors.iter().filter(|it| it.role.is_at_grid()).count();
        let to = |name: &str, subject: ChartSubject, is_default: bool| {
            let view = View {
                subject,
                ..self.view.clone()
            };
            // The default view names no sensor, but shows this one.
            let is_here =
                view == *self.view || is_default && self.view.subject == ChartSubject::Grid;
            self.link(name, &view, is_here)
        };
        let say = |name| self.language.say(name);
        let house =
            is_use_known(sensors).then(|| to(&say("chart-house"), ChartSubject::House, false));
        let grid = (at_grid > 0).then(|| to(&say("chart-grid"), ChartSubject::Grid, true));
        let each = sensors.iter().enumerate().filter_map(|(nth, sensor)| {
            // Without sensors at the grid, the first one is shown by default.
            let is_default = at_grid == 0 && nth == 0;
            let its = ChartSubject::Sensor(sensor.id.clone());
            let link = to(&sensor.name, its, is_default);
            // The only sensor at the grid is the same as the grid.
            let is_grid = at_grid == 1 && sensor.role.is_at_grid();
            (link.is_here || !is_grid).then_some((sensor, link))
        });
        (house.into_iter().chain(grid).collect(), each.collect())
    }

    pub(crate) fn period(&self, shown: &ShownRange, calendar: &RangeCalendar) -> PeriodLinks {
        let choice = self.view.range;
        PeriodLinks::of(RangeRules::CHART, (choice, shown), calendar, |choice| {
            self.to_range(choice)
        })
    }

    /// The intervals that split `range` into a readable number of bars.
    pub(crate) fn intervals(&self, range: &ShownRange, here: Interval) -> Vec<ViewLink> {
        if self.view.kind == ChartKind::Power {
            return Vec::new();
        }
        let fitting = INTERVALS.into_iter().filter(|(_, by)| {
            let count = bars(range, *by);
            // A single bar is no chart, but the current interval is always listed.
            *by == here || (2..=MAX_BARS).contains(&count)
        });
        let name = |by| match by {
            Interval::QuarterHour => self.language.say("chart-by-quarter"),
            Interval::Hour => self.language.say("chart-by-hour"),
            Interval::Day => self.language.say("chart-by-day"),
            Interval::Month => self.language.say("chart-by-month"),
            _ => self.language.say("chart-by-year"),
        };
        let to = |(_, by): (_, Interval)| {
            let view = View {
                by: Some(by),
                ..self.view.clone()
            };
            self.link(name(by), &view, by == here)
        };
        fitting.map(to).collect()
    }
}
