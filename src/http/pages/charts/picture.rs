//! A chart in a page: the picture, the figures of what is shown, and the ways to other views.

use crate::chart::{EnergyChart, Figure, Look, Picture, PowerChart, Size};
use crate::domain::account::Account;
use crate::domain::calendar::Zone;
use crate::domain::interval::Interval;
use crate::domain::role::Role;
use crate::domain::sensor::Sensor;
use crate::domain::time::Timestamp;
use crate::house::{Courses, first_reading};
use crate::http::pages::charts::span::{Asked, Span, Unit};
use crate::http::pages::charts::view::{INTERVALS, Kind, View};
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::figures;
use crate::http::wire::error::ApiError;
use crate::store::{Store, StoreError};

/// A chart, for `chart_section.html`.
pub(crate) struct Section {
    /// What it is of.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// What the range is called.
    pub(crate) title: String,
    /// The range in milliseconds since 1970.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// The picture, for wide windows and for narrow ones; made here, of escaped text.
    pub(crate) pictures: [String; 2],
    pub(crate) figures: Vec<Figure>,
    pub(crate) kinds: Vec<Way>,
    pub(crate) subjects: Vec<Way>,
    pub(crate) ranges: Vec<Way>,
    pub(crate) intervals: Vec<Way>,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// Where what is shown is to be had as CSV.
    pub(crate) csv: String,
    /// The same on a page of its own; none where it is on that.
    pub(crate) alone: Option<String>,
}

/// A link to another view.
pub(crate) struct Way {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) is_here: bool,
}

/// What a view is of.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) sensors: Vec<Sensor>,
}

/// The columns of a picture of power.
pub(crate) const COLUMNS: u32 = 400;
/// The most bars of a picture of energy.
const MOST_BARS: i64 = 800;
/// The most resets that are marked.
const MOST_RESETS: usize = 100;
/// Widths and heights of pictures, in pixels.
const SIZES: [(u16, u16); 2] = [(1_040, 340), (340, 260)];
const MS_PER_HOUR: i64 = 3_600_000;

impl Subject {
    /// What `view` is of: a sensor, or the sum of those at the grid. Where there are none the first of `sensors`. `None` where
    /// there are no sensors at all.
    ///
    /// # Errors
    /// [`PageError::NotFound`] where the sensor is none of `sensors`.
    pub(crate) fn of(view: &View, sensors: &[Sensor]) -> Result<Option<Self>, PageError> {
        let alone = |sensor: &Sensor| Self {
            name: sensor.name.clone(),
            sensors: vec![sensor.clone()],
        };
        if let Some(id) = &view.sensor {
            let sensor = sensors.iter().find(|sensor| sensor.id == *id);
            return sensor.map(alone).map(Some).ok_or(PageError::NotFound);
        }
        let at_grid = sensors.iter().filter(|sensor| sensor.role == Role::Grid);
        let at_grid: Vec<Sensor> = at_grid.cloned().collect();
        if at_grid.is_empty() {
            return Ok(sensors.first().map(alone));
        }
        Ok(Some(Self {
            name: "House".into(),
            sensors: at_grid,
        }))
    }
}

/// The range of a view, and of energy the interval of its bars. Blocks on the disk.
///
/// # Errors
/// [`ApiError::InvalidField`] for an interval that makes too many bars; [`ApiError::StorageUnavailable`].
pub(crate) fn span_of(
    store: &Store,
    subject: &Subject,
    view: &View,
    (zone, now): (&Zone, Timestamp),
) -> Result<(Span, Interval), ApiError> {
    let first = match view.asked {
        Asked::All => first_reading(store, &subject.sensors)?,
        _ => None,
    };
    let span = view.asked.span(now, first, zone);
    if view.kind == Kind::Power {
        return Ok((span, Interval::Hour));
    }
    let [(width, _), _] = SIZES;
    let interval = match view.by {
        Some(by) if bars(&span, by) <= MOST_BARS => by,
        Some(_) => {
            return Err(ApiError::InvalidField {
                name: "by".into(),
                problem: format!(
                    "expected an interval that divides the range into at most {MOST_BARS} bars"
                ),
            });
        }
        None => EnergyChart::interval_for(span.of_energy(), width),
    };
    Ok((span.in_whole(interval, zone), interval))
}

/// How many bars a range has, or a few more.
fn bars(span: &Span, by: Interval) -> i64 {
    let hours = match by {
        Interval::Hour => 1,
        Interval::Day => 23,
        Interval::Month => 28 * 24,
        _ => 365 * 24,
    };
    (span.to.millis() - span.from.millis()) / (hours * MS_PER_HOUR)
}

/// The chart of a view on the page at `page`. Blocks on the disk. `None` where there are no sensors.
///
/// # Errors
/// [`PageError::NotFound`] for a sensor that is none of these; as [`span_of`].
pub(crate) fn section(
    store: &Store,
    account: &Account,
    sensors: &[Sensor],
    (view, page): (&View, Page),
    now: Timestamp,
) -> Result<Option<Section>, PageError> {
    let Some(subject) = Subject::of(view, sensors)? else {
        return Ok(None);
    };
    let zone = &account.zone;
    let (span, interval) = span_of(store, &subject, view, (zone, now))?;
    let courses = Courses {
        store,
        sensors: &subject.sensors,
        zone,
    };
    let drawing = Drawing {
        account,
        subject: &subject,
        span: &span,
    };
    let (pictures, figures) = match view.kind {
        Kind::Power => drawing.power(&courses)?,
        Kind::Energy => drawing.energy(&courses, interval)?,
    };
    let ways = Ways { view, zone, page };
    Ok(Some(Section {
        pictures,
        figures,
        kinds: ways.kinds(),
        subjects: ways.subjects(sensors),
        ranges: ways.ranges(),
        intervals: ways.intervals(&span, interval),
        before: span.before.map(|asked| ways.to_range(asked)),
        after: span.after.map(|asked| ways.to_range(asked)),
        csv: format!("/chart.csv{}", view.query_string(zone)),
        alone: (page == Page::Dashboard).then(|| format!("/chart{}", view.query_string(zone))),
        name: subject.name,
        kind: view.kind,
        from: span.from.millis(),
        to: span.to.millis(),
        title: span.title,
    }))
}

/// The pages that have a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Dashboard,
    Chart,
}

struct Drawing<'a> {
    account: &'a Account,
    subject: &'a Subject,
    span: &'a Span,
}

type Drawn = ([String; 2], Vec<Figure>);

impl Drawing<'_> {
    fn power(&self, courses: &Courses<'_>) -> Result<Drawn, StoreError> {
        let power = courses.power(self.span.of_power(), COLUMNS)?;
        let watthours = courses.energy(self.span.of_energy())?;
        let charts = self.pictures().map(|picture| PowerChart {
            picture,
            power: power.as_ref(),
            watthours,
        });
        let [wide, _] = &charts;
        let figures = self.with_cost(wide.figures(), watthours);
        Ok((charts.map(|chart| chart.draw()), figures))
    }

    fn energy(&self, courses: &Courses<'_>, interval: Interval) -> Result<Drawn, StoreError> {
        let bars = courses.energy_by(self.span.of_energy(), interval)?;
        let resets = courses.resets(self.span.of_energy(), MOST_RESETS)?;
        let charts = self.pictures().map(|picture| EnergyChart {
            picture,
            interval,
            bars: &bars,
            resets: &resets,
        });
        let sum = bars.iter().map(|bar| bar.value).reduce(|a, b| a + b);
        let [wide, _] = &charts;
        let figures = self.with_cost(wide.figures(), sum);
        Ok((charts.map(|chart| chart.draw()), figures))
    }

    fn pictures(&self) -> [Picture<'_>; 2] {
        SIZES.map(|(width, height)| Picture {
            name: &self.subject.name,
            zone: &self.account.zone,
            range: self.span.of_energy(),
            size: Size::new(width, height).unwrap_or_default(),
            look: Look::Inline,
        })
    }

    /// The figures of a chart, and what its energy costs, where it is bought: at the grid.
    fn with_cost(&self, mut figures: Vec<Figure>, watthours: Option<f64>) -> Vec<Figure> {
        let mut sensors = self.subject.sensors.iter();
        let is_bought = sensors.all(|sensor| sensor.role == Role::Grid);
        let price = self.account.price.as_ref().filter(|_| is_bought);
        figures.extend(watthours.zip(price).map(|(watthours, price)| Figure {
            label: "Cost",
            value: figures::money(price.of(watthours), price.currency()),
            time: None,
        }));
        figures
    }
}

/// The ways from a view to others.
struct Ways<'a> {
    view: &'a View,
    zone: &'a Zone,
    page: Page,
}

impl Ways<'_> {
    fn to(&self, view: &View) -> String {
        let query = view.query_string(self.zone);
        match self.page {
            Page::Dashboard => format!("/{query}#chart"),
            Page::Chart => format!("/chart{query}"),
        }
    }

    fn way(&self, name: impl Into<String>, view: &View) -> Way {
        Way {
            name: name.into(),
            address: self.to(view),
            is_here: view == self.view,
        }
    }

    fn to_range(&self, asked: Asked) -> String {
        self.to(&self.view.with_range(asked))
    }

    fn kinds(&self) -> Vec<Way> {
        let to = |kind: Kind| {
            let view = View {
                kind,
                by: None,
                ..self.view.clone()
            };
            Way {
                is_here: kind == self.view.kind,
                ..self.way(kind.name(), &view)
            }
        };
        Kind::ALL.map(to).into()
    }

    fn subjects(&self, sensors: &[Sensor]) -> Vec<Way> {
        let to = |name: &str, sensor| {
            let view = View {
                sensor,
                ..self.view.clone()
            };
            self.way(name, &view)
        };
        let has_house = sensors.iter().any(|sensor| sensor.role == Role::Grid);
        let house = has_house.then(|| to("House", None));
        let first = self.view.sensor.is_none() && !has_house;
        let is_house = |sensor: &Sensor| sensor.role == Role::Grid;
        let is_alone = sensors.iter().filter(|it| is_house(it)).count() == 1;
        let each = sensors.iter().enumerate().filter_map(|(nth, sensor)| {
            let way = to(&sensor.name, Some(sensor.id.clone()));
            let is_here = way.is_here || (first && nth == 0);
            // The only one at the grid is the house.
            let is_needed = is_here || !(is_alone && is_house(sensor));
            is_needed.then_some(Way { is_here, ..way })
        });
        house.into_iter().chain(each).collect()
    }

    fn ranges(&self) -> Vec<Way> {
        let at = self.view.asked.at();
        let units = Unit::ALL.map(|unit| (unit.title(), Asked::Unit(unit, at)));
        let [hour, day, week, month, year] = units;
        let all = [
            ("24 hours", Asked::LastDay),
            hour,
            day,
            week,
            month,
            year,
            ("All", Asked::All),
        ];
        let to = |(name, asked): (&str, Asked)| {
            let is_here = match (asked, self.view.asked) {
                (Asked::Unit(unit, _), Asked::Unit(here, _)) => unit == here,
                (asked, here) => asked == here,
            };
            Way {
                is_here,
                ..self.way(name, &self.view.with_range(asked))
            }
        };
        all.map(to).into()
    }

    /// Those that make a readable number of bars.
    fn intervals(&self, span: &Span, here: Interval) -> Vec<Way> {
        if self.view.kind == Kind::Power {
            return Vec::new();
        }
        let fitting = INTERVALS.into_iter().filter(|(_, by)| {
            let count = bars(span, *by);
            *by == here || (2..=MOST_BARS).contains(&count)
        });
        let to = |(word, by): (&str, Interval)| {
            let view = View {
                by: Some(by),
                ..self.view.clone()
            };
            Way {
                is_here: by == here,
                ..self.way(format!("By {word}"), &view)
            }
        };
        fitting.map(to).collect()
    }
}
