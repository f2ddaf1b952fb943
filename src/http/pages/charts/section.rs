//! A chart in a page: the picture, the figures beside it, and the links to other views.

use crate::chart::{Chart, ChartKind, Figure, Look, Picture, PictureSize};
use crate::domain::{Account, Role, Sensor, Timestamp};
use crate::http::pages::charts::links::{ChartPage, ViewLink, ViewLinks};
use crate::http::pages::charts::selection::{Selection, WIDE};
use crate::http::pages::charts::view::View;
use crate::http::pages::frame::{PageError, figures};
use crate::http::wire::ApiError;
use crate::store::Store;

/// A chart, for `chart_section.html`.
pub(crate) struct ChartSection {
    /// The sensor's name, or that of the house.
    pub(crate) name: String,
    pub(crate) kind: ChartKind,
    /// The name of the range.
    pub(crate) title: String,
    /// The range in milliseconds since 1970.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// The picture, for wide windows and for narrow ones; its texts are escaped.
    pub(crate) pictures: [String; 2],
    pub(crate) figures: Vec<Figure>,
    pub(crate) kinds: Vec<ViewLink>,
    pub(crate) subjects: Vec<ViewLink>,
    pub(crate) ranges: Vec<ViewLink>,
    pub(crate) intervals: Vec<ViewLink>,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// The address of the same data as CSV.
    pub(crate) csv: String,
    /// The address of the chart on a page of its own; `None` on that page.
    pub(crate) alone: Option<String>,
}

/// Width and height of a picture for narrow windows, in pixels.
const NARROW: (u16, u16) = (340, 260);

/// The chart of a view, as `page` shows it; `None` if there are no sensors. Blocks on the disk.
///
/// # Errors
/// As [`Selection::of`].
pub(crate) fn section(
    store: &Store,
    account: &Account,
    sensors: &[Sensor],
    (view, page): (&View, ChartPage),
    now: Timestamp,
) -> Result<Option<ChartSection>, PageError> {
    let zone = &account.zone;
    let Some(selection) = Selection::of(store, sensors, view, (zone, now))? else {
        return Ok(None);
    };
    let data = selection.data(view.kind, &selection.group(store, zone));
    let data = data.map_err(ApiError::from)?;
    let Selection { name, range, .. } = selection;
    let [wide, narrow] = [WIDE, NARROW].map(|(width, height)| Chart {
        picture: Picture {
            name: &name,
            zone,
            range: range.of_energy(),
            size: PictureSize::new(width, height).unwrap_or_default(),
            look: Look::Inline,
        },
        data: &data,
    });
    let mut figures = wide.figures();
    // The API knows no prices, so only pages show the cost.
    figures.extend(cost(account, &selection.sensors, data.watthours()));
    let links = ViewLinks { view, zone, page };
    Ok(Some(ChartSection {
        pictures: [wide.draw(), narrow.draw()],
        figures,
        kinds: links.kinds(),
        subjects: links.subjects(sensors),
        ranges: links.ranges(),
        intervals: links.intervals(&range, selection.interval),
        before: range.before.map(|choice| links.to_range(choice)),
        after: range.after.map(|choice| links.to_range(choice)),
        csv: format!("/chart.csv{}", view.query_string(zone)),
        alone: (page == ChartPage::Dashboard).then(|| format!("/chart{}", view.query_string(zone))),
        kind: view.kind,
        from: range.from.millis(),
        to: range.to.millis(),
        title: range.title,
        name,
    }))
}

/// What the energy costs, if it is bought: if all sensors are at the grid.
fn cost(account: &Account, sensors: &[Sensor], watthours: Option<f64>) -> Option<Figure> {
    let is_bought = sensors.iter().all(|sensor| sensor.role == Role::Grid);
    let price = account.price.as_ref().filter(|_| is_bought)?;
    Some(Figure {
        label: "Cost",
        value: figures::money(price.of(watthours?), price.currency()),
        time: None,
    })
}
