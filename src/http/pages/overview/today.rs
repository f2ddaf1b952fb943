//! Today on the dashboard: its hours by source, with the price of each hour, the present moment and
//! the cheapest hours.

use super::day_prices::ShownPrices;
use crate::chart::{
    DayMarks, Figure, FlowBar, FlowChart, Look, Picture, PictureSize, PriceMark, Wording,
};
use crate::domain::{Account, Calendar, Interval, TimeRange, Timestamp};
use crate::house::{CheapestQuestion, DayPrices, EnergyBucket, PriceStep};
use crate::http::pages::energy::flow_words::FlowWords;

/// The hours of today.
pub(super) struct TodayView {
    /// The picture in [`PictureSize::OF_TODAY`]; its texts are escaped.
    pub(super) pictures: [String; 3],
    /// The legend of the picture: class, name and sum.
    pub(super) legend: Vec<(&'static str, String, String)>,
    /// Whether the picture has prices.
    pub(super) has_prices: bool,
    /// The number of cheapest hours that are looked for, and when they are: today, then tomorrow.
    pub(super) cheapest: Option<(String, Vec<String>)>,
    /// The range in milliseconds since 1970.
    pub(super) ends: [i64; 2],
}

impl TodayView {
    /// `prices` are those of today and, as far as they are known, of tomorrow.
    pub(super) fn of(
        hours: &[EnergyBucket],
        prices: Option<&DayPrices>,
        account: &Account,
        (wording, now): (Wording<'_>, Timestamp),
    ) -> Self {
        let day = Calendar::new(account.zone.clone(), Interval::Day).bucket(now);
        let words = FlowWords {
            wording,
            interval: Interval::Hour,
        };
        // A price that never changes is no line.
        let prices = prices.filter(|known| {
            let mut all = known.prices.iter().map(|step| step.price);
            let first = all.next();
            all.any(|price| Some(price) != first)
        });
        let shown = prices.map(|known| ShownPrices::of(known, wording));
        let known = hours.iter().filter(|hour| hour.row.is_some());
        let bars: Vec<FlowBar> = known.map(|hour| words.bar(hour, None)).collect();
        let legend = words.legend(hours);
        let figures = legend.iter().map(|(_, label, value)| Figure {
            label: label.clone(),
            value: value.clone(),
            time: None,
        });
        let figures: Vec<Figure> = figures.collect();
        let marks = shown.as_ref().map(|shown| marks(shown, day));
        let midnight = day.end().saturating_add_millis(1);
        let rest = prices.and_then(|known| known.usual_cheapest_within(now..midnight));
        let rest = rest.and_then(|it| TimeRange::new(it.start()?, it.end()?));
        let name = wording.language.say("dashboard-house");
        let draw = |size| {
            let picture = Picture {
                name: &name,
                wording,
                range: day,
                size,
                look: Look::Inline,
                links: &[],
            };
            let chart = FlowChart {
                picture,
                interval: Interval::Hour,
                bars: &bars,
                figures: &figures,
                day: Some(DayMarks {
                    prices: marks.as_deref().unwrap_or_default(),
                    now,
                    cheapest: rest,
                }),
            };
            chart.draw()
        };
        Self {
            pictures: PictureSize::OF_TODAY.map(draw),
            has_prices: shown.is_some(),
            cheapest: shown.as_ref().map(|shown| cheapest(shown, account, now)),
            ends: [day.start().millis(), midnight.millis()],
            legend,
        }
    }
}

/// The prices of a day, with words at the first of the lowest and of the highest ones.
fn marks(shown: &ShownPrices<'_>, day: TimeRange) -> Vec<PriceMark> {
    let of_day = shown.known.prices.iter().filter_map(|step| {
        let last = step.to.saturating_add_millis(-1);
        let time = TimeRange::new(step.from.max(day.start()), last.min(day.end()))?;
        Some((step, time))
    });
    let of_day: Vec<(&PriceStep, TimeRange)> = of_day.collect();
    let ends = [
        of_day.iter().min_by_key(|(step, _)| step.price),
        // The first one of several, as of the lowest ones.
        of_day.iter().rev().max_by_key(|(step, _)| step.price),
    ];
    let ends = ends.map(|it| it.map(|(step, _)| step.from));
    let mark = |(step, time): &(&PriceStep, TimeRange)| PriceMark {
        time: *time,
        price: step.price.to_f64() * shown.size,
        label: ends
            .contains(&Some(step.from))
            .then(|| shown.text(step.price.to_f64(), shown.minor)),
    };
    of_day.iter().map(mark).collect()
}

/// When the usual hours are cheapest: for the rest of today, and tomorrow.
fn cheapest(shown: &ShownPrices<'_>, account: &Account, now: Timestamp) -> (String, Vec<String>) {
    let language = shown.wording.language;
    let mut days = Calendar::new(account.zone.clone(), Interval::Day);
    let midnight = days.bucket(now).end().saturating_add_millis(1);
    let next = days.bucket(midnight).end().saturating_add_millis(1);
    let of_day = |range| {
        let found = shown.known.usual_cheapest_within(range)?;
        let (from, to) = (found.start()?, found.end()?);
        let clock = |time| shown.wording.clock(time);
        let time = format!("{}\u{2013}{}", clock(from), clock(to));
        Some((time, shown.text(found.mean.to_f64(), shown.minor)))
    };
    let values = |(time, price): (String, String)| [("time", time.into()), ("price", price.into())];
    let today = of_day(now..midnight).map(|it| language.fill("today-cheapest", values(it)));
    // All of the prices of that day are needed for an answer.
    let is_known = shown.known.prices.last().is_some_and(|it| it.to >= next);
    let tomorrow = if is_known {
        of_day(midnight..next).map(|it| language.fill("today-cheapest-tomorrow", values(it)))
    } else {
        Some(language.say("today-no-prices-tomorrow"))
    };
    let hours = [("hours", CheapestQuestion::HOURS.into())];
    let title = language.fill("today-cheapest-hours", hours);
    (title, today.into_iter().chain(tomorrow).collect())
}
