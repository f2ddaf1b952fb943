//! A chart in a page: the picture, the figures beside it, and the links to other views.

use crate::chart::{Chart, ChartData, ChartKind, Figure, Look, Picture, PictureSize, Wording};
use crate::domain::{Account, Role, Sensor, Timestamp};
use crate::house::{HousePrices, HouseSensors, SensorGroup};
use crate::http::pages::charts::links::{ChartPage, ViewLink, ViewLinks};
use crate::http::pages::charts::selection::Selection;
use crate::http::pages::charts::sources::Sources;
use crate::http::pages::charts::view::{ChartSubject, View};
use crate::http::pages::frame::range::{PeriodLinks, RangeCalendar};
use crate::http::pages::frame::{PageError, figures};
use crate::http::wire::ApiError;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The content of `chart_section.html`.
pub(crate) struct ChartSection {
    /// The sensor's name, `Grid` or `House`.
    pub(crate) name: String,
    pub(crate) kind: ChartKind,
    pub(crate) period: PeriodLinks,
    /// Its first and its last day.
    pub(crate) days: [String; 2],
    /// The form for other days: its address and hidden fields.
    pub(crate) days_form: (&'static str, Vec<(&'static str, String)>),
    /// The range in milliseconds since 1970.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// The subject, which determines the colour: the role of the sensor, or `house`.
    pub(crate) of: &'static str,
    /// The picture in [`PictureSize::OF_PAGE`]; its texts are escaped.
    pub(crate) pictures: [String; 4],
    pub(crate) figures: Vec<Figure>,
    pub(crate) kinds: Vec<ViewLink>,
    pub(crate) sources: Sources,
    /// The lines of further sensors.
    pub(crate) beside: Vec<Beside>,
    pub(crate) intervals: Vec<ViewLink>,
    /// If nothing was measured recently: the time of the newest reading, and the address of the
    /// range around it.
    pub(crate) newest: Option<(String, String)>,
    /// The address of the same data as CSV.
    pub(crate) csv: String,
    /// The same for spreadsheets.
    pub(crate) spreadsheet: String,
    /// The address of the chart on a page of its own; `None` on that page.
    pub(crate) alone: Option<String>,
}

/// The line of a further sensor.
pub(crate) struct Beside {
    pub(crate) name: String,
    /// How it is drawn, as SVG.
    pub(crate) sample: String,
    /// Its mean power, or its energy.
    pub(crate) value: String,
}

impl Beside {
    /// The lines that the view asks for, with their data. May block on disk reads.
    fn all(
        store: &Store,
        sensors: &[Sensor],
        selection: &Selection,
    ) -> Result<Vec<(ChartData, Self)>, StoreError> {
        let (calendar, view) = (&selection.calendar, &selection.view);
        let Wording { zone, language } = calendar.wording();
        let asked = view
            .with
            .iter()
            .filter(|id| !matches!(&view.subject, ChartSubject::Sensor(own) if own == *id));
        // One that was removed meanwhile is not drawn.
        let asked = asked.filter_map(|id| sensors.iter().find(|it| it.id == *id));
        let one = |(nth, sensor): (usize, &Sensor)| {
            let house = HouseSensors::these(store, std::iter::once(sensor), calendar.now())?;
            let group = SensorGroup {
                store,
                house: &house,
                zone,
            };
            let data = selection.data(view.kind, &group)?;
            let value = match &data {
                ChartData::Power { power, .. } => {
                    power.as_ref().map(|it| figures::power(it.mean, language))
                }
                ChartData::Energy { bars, .. } => {
                    let sum = bars.iter().map(|bar| bar.watthours).sum();
                    (!bars.is_empty()).then(|| figures::energy(sum, language))
                }
            };
            let beside = Self {
                name: sensor.name.clone(),
                sample: Chart::sample(nth),
                value: value.unwrap_or_else(|| figures::UNKNOWN.into()),
            };
            Ok((data, beside))
        };
        asked.enumerate().map(one).collect()
    }
}

impl ChartSection {
    /// The quantity and the subject of the chart, as a heading.
    pub(crate) fn heading(&self, language: &Language) -> String {
        let values = [("name", self.name.as_str().into())];
        match self.kind {
            ChartKind::Power => language.fill("chart-heading-power", values),
            ChartKind::Energy => language.fill("chart-heading-energy", values),
        }
    }
}

/// The subject, which determines the colour: the role of the only sensor, `house`, or the common
/// role of several sensors at the grid.
fn kind_of(selection: &Selection) -> &'static str {
    match selection.house.sensors.as_slice() {
        [it] => it.sensor.role.as_str(),
        _ if selection.view.subject == ChartSubject::House => "house",
        _ => Role::Grid.as_str(),
    }
}

/// The chart of a view, as `page` shows it; `None` without sensors. May block on disk reads.
///
/// # Errors
/// As [`Selection::of`].
pub(crate) fn section(
    store: &Store,
    account: &Account,
    sensors: &[Sensor],
    (view, page, language): (&View, ChartPage, &'static Language),
    now: Timestamp,
) -> Result<Option<ChartSection>, PageError> {
    let zone = &account.zone;
    let calendar = RangeCalendar::new(zone, language, now);
    let Some(selection) = Selection::of(store, sensors, view, calendar)? else {
        return Ok(None);
    };
    let group = selection.group(store, zone);
    let data = selection.data(view.kind, &group).map_err(ApiError::from)?;
    let (name, range, view) = (&selection.name, &selection.range, &selection.view);
    let links = ViewLinks {
        view,
        zone,
        page,
        language,
    };
    let beside = Beside::all(store, sensors, &selection).map_err(ApiError::from)?;
    let (others, beside): (Vec<ChartData>, Vec<Beside>) = beside.into_iter().unzip();
    let (bar_links, wording) = (links.of_bars(&data), Wording::new(zone, language));
    let sizes = match page {
        ChartPage::Dashboard => PictureSize::OF_DASHBOARD,
        ChartPage::Alone => PictureSize::OF_PAGE,
    };
    let charts = sizes.map(|size| Chart {
        picture: Picture {
            name,
            wording,
            range: range.of_energy(),
            size,
            look: Look::Inline,
            links: &bar_links,
        },
        data: &data,
        beside: &others,
    });
    let figures = charts.first().map(Chart::figures).unwrap_or_default();
    // `/chart.svg` shows no cost: only pages do.
    let cost = cost(store, account, &selection).map_err(ApiError::from)?;
    Ok(Some(ChartSection {
        of: kind_of(&selection),
        pictures: charts.map(|chart| chart.draw()),
        figures: figures.into_iter().chain(cost).collect(),
        kinds: links.kinds(),
        sources: Sources::of(&links, sensors),
        beside,
        period: links.period(range, &selection.calendar),
        days: selection
            .calendar
            .dates(&range.range)
            .map(|date| date.to_string()),
        days_form: links.days_form(),
        intervals: links.intervals(range, range.interval),
        newest: selection
            .newest
            .map(|time| (wording.moment(time), links.to_range(view.range))),
        csv: format!("chart.csv{}", view.query_string(zone)),
        spreadsheet: format!("chart-spreadsheet.csv{}", view.query_string(zone)),
        alone: (page == ChartPage::Dashboard).then(|| links.alone()),
        kind: view.kind,
        from: range.range.start.millis(),
        to: range.range.end.millis(),
        name: name.clone(),
    }))
}

/// The cost of the energy if it is bought, that is, if all sensors are at the grid.
fn cost(
    store: &Store,
    account: &Account,
    selection: &Selection,
) -> Result<Option<Figure>, StoreError> {
    let (house, range) = (&selection.house, selection.range.of_energy());
    // Includes fixed charges, which no single sensor has.
    let of_house = selection.view.subject == ChartSubject::Grid;
    let is_bought = house.sensors.iter().all(|it| it.sensor.role.is_at_grid());
    let so_far = range.start()..range.end().min(selection.calendar.now()).max(range.start());
    let prices = HousePrices::of(store, account, so_far);
    let Some(currency) = prices.currency().filter(|_| is_bought) else {
        return Ok(None);
    };
    // The price of one sensor depends on the whole house, and so does that of a house with named
    // sensors.
    let needs_whole = !of_house || prices.has_named();
    let whole = || HouseSensors::of(store, &account.name, selection.calendar.now());
    let whole = needs_whole.then(whole).transpose()?;
    let sensor = house.sensors.first().filter(|_| !of_house);
    let sensor = sensor.map(|it| &it.sensor.id);
    let balance = prices.balance(store, whole.as_ref().unwrap_or(house), sensor)?;
    let language = selection.calendar.wording().language;
    Ok(balance.map(|amount| Figure {
        label: language.say("chart-cost"),
        value: figures::money(amount.to_f64(), currency.as_str(), language),
        time: None,
    }))
}
