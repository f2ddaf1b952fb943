//! The price of a kilowatt-hour today and tomorrow, as a picture and as a table.

use std::collections::BTreeMap;

use crate::chart::{Figure, Look, Picture, PictureSize, PriceBar, PriceChart, Wording};
use crate::domain::{LocalDate, TimeRange, Timestamp};
use crate::house::{CheapestQuestion, DayPrices, PriceStep};
use crate::http::pages::frame::figures;

/// The prices of an account whose contract has hourly prices.
pub(super) struct DayPricesView {
    /// The picture in [`PictureSize::BESIDE`]; its texts are escaped.
    pub(super) pictures: [String; 4],
    /// The key figures: the price now, the lowest and the highest price ahead, and the cheapest
    /// hours.
    pub(super) figures: Vec<Figure>,
    /// The unit of the prices in the rows.
    pub(super) unit: String,
    /// Each time, and its price.
    pub(super) rows: Vec<(String, String)>,
    /// The range in milliseconds since 1970.
    pub(super) ends: [i64; 2],
}

/// Where each price is between the lowest and the highest one of its day, from 0 to 1.
fn level_within_the_day(known: &DayPrices, wording: Wording<'_>) -> impl Fn(&PriceStep) -> f64 {
    let zone = wording.zone.clone();
    let mut days: BTreeMap<LocalDate, (f64, f64)> = BTreeMap::new();
    for step in &known.prices {
        let price = step.price.to_f64();
        let (least, most) = days
            .entry(LocalDate::at(step.from, &zone))
            .or_insert((price, price));
        (*least, *most) = (least.min(price), most.max(price));
    }
    move |step| {
        let ends = days.get(&LocalDate::at(step.from, &zone));
        let (least, most) = ends.copied().unwrap_or_default();
        let span = most - least;
        if span > 0.0 {
            (step.price.to_f64() - least) / span
        } else {
            0.5
        }
    }
}

impl DayPricesView {
    pub(super) fn of(known: &DayPrices, wording: Wording<'_>, now: Timestamp) -> Self {
        let shown = ShownPrices::of(known, wording);
        let figures = shown.figures(now);
        let rows = known.prices.iter().map(|step| {
            let price = shown.text(step.price.to_f64(), "");
            (shown.name(step), price.trim_end().to_owned())
        });
        let bars = shown.bars();
        let cheapest = known.usual_cheapest(now, wording.zone);
        let cheapest = cheapest.and_then(|it| TimeRange::new(it.start()?, it.end()?));
        let draw = |size| {
            let picture = Picture {
                name: shown.minor,
                wording,
                range: known.range,
                size,
                look: Look::Inline,
                links: &[],
            };
            let (bars, figures) = (bars.as_slice(), figures.as_slice());
            PriceChart {
                picture,
                bars,
                figures,
                now,
                cheapest,
            }
            .draw()
        };
        Self {
            pictures: PictureSize::BESIDE.map(draw),
            ends: [known.range.start().millis(), known.range.end().millis()],
            rows: rows.collect(),
            figures,
            unit: shown.unit,
        }
    }
}

/// Prices and their wording.
pub(super) struct ShownPrices<'a> {
    pub(super) known: &'a DayPrices,
    pub(super) wording: Wording<'a>,
    /// The unit for people, such as `ct`, and how many make one of the currency.
    pub(super) minor: &'a str,
    pub(super) size: f64,
    /// The same for a kilowatt-hour.
    unit: String,
}

impl<'a> ShownPrices<'a> {
    pub(super) fn of(known: &'a DayPrices, wording: Wording<'a>) -> Self {
        let (minor, size) = figures::minor_unit(known.currency.as_str(), wording.language);
        Self {
            known,
            wording,
            minor,
            size,
            unit: figures::per_kwh(minor),
        }
    }

    /// A price in the currency as text.
    pub(super) fn text(&self, price: f64, unit: &str) -> String {
        figures::rounded_price(price * self.size, (self.size, unit), self.wording.language)
    }

    fn price(&self, step: &PriceStep) -> String {
        self.text(step.price.to_f64(), &self.unit)
    }

    /// The times of a step.
    fn name(&self, step: &PriceStep) -> String {
        let from = self.wording.moment(step.from);
        format!("{from} \u{2013} {}", self.wording.clock(step.to))
    }

    fn figures(&self, now: Timestamp) -> Vec<Figure> {
        let (known, language) = (self.known, self.wording.language);
        let figure = |label: String, step: &PriceStep, is_timed: bool| Figure {
            label,
            value: self.price(step),
            time: is_timed.then(|| self.name(step)),
        };
        let ahead = || known.prices.iter().filter(|step| now < step.to);
        let by_price = |step: &&PriceStep| step.price;
        let present = known.at(now);
        // The first of the lowest prices is the next opportunity.
        let [least, most] = [ahead().min_by_key(by_price), ahead().max_by_key(by_price)];
        let cheapest = known.usual_cheapest(now, self.wording.zone);
        let cheapest = cheapest.map(|it| Figure {
            label: language.fill(
                "prices-cheapest",
                [("hours", CheapestQuestion::HOURS.into())],
            ),
            value: self.text(it.mean.to_f64(), &self.unit),
            time: it.pieces.first().map(|piece| self.name(piece)),
        });
        let all = [
            present.map(|step| figure(language.say("prices-now"), step, false)),
            least.map(|step| figure(language.say("prices-least"), step, true)),
            most.map(|step| figure(language.say("prices-most"), step, true)),
            cheapest,
        ];
        all.into_iter().flatten().collect()
    }

    fn bars(&self) -> Vec<PriceBar> {
        let level = level_within_the_day(self.known, self.wording);
        let bars = self.known.prices.iter().filter_map(|step| {
            let last = step.to.saturating_add_millis(-1);
            Some(PriceBar {
                time: TimeRange::new(step.from, last)?,
                price: step.price.to_f64() * self.size,
                level: level(step),
                words: format!("{}: {}", self.name(step), self.price(step)),
            })
        });
        bars.collect()
    }
}
