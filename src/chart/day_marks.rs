//! The marks beside the bars of today's energy: prices as a line, the present moment, and the cheapest
//! hours.

use super::frame::ChartFrame;
use super::svg::Path;
use crate::domain::{TimeRange, Timestamp};

/// The marks of a day.
#[derive(Clone, Copy, Debug)]
pub struct DayMarks<'a> {
    /// Its prices, in time order.
    pub prices: &'a [PriceMark],
    /// The current time.
    pub now: Timestamp,
    /// The cheapest hours.
    pub cheapest: Option<TimeRange>,
}

/// A price that holds for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceMark {
    /// From its first millisecond to its last.
    pub time: TimeRange,
    /// For a kilowatt-hour.
    pub price: f64,
    /// Its words beside the line, such as at the lowest one.
    pub label: Option<String>,
}

/// The place of the line in the plot, from the top: energy has the scale on the left, prices have
/// none.
const HIGHEST: f64 = 0.12;
const LOWEST: f64 = 0.6;

impl DayMarks<'_> {
    /// Draws the cheapest hours, behind the bars.
    pub(super) fn draw_behind(&self, frame: &mut ChartFrame) {
        if let Some(cheapest) = self.cheapest {
            frame.pick(cheapest);
        }
    }

    /// Draws the line of prices and the present moment, before the bars.
    pub(super) fn draw_before(&self, frame: &mut ChartFrame) {
        let plot = frame.plot;
        let x = frame.times.x(self.now);
        let mut now = Path::EMPTY;
        now.line([(x, plot.top), (x, plot.top + plot.height)]);
        frame.path("chart-now", &now);
        let prices = || self.prices.iter().map(|mark| mark.price);
        let (least, most) = (
            prices().fold(f64::MAX, f64::min),
            prices().fold(f64::MIN, f64::max),
        );
        // By halves: the difference may exceed the range of a f64.
        let span = (most / 2.0 - least / 2.0).max(f64::MIN_POSITIVE);
        let y = |price: f64| {
            let below = ((most / 2.0 - price / 2.0) / span).clamp(0.0, 1.0);
            plot.top + plot.height * (HIGHEST + below * (LOWEST - HIGHEST))
        };
        let mut line = Path::EMPTY;
        // Prices that follow each other are one line.
        let follows =
            |a: &PriceMark, b: &PriceMark| b.time.start() <= a.time.end().saturating_add_millis(1);
        for run in self.prices.chunk_by(follows) {
            line.line(run.iter().flat_map(|mark| {
                let ends = [mark.time.start(), mark.time.end()];
                ends.map(|time| (frame.times.x(time), y(mark.price)))
            }));
        }
        for class in ["chart-price-halo", "chart-price-path"] {
            frame.path(class, &line);
        }
        let labelled = |mark: &&PriceMark| mark.label.is_some();
        for mark in self.prices.iter().filter(labelled) {
            let text = mark.label.as_deref().unwrap_or_default();
            let half = f64::from(u32::try_from(text.chars().count()).unwrap_or(0)) * 3.5;
            let [left, right] = [mark.time.start(), mark.time.end()].map(|it| frame.times.x(it));
            // Not over an edge of the plot.
            let most_x = (plot.left + plot.width - half).max(plot.left + half);
            let x = f64::midpoint(left, right).clamp(plot.left + half, most_x);
            // Beside the line, on the side where no other price is.
            let beside = if mark.price > least { -6.0 } else { 14.0 };
            frame
                .svg
                .label("halo", (x, y(mark.price) + beside), "middle", text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{at, checked, of_class, picture, range};
    use crate::chart::{FlowChart, Look};
    use crate::domain::{Interval, Zone};

    #[test]
    fn a_day_has_prices_now_and_its_cheapest_hours() {
        let range = range("2026-01-05T00:00:00", "2026-01-05T23:59:59.999");
        let hour = |hour: i64| {
            let start = at("2026-01-05T00:00:00").saturating_add_millis(hour * 3_600_000);
            TimeRange::new(start, start.saturating_add_millis(3_599_999)).unwrap()
        };
        let mark = |nth, price, label: &str| PriceMark {
            time: hour(nth),
            price,
            label: (!label.is_empty()).then(|| label.to_owned()),
        };
        let prices = [
            mark(0, 0.3, ""),
            mark(1, -0.1, "<-10 ct>"),
            mark(3, 0.4, "40 ct"),
        ];
        let zone = Zone::UTC;
        let chart = |prices: &[PriceMark], cheapest| {
            let chart = FlowChart {
                picture: picture(&zone, "House", range, Look::Inline),
                interval: Interval::Hour,
                bars: &[],
                figures: &[],
                day: Some(DayMarks {
                    prices,
                    now: at("2026-01-05T12:00:00"),
                    cheapest,
                }),
            };
            chart.draw()
        };
        let svg = chart(&prices, Some(hour(6)));
        let document = checked(&svg, (720, 280));
        let line = of_class(&document, "chart-price-path")[0]
            .attribute("d")
            .unwrap();
        // Two pieces: nothing is known from two to three.
        assert_eq!(line.matches('M').count(), 2, "{line}");
        let labels = of_class(&document, "halo");
        let labels: Vec<_> = labels.iter().filter_map(roxmltree::Node::text).collect();
        assert_eq!(labels, ["<-10 ct>", "40 ct"]);
        let number = |node: &roxmltree::Node<'_, '_>, name| -> f64 {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let cheapest = of_class(&document, "chart-picked")[0];
        let now = of_class(&document, "chart-now")[0].attribute("d").unwrap();
        let now: f64 = now[1..].split(',').next().unwrap().parse().unwrap();
        assert!(
            number(&cheapest, "x") + number(&cheapest, "width") < now,
            "{svg}"
        );
        // Without prices there is the present moment alone.
        let svg = chart(&[], None);
        assert!(
            svg.contains("chart-now") && !svg.contains("chart-price-path"),
            "{svg}"
        );
    }
}
