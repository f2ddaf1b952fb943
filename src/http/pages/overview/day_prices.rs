//! The price of a kilowatt-hour today and tomorrow, as a picture and as a table.

use crate::chart::{Figure, Look, Picture, PictureSize, PriceBar, PriceChart, Wording};
use crate::domain::{Account, TimeRange, Timestamp};
use crate::house::{DayPrices, PriceStep};
use crate::http::pages::frame::figures;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The prices of an account whose contract has hourly prices.
pub(super) struct DayPricesView {
    /// The picture in [`PictureSize::BESIDE`]; its texts are escaped.
    pub(super) pictures: [String; 4],
    /// The key figures: the price now, and the lowest and the highest price ahead.
    pub(super) figures: Vec<Figure>,
    /// The unit of the prices in the rows.
    pub(super) unit: String,
    /// Each time, and its price.
    pub(super) rows: Vec<(String, String)>,
}

impl DayPricesView {
    /// `None` without such a contract, and without prices. May block on disk reads.
    pub(super) fn at(
        store: &Store,
        account: &Account,
        language: &Language,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let known = DayPrices::of(store, account, now)?;
        Ok(known.map(|known| {
            let zone = &account.zone;
            Self::of(&known, Wording::new(zone, language), now)
        }))
    }

    fn of(known: &DayPrices, wording: Wording<'_>, now: Timestamp) -> Self {
        let language = wording.language;
        let price = |step: &PriceStep| figures::price(step.price, &known.currency, language);
        let name = |step: &PriceStep| {
            let (from, end) = (wording.moment(step.from), wording.clock(step.to));
            format!("{from} \u{2013} {end}")
        };
        let figure = |label: String, step: &PriceStep, is_timed: bool| Figure {
            label,
            value: price(step),
            time: is_timed.then(|| name(step)),
        };
        let ahead = || known.prices.iter().filter(|step| now < step.to);
        let by_price = |step: &&PriceStep| step.price;
        let all = [
            known
                .at(now)
                .map(|step| figure(language.say("prices-now"), step, false)),
            // The first of the lowest prices is the next opportunity.
            ahead()
                .min_by_key(by_price)
                .map(|step| figure(language.say("prices-least"), step, true)),
            ahead()
                .max_by_key(by_price)
                .map(|step| figure(language.say("prices-most"), step, true)),
        ];
        let figures: Vec<Figure> = all.into_iter().flatten().collect();
        let number = |step: &PriceStep| language.number(&step.price.to_string());
        let rows = known.prices.iter().map(|step| (name(step), number(step)));
        let bars = known.prices.iter().filter_map(|step| {
            let last = step.to.saturating_add_millis(-1);
            Some(PriceBar {
                time: TimeRange::new(step.from, last)?,
                price: step.price.to_f64(),
                words: format!("{}: {}", name(step), price(step)),
            })
        });
        let bars: Vec<PriceBar> = bars.collect();
        let unit = figures::currency_sign(known.currency.as_str());
        let draw = |size| {
            let picture = Picture {
                name: unit,
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
            }
            .draw()
        };
        Self {
            pictures: PictureSize::BESIDE.map(draw),
            unit: format!("{unit}\u{202F}/\u{202F}kWh"),
            rows: rows.collect(),
            figures,
        }
    }
}
