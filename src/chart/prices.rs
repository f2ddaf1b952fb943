//! Prices as steps, from zero and from green to red: the one that holds now and the cheapest hours
//! stand out.

use super::bars;
use super::figure::Figure;
use super::frame::{ChartFrame, Picture};
use super::scales::ValueScale;
use super::svg::Px;
use crate::domain::{TimeRange, Timestamp};

/// A picture of prices.
#[derive(Clone, Copy, Debug)]
pub struct PriceChart<'a> {
    /// How it is drawn.
    pub picture: Picture<'a>,
    /// The prices, in time order.
    pub bars: &'a [PriceBar],
    /// A description for people who cannot see the picture.
    pub figures: &'a [Figure],
    /// The current time.
    pub now: Timestamp,
    /// The cheapest hours.
    pub cheapest: Option<TimeRange>,
}

/// A price that holds for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceBar {
    /// From its first millisecond to its last.
    pub time: TimeRange,
    /// For a kilowatt-hour.
    pub price: f64,
    /// Where it is between the lowest price of its day, 0, and the highest one, 1.
    pub level: f64,
    /// The step in words.
    pub words: String,
}

/// From green to red, each with at least 3:1 on light and on dark ground.
const COLOURS: [&str; 6] = [
    "#178e52", "#358d17", "#718415", "#977819", "#c0621f", "#df4438",
];

impl PriceChart<'_> {
    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let prices = || self.bars.iter().map(|bar| bar.price);
        let (least, most) = (prices().fold(0.0, f64::min), prices().fold(0.0, f64::max));
        let scale = self.picture.scale(least, most, None);
        let points = bars::json_of(self.bars.iter().map(|bar| (bar.time, bar.price)));
        let mut frame = self.picture.price_frame(self.figures, &scale, &points);
        if let Some(cheapest) = self.cheapest {
            frame.pick(cheapest);
        }
        for bar in self.bars {
            draw_bar(&mut frame, &scale, bar, bar.time.contains(self.now));
        }
        frame.svg.finish()
    }
}

fn draw_bar(frame: &mut ChartFrame, scale: &ValueScale, bar: &PriceBar, is_now: bool) {
    let plot = frame.plot;
    let [left, right] = [bar.time.start(), bar.time.end()].map(|time| frame.times.x(time));
    // Quarters of an hour have hardly any room between them.
    let space = ((right - left) * 0.1).min(1.0);
    let (zero, end) = (scale.y(0.0, plot), scale.y(bar.price, plot));
    let class = if is_now {
        "chart-price chart-price-now"
    } else {
        "chart-price"
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to 5"
    )]
    let nth = (bar.level.clamp(0.0, 1.0) * 5.0).round() as usize;
    let colour = COLOURS.get(nth).copied().unwrap_or_default();
    frame.svg.open(
        "rect",
        &[
            ("class", &class),
            ("fill", &colour),
            ("x", &Px(left + space)),
            ("y", &Px(zero.min(end))),
            ("width", &Px((right - left - 2.0 * space).max(0.5))),
            // A price of zero is a price, too.
            ("height", &Px((zero - end).abs().max(1.0))),
        ],
    );
    frame.svg.text("title", &[], &bar.words);
    frame.svg.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Look;
    use crate::chart::tests::{at, checked, of_class, picture, range};
    use crate::domain::Zone;

    #[test]
    fn prices_stand_on_zero_with_a_colour_by_their_level() {
        let range = range("2026-01-05T00:00:00", "2026-01-05T03:00:00");
        let bar = |hour: i64, price| {
            let start = at("2026-01-05T00:00:00").saturating_add_millis(hour * 3_600_000);
            let time = TimeRange::new(start, start.saturating_add_millis(3_599_999)).unwrap();
            PriceBar {
                time,
                price,
                level: price,
                words: format!("<{hour}>"),
            }
        };
        let zone = Zone::UTC;
        let chart = PriceChart {
            picture: picture(&zone, "EUR / kWh", range, Look::Inline),
            bars: &[bar(0, 0.3), bar(1, -0.1), bar(2, 0.0)],
            figures: &[],
            now: at("2026-01-05T00:30:00"),
            cheapest: Some(bar(1, 0.0).time),
        };
        let svg = chart.draw();
        let document = checked(&svg, (720, 280));
        let number = |node: &roxmltree::Node<'_, '_>, name| -> f64 {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let [now] = of_class(&document, "chart-price chart-price-now")[..] else {
            panic!("{svg}")
        };
        let [paid, nothing] = of_class(&document, "chart-price")[..] else {
            panic!("{svg}")
        };
        let [cheapest] = of_class(&document, "chart-picked")[..] else {
            panic!("{svg}")
        };
        assert!(
            (number(&cheapest, "x") - number(&paid, "x")).abs() < 2.0,
            "{svg}"
        );
        // 0.3 lies between the second and the third of six colours.
        let colours = [now, paid, nothing].map(|it| it.attribute("fill").unwrap());
        assert_eq!(colours, [COLOURS[2], COLOURS[0], COLOURS[0]]);
        let near = |a: f64, b: f64| (a - b).abs() < 0.3;
        let (y, height) = (|it| number(&it, "y"), |it| number(&it, "height"));
        assert!(near(y(now) + height(now), y(paid)), "{svg}");
        assert!(near(height(now), 3.0 * height(paid)), "{svg}");
        assert!(near(height(nothing), 1.0), "{svg}");
        // Plain numbers: the unit is in the name.
        let labels = document.descendants().filter(|it| it.has_tag_name("text"));
        let labels: Vec<_> = labels.filter_map(|it| it.text()).collect();
        assert!(
            labels.contains(&"0.3") || labels.contains(&"0.30"),
            "{labels:?}"
        );
    }
}
