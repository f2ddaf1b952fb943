//! `/energy/hours`: the power, the cost or the price of each hour of a range, by days.

use std::collections::BTreeMap;

use askama::Template;

use super::page::EnergyRequest;
use super::range_links::RangeLinks;
use crate::chart::{HeatMap, Wording};
use crate::domain::words::words;
use crate::domain::{Account, Interval, LocalDate, TimeRange, Timestamp, Zone};
use crate::house::{DayPrices, EnergyBucket, EnergyColumn};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::range::{AskedAgainst, RangeRules, ShownRange};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit, figures};
use crate::http::wire::ApiError;
use crate::http::wire::params::one_of;
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "hours.html")]
struct HoursPage {
    layout: Layout,
    shown: HoursView,
}

/// The hours of a range.
struct HoursView {
    range: RangeLinks,
    /// The first and the last day, and the hidden fields of the form for others.
    typed: [String; 2],
    fields_of_form: Vec<(&'static str, String)>,
    /// Name and address of each quantity, and whether it is shown.
    kinds: Vec<(String, String, bool)>,
    /// The address of the energy of the range.
    back: String,
    /// The fields, and the pictures for wide, middle and narrow places.
    fields: String,
    pictures: [String; 3],
    /// The legend: the least value, the colours, and the greatest value; `None` if nothing is known.
    scale: Option<[String; 3]>,
    /// Each hour of the day: its mean, and its lowest and highest value with their days.
    rows: Vec<[String; 4]>,
}

/// The quantity of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HoursKind {
    #[default]
    Power,
    Cost,
    Price,
}

words! {
    HoursKind: Power "power", Cost "cost", Price "price";
    "power, cost or price"
}

/// The values of a day by the hour.
type Hours = [Option<f64>; 24];

/// The hours whose energy or prices are in memory together: a month. Prices may change each minute.
const HOURS_AT_ONCE: usize = 31 * 24;

/// The widths of the pictures.
const WIDTHS: [u16; 3] = [1_040, 620, 340];

impl HoursKind {
    /// The value of each hour. May block on disk reads.
    fn values(
        self,
        (store, account): (&Store, &Account),
        mut hours: Vec<EnergyBucket>,
        now: Timestamp,
    ) -> Result<Vec<(Timestamp, Option<f64>)>, StoreError> {
        let (column, at_once) = match self {
            // In an hour, watt-hours are the mean of the watts.
            Self::Power => (EnergyColumn::Used, HOURS_AT_ONCE),
            // A charge for the peak of a period needs all of it.
            Self::Cost => (EnergyColumn::Cost, hours.len().max(1)),
            Self::Price => return prices(store, account, &hours),
        };
        let mut values = Vec::with_capacity(hours.len());
        while !hours.is_empty() {
            let rest = hours.split_off(hours.len().min(at_once));
            let terms = (Interval::Hour, self == Self::Cost);
            let known = EnergyBucket::fill((store, account), hours, terms, now)?;
            let of = |hour: &EnergyBucket| hour.row.as_ref().and_then(|row| row.value(column));
            values.extend(known.iter().map(|hour| (hour.time.start(), of(hour))));
            hours = rest;
        }
        Ok(values)
    }

    /// The description of the picture for people who cannot see it.
    fn title(self, range: &str, language: &Language) -> String {
        let name = language.word("hours", HoursKind::as_str(self));
        let values = [("what", name.into()), ("range", range.into())];
        language.fill("hours-picture", values)
    }

    fn text(self, value: f64, currency: &str, language: &Language) -> String {
        match self {
            Self::Power => figures::power(value, language),
            Self::Cost => figures::money(value, currency, language),
            Self::Price => {
                let (unit, size) = figures::minor_unit(currency, language);
                figures::rounded_price(value * size, (size, unit), language)
            }
        }
    }
}

/// The mean price of one more kilowatt-hour in each hour.
fn prices(
    store: &Store,
    account: &Account,
    hours: &[EnergyBucket],
) -> Result<Vec<(Timestamp, Option<f64>)>, StoreError> {
    let mut prices = Vec::with_capacity(hours.len());
    for hours in hours.chunks(HOURS_AT_ONCE) {
        let ends = hours.first().zip(hours.last());
        let range = ends.and_then(|(from, to)| TimeRange::new(from.time.start(), to.time.end()));
        let known = range.map(|range| DayPrices::within(store, account, range));
        let known = known.transpose()?.flatten();
        let mean = |hour: &EnergyBucket| {
            let length_ms = hour.time.length_ms() + 1;
            known.as_ref()?.mean(hour.time.start(), length_ms)
        };
        prices.extend(hours.iter().map(|hour| (hour.time.start(), mean(hour))));
    }
    Ok(prices)
}

/// `GET /energy/hours`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let language = visit.language();
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.clone().ok_or(PageError::NotFound)?;
    let choice = RangeRules::HOURS.read(visit.query(), &account.zone)?;
    let kinds = HoursKind::ALL.map(|kind| (kind.as_str(), kind));
    let kind = one_of(visit.query(), "show", &kinds)?.unwrap_or_default();
    let requested = EnergyRequest::of(&visit, (account, scope), choice)?;
    let now = visit.app.counted_now();
    let shown = requested.calendar.shown(choice);
    let length_ms = shown.range.end.millis() - shown.range.start.millis();
    let account = requested.account.name.clone();
    let looking =
        move |store: &Store| HoursView::at(store, &requested, (&shown, kind), (now, language));
    let shown = visit.app.page(&account, Some(length_ms), looking).await?;
    let shown = shown.map_err(ApiError::from)?;
    Ok(ok(&HoursPage {
        layout: visit.layout(Tab::Energy),
        shown,
    }))
}

impl HoursView {
    /// Builds the view; may block on disk reads.
    fn at(
        store: &Store,
        requested: &EnergyRequest,
        (shown, kind): (&ShownRange, HoursKind),
        (now, language): (Timestamp, &'static Language),
    ) -> Result<Self, StoreError> {
        let EnergyRequest {
            account,
            choice,
            calendar,
            named,
            ..
        } = requested;
        let (start, wording) = (shown.range.start, calendar.wording());
        let hours = EnergyBucket::empty(account, &shown.range, Interval::Hour);
        let hours = kind.values((store, account), hours, now)?;
        let days = by_day(hours.into_iter(), kind, wording.zone);
        let registry = store.registry();
        let contracts = registry.contracts(&account.name);
        let currency = contracts.and_then(|contracts| contracts.currency());
        let has_prices = currency.is_some();
        let currency = currency.map_or("", |it| it.as_str());
        let text = |value| kind.text(value, currency, language);
        let title = kind.title(&shown.title, language);
        let values: Vec<Hours> = days.values().copied().collect();
        let end = shown.range.end.saturating_add_millis(-1);
        let map = HeatMap {
            title: &title,
            wording,
            range: TimeRange::new(start, end).unwrap_or(TimeRange::at(start)),
            days: &values,
        };
        let named = named.as_ref().map(ToString::to_string);
        let named = named.as_deref();
        let show = Some(kind.as_str()).filter(|_| kind != HoursKind::default());
        // Nothing is compared.
        let page = ("energy/hours", show, AskedAgainst::default());
        let here = choice.address("energy/hours", named, wording.zone);
        let known = |it: &HoursKind| has_prices || *it == HoursKind::Power;
        let kinds = HoursKind::ALL.into_iter().filter(known).map(|it| {
            let name = language.word("hours", HoursKind::as_str(it));
            (name, format!("{here}&show={}", it.as_str()), it == kind)
        });
        let known = values.iter().flatten().flatten().copied();
        let ends = known.fold(None, |ends: Option<(f64, f64)>, value| {
            let (least, most) = ends.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        });
        Ok(Self {
            range: RangeLinks::on(page, RangeRules::HOURS, (*choice, shown), (calendar, named)),
            typed: calendar.dates(&shown.range).map(|date| date.to_string()),
            fields_of_form: named
                .map(|name| ("account", name.to_owned()))
                .into_iter()
                .chain(show.map(|show| ("show", show.to_owned())))
                .collect(),
            kinds: kinds.collect(),
            back: choice.address("energy", named, wording.zone),
            fields: map.fields(),
            pictures: WIDTHS.map(|width| map.draw(width)),
            scale: ends.map(|(least, most)| [text(least), map.legend(), text(most)]),
            rows: (0..24)
                .filter_map(|hour| row(&days, hour, &text, wording))
                .collect(),
        })
    }
}

/// The hours of each day, by the account's clock.
fn by_day(
    hours: impl Iterator<Item = (Timestamp, Option<f64>)>,
    kind: HoursKind,
    zone: &Zone,
) -> BTreeMap<LocalDate, Hours> {
    let mut days = BTreeMap::new();
    for (at, value) in hours {
        let day: &mut Hours = days.entry(LocalDate::at(at, zone)).or_insert([None; 24]);
        let hour = zone.shown_at(at).millis_of_day() / Interval::Hour.length_ms();
        let field = usize::try_from(hour).ok();
        let field = field.and_then(|hour| day.get_mut(hour));
        if let (Some(field), Some(value)) = (field, value) {
            // Where clocks go back, an hour comes twice.
            *field = Some(match *field {
                Some(before) if kind == HoursKind::Cost => before + value,
                Some(before) => f64::midpoint(before, value),
                None => value,
            });
        }
    }
    days
}

/// An hour of the day: its mean, and its lowest and highest value with their days.
fn row(
    days: &BTreeMap<LocalDate, Hours>,
    hour: usize,
    text: &impl Fn(f64) -> String,
    wording: Wording<'_>,
) -> Option<[String; 4]> {
    let known = days.iter();
    let known = known.filter_map(|(day, all)| Some((day, (*all.get(hour)?)?)));
    let known: Vec<(&LocalDate, f64)> = known.collect();
    let least = known.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let most = known.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let count = u32::try_from(known.len()).map_or(1.0, f64::from);
    let mean = known.iter().map(|(_, value)| value / count).sum();
    let end = |(day, value): &(&LocalDate, f64)| {
        let day = wording.date(day.start(wording.zone));
        format!("{} ({day})", text(*value))
    };
    Some([format!("{hour}:00"), text(mean), end(least), end(most)])
}
