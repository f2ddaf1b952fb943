//! Where energy came from and where it went: bands between the sources, the house, and its devices,
//! as wide as their energy.

use super::dates::Wording;
use super::now::shortened;
use super::quantity::quantity;
use super::svg::{Px, Svg};
use crate::query::Units;

/// A picture of flows between places in three columns.
#[derive(Clone, Copy, Debug)]
pub struct Sankey<'a> {
    /// Its title, for people who cannot see it.
    pub title: &'a str,
    /// How its words and numbers are written.
    pub wording: Wording<'a>,
    /// The places, from the top of the first column to the bottom of the last one.
    pub places: &'a [SankeyPlace],
    /// The flows, in any order.
    pub flows: &'a [SankeyFlow],
}

/// A place that energy flows from or to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SankeyPlace {
    /// Its column, from 0 to 2.
    pub column: u8,
    /// The class that has its colour.
    pub class: &'static str,
    /// Its name.
    pub name: String,
}

/// Energy from one place to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SankeyFlow {
    /// The numbers of the places.
    pub from: usize,
    /// See `from`.
    pub to: usize,
    /// In watt-hours; flows that are not positive are not drawn.
    pub watthours: f64,
}

/// A place in the picture, in pixels.
struct Drawn<'a> {
    place: &'a SankeyPlace,
    watthours: f64,
    x: f64,
    y: f64,
    height: f64,
    /// How much of it has bands already: on its left and on its right.
    taken: [f64; 2],
}

/// The width of a place.
const PLACE_PX: f64 = 10.0;
/// The least height of a place with its label of two lines.
const LABEL_PX: f64 = 34.0;
/// The height that the fullest column has for energy alone.
const ENERGY_PX: f64 = 190.0;

impl Sankey<'_> {
    /// The picture as SVG, for a place about as wide as this; `None` if nothing flows.
    #[must_use]
    pub fn draw(&self, width: u16) -> Option<String> {
        let width = f64::from(width);
        let flows: Vec<&SankeyFlow> = self.flows.iter().filter(|it| it.watthours > 0.0).collect();
        let (mut places, height) = self.placed(&flows, width);
        if flows.is_empty() {
            return None;
        }
        let mut svg = Svg::new();
        let view_box = format!("0 0 {} {}", Px(width), Px(height));
        svg.open(
            "svg",
            &[
                ("class", &"now-flow"),
                ("viewBox", &view_box),
                ("font-size", &12),
                ("role", &"img"),
            ],
        );
        svg.text("title", &[], self.title);
        let words: Vec<String> = flows.iter().map(|it| self.words(it)).collect();
        svg.text("desc", &[], &format!("{}.", words.join("; ")));
        for (flow, words) in flows.iter().zip(words) {
            draw_band(&mut svg, &mut places, flow, &words);
        }
        for place in places.iter().filter(|it| it.watthours > 0.0) {
            self.draw_place(&mut svg, place, width);
        }
        Some(svg.finish())
    }

    /// The flow as words.
    fn words(&self, flow: &SankeyFlow) -> String {
        let name = |nth: usize| self.places.get(nth).map_or("", |it| &it.name);
        let energy = quantity(flow.watthours, Units::Watthours, self.wording.language);
        format!("{} → {}: {energy}", name(flow.from), name(flow.to))
    }

    /// The places with their energy, and the height of the picture.
    fn placed(&self, flows: &[&SankeyFlow], width: f64) -> (Vec<Drawn<'_>>, f64) {
        let sum = |of: &dyn Fn(&SankeyFlow) -> bool| -> f64 {
            let these = flows.iter().filter(|it| of(it));
            these.map(|it| it.watthours).sum()
        };
        let places = self.places.iter().enumerate().map(|(nth, place)| Drawn {
            place,
            watthours: sum(&|it| it.from == nth).max(sum(&|it| it.to == nth)),
            x: (width - PLACE_PX) * f64::from(place.column) / 2.0,
            y: 0.0,
            height: 0.0,
            taken: [0.0; 2],
        });
        let mut places: Vec<Drawn<'_>> = places.collect();
        let full = |column: u8| -> f64 {
            let its = places.iter().filter(|it| it.place.column == column);
            its.map(|it| it.watthours).sum()
        };
        let fullest = [0, 1, 2]
            .map(full)
            .into_iter()
            .fold(f64::MIN_POSITIVE, f64::max);
        let mut bottoms = [0.0; 3];
        for place in &mut places {
            let Some(bottom) = bottoms.get_mut(usize::from(place.place.column)) else {
                continue;
            };
            if place.watthours > 0.0 {
                place.height = (place.watthours / fullest * ENERGY_PX).max(1.0);
                place.y = *bottom + 2.0;
                *bottom += place.height.max(LABEL_PX) + 6.0;
            }
        }
        let height = bottoms.into_iter().fold(0.0, f64::max);
        (places, height)
    }

    fn draw_place(&self, svg: &mut Svg, drawn: &Drawn<'_>, width: f64) {
        let place = drawn.place;
        svg.empty(
            "rect",
            &[
                ("class", &format!("mark-of {}", place.class)),
                ("x", &Px(drawn.x)),
                ("y", &Px(drawn.y)),
                ("width", &Px(PLACE_PX)),
                ("height", &Px(drawn.height)),
            ],
        );
        let (x, anchor) = if place.column == 0 {
            (drawn.x + PLACE_PX + 6.0, "start")
        } else {
            (drawn.x - 6.0, "end")
        };
        // The labels of the first and of the second column share a half. They are words of the
        // language: the longest one, of 13 letters, fits on a phone. The third column has names.
        let room = width / 2.0 - 30.0;
        let letters = match place.column {
            0 => room * 0.4 / 6.4,
            1 => room * 0.6 / 6.4,
            _ => room / 7.4,
        };
        let energy = quantity(drawn.watthours, Units::Watthours, self.wording.language);
        let first = drawn.y + (drawn.height / 2.0 - 3.0).max(11.0);
        let lines = [
            ("halo name", first, shortened(&place.name, letters)),
            ("halo power", first + 15.0, energy),
        ];
        for (class, y, text) in lines {
            svg.label(class, (x, y), anchor, &text);
        }
    }
}

fn draw_band(svg: &mut Svg, places: &mut [Drawn<'_>], flow: &SankeyFlow, words: &str) {
    let mut end = |nth: usize, side: usize| {
        let place = places.get_mut(nth)?;
        let height = flow.watthours / place.watthours * place.height;
        let taken = place.taken.get_mut(side)?;
        let top = place.y + *taken;
        *taken += height;
        let x = if side == 1 {
            place.x + PLACE_PX
        } else {
            place.x
        };
        Some((x, top, height, place.place.class))
    };
    let (Some((x1, top1, h1, source)), Some((x2, top2, h2, target))) =
        (end(flow.from, 1), end(flow.to, 0))
    else {
        return;
    };
    // Between sources and the house the source has the colour, from there on the device.
    let class = if source == "flow-house" {
        target
    } else {
        source
    };
    let middle = Px(f64::midpoint(x1, x2));
    let [left, right] = [x1, x2].map(Px);
    let [from, to, low_to, low_from] = [top1, top2, top2 + h2, top1 + h1].map(Px);
    let shape = format!(
        "M{left},{from}C{middle},{from} {middle},{to} {right},{to}V{low_to}C{middle},{low_to} {middle},{low_from} {left},{low_from}z"
    );
    svg.open(
        "path",
        &[("class", &format!("band {class}")), ("d", &shape)],
    );
    svg.text("title", &[], words);
    svg.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;
    use crate::texts::Language;

    #[test]
    fn bands_fill_their_places() {
        let place = |column, class, name: &str| SankeyPlace {
            column,
            class,
            name: name.into(),
        };
        let places = [
            place(0, "flow-solar", "Roof & <barn>"),
            place(0, "flow-grid", "Grid"),
            place(1, "flow-house", "House"),
            place(1, "flow-exported", "Exported"),
            place(2, "flow-house", "Car"),
        ];
        let flow = |from, to, watthours| SankeyFlow {
            from,
            to,
            watthours,
        };
        let flows = [
            flow(0, 2, 3_000.0),
            flow(0, 3, 1_000.0),
            flow(1, 2, 1_000.0),
            flow(2, 4, 4_000.0),
            flow(1, 3, -5.0),
        ];
        let zone = Zone::UTC;
        let sankey = Sankey {
            title: "Flows",
            wording: Wording::new(&zone, Language::english()),
            places: &places,
            flows: &flows,
        };
        for width in [340, 1_040] {
            let svg = sankey.draw(width).unwrap();
            let document = roxmltree::Document::parse(&svg).unwrap();
            let all = |class: &str| -> Vec<roxmltree::Node<'_, '_>> {
                let has = |it: &roxmltree::Node<'_, '_>| {
                    let classes = it.attribute("class").unwrap_or_default();
                    classes.split(' ').any(|it| it == class)
                };
                document.descendants().filter(has).collect()
            };
            assert_eq!(all("band").len(), 4);
            let heights: Vec<f64> = all("mark-of")
                .iter()
                .map(|it| it.attribute("height").unwrap().parse().unwrap())
                .collect();
            // 4, 1, 4, 1 and 4 kWh.
            assert!((heights[0] - 4.0 * heights[1]).abs() < 0.5, "{heights:?}");
            assert!((heights[0] - heights[2]).abs() < 0.2, "{heights:?}");
            assert!((heights[0] - heights[4]).abs() < 0.2, "{heights:?}");
            let words = svg.replace('\u{202F}', " ");
            assert!(
                words.contains("<desc>Roof &amp; &lt;barn&gt; → House: 3.00 kWh; "),
                "{words}"
            );
        }
        let nothing = Sankey {
            flows: &[flow(0, 2, 0.0)],
            ..sankey
        };
        assert_eq!(nothing.draw(340), None);
    }

    /// A word of each column that is as long as any.
    #[test]
    fn words_are_whole_on_a_phone() {
        let names = [
            (0, "Batterie"),
            (1, "Teruglevering"),
            (2, "Circulation pump"),
        ];
        let places = names.map(|(column, name)| SankeyPlace {
            column,
            class: "flow-house",
            name: name.into(),
        });
        let flow = |from, to| SankeyFlow {
            from,
            to,
            watthours: 1_000.0,
        };
        let zone = Zone::UTC;
        let sankey = Sankey {
            title: "Flows",
            wording: Wording::new(&zone, Language::english()),
            places: &places,
            flows: &[flow(0, 1), flow(1, 2)],
        };
        let svg = sankey.draw(340).unwrap();
        for (_, name) in names {
            assert!(svg.contains(&format!(">{name}<")), "{svg}");
        }
    }
}
