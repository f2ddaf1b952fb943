//! The power of a house now: sources on the left, the house, its largest devices on the right, and
//! lines between them, the wider the more power, with dots that move along. Scripts keep texts and
//! widths current by their `data-` attributes; a style sheet moves the dots.

use std::fmt::Display;

use super::svg::{Path, Px, Svg};

/// A picture of the power now. It is hidden from screen readers: a table says the same.
#[derive(Clone, Copy, Debug)]
pub struct NowPicture<'a> {
    /// The grid, the panels and the batteries.
    pub sources: &'a [NowNode],
    /// The house in the middle.
    pub house: &'a NowNode,
    /// Its devices.
    pub devices: &'a [NowNode],
}

/// A place where power comes from or goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NowNode {
    /// Its key in the events of scripts.
    pub key: String,
    /// The class that has its colour.
    pub class: &'static str,
    /// Its name.
    pub title: String,
    /// Its power; empty if it has none of its own.
    pub power: String,
    /// The direction of the power.
    pub way: String,
    /// How full it is, if it is a battery that says so.
    pub charge: String,
    /// Since when it is silent; empty if it is not.
    pub since: String,
    /// Whether the dots go backwards.
    pub gives: bool,
    /// How fast they go, from 0, which is not at all.
    pub level: u8,
    /// The width of its line.
    pub width: u8,
}

/// Where things are, in pixels.
struct NowLayout {
    width: f64,
    /// The size of the text.
    text: f64,
    /// The width of a column of nodes.
    column: f64,
    /// The middle of the house, and its radius.
    house: (f64, f64),
    radius: f64,
}

/// The width of a letter as a part of its height.
const LETTER: f64 = 0.6;
/// The least size of a name, as a part of the usual one.
const SMALLEST: f64 = 0.8;

impl NowPicture<'_> {
    /// The picture as SVG, for a place about as wide as this.
    #[must_use]
    pub fn draw(&self, width: u16) -> String {
        let width = f64::from(width);
        let text = (width / 52.0).clamp(12.0, 17.0);
        let radius = text * 3.3;
        let middle = if self.devices.is_empty() { 0.75 } else { 0.5 };
        // Lines need some room between the columns and the house.
        let column = (width / 2.0 - radius - text * 1.8).min(text * 12.0);
        let letters = letters(column, text);
        let nodes = || self.sources.iter().chain(self.devices);
        let is_long = nodes().any(|node| NameLines::of(node, letters).second.is_some());
        let slot = if is_long { 4.9 } else { 3.8 };
        let rows = self.sources.len().max(self.devices.len()).max(2);
        let rows = f64::from(u16::try_from(rows).unwrap_or(u16::MAX));
        let height = rows * text * slot;
        let places = NowLayout {
            width,
            text,
            column,
            house: (width * middle, height / 2.0),
            radius,
        };
        let mut svg = Svg::new();
        let view_box = format!("0 0 {} {}", Px(width), Px(height));
        svg.open(
            "svg",
            &[
                ("class", &"now-flow"),
                ("viewBox", &view_box),
                ("font-size", &Px(text)),
                ("aria-hidden", &"true"),
            ],
        );
        for (nodes, is_source) in [(self.sources, true), (self.devices, false)] {
            let of = f64::from(u16::try_from(nodes.len()).unwrap_or(u16::MAX));
            for (node, nth) in nodes.iter().zip(0_u16..) {
                let y = height * (f64::from(nth) + 0.5) / of;
                places.draw_node(&mut svg, node, (is_source, y));
            }
        }
        places.draw_house(&mut svg, self.house);
        svg.finish()
    }
}

impl NowLayout {
    fn draw_node(&self, svg: &mut Svg, node: &NowNode, (is_source, y): (bool, f64)) {
        begin(svg, node, if is_source { "source" } else { "device" });
        let (half, thick) = (self.text * 1.65, self.text / 3.0);
        // The mark stands between the text and the line, which ends at it.
        let (mark, end, side) = if is_source {
            (self.column - thick, self.column, -self.radius)
        } else {
            let left = self.width - self.column;
            (left, left, self.radius)
        };
        let (from, to) = ((end, y), (self.house.0 + side, self.house.1));
        let mut line = Path::EMPTY;
        // Charging and using power leads away from the house.
        if is_source && node.class != "flow-battery" {
            line.bend(from, to);
        } else {
            line.bend(to, from);
        }
        let wire: [(&str, &dyn Display); 3] = [
            ("class", &"wire"),
            ("stroke-width", &node.width),
            ("d", &line.as_str()),
        ];
        svg.empty("path", &wire);
        svg.empty("path", &[("class", &"dots"), ("d", &line.as_str())]);
        svg.empty(
            "rect",
            &[
                ("class", &"mark-of"),
                ("x", &Px(mark)),
                ("y", &Px(y - half)),
                ("width", &Px(thick)),
                ("height", &Px(half * 2.0)),
                ("rx", &Px(self.text / 6.0)),
            ],
        );
        let x = if is_source {
            mark - self.text * 0.6
        } else {
            mark + self.text * 0.9
        };
        let anchor = if is_source { "end" } else { "start" };
        let at = |line: f64| (x, y + line * self.text);
        let name = NameLines::of(node, letters(self.column, self.text));
        let [first, power, way] = if name.second.is_some() {
            [at(-1.25), at(1.3), at(2.3)]
        } else {
            [at(-0.8), at(0.75), at(1.8)]
        };
        self.title(svg, (&name.first, name.size, anchor), first, &node.charge);
        if let Some(second) = &name.second {
            self.title(svg, (second, name.size, anchor), at(-0.2), "");
        }
        self.power(svg, node, (1.45, anchor), power);
        self.begin_text(svg, ("way", 0.92, anchor), way);
        part(svg, "way", &node.way);
        part(svg, "since", &node.since);
        svg.close();
        svg.close();
    }

    fn draw_house(&self, svg: &mut Svg, node: &NowNode) {
        begin(svg, node, "middle");
        let (x, y) = self.house;
        svg.empty(
            "circle",
            &[
                ("class", &"ring"),
                ("cx", &Px(x)),
                ("cy", &Px(y)),
                ("r", &Px(self.radius)),
            ],
        );
        let at = |line: f64| (x, y + line * self.text);
        let only = if node.power.is_empty() { 0.4 } else { -0.6 };
        let title = shortened(&node.title, 10.0);
        self.title(svg, (&title, 1.0, "middle"), at(only), "");
        self.power(svg, node, (1.25, "middle"), at(1.05));
        svg.close();
    }

    /// A name, with how full the battery of this name is.
    fn title(
        &self,
        svg: &mut Svg,
        (name, size, anchor): (&str, f64, &'static str),
        place: (f64, f64),
        charge: &str,
    ) {
        self.begin_text(svg, ("name", size, anchor), place);
        part(svg, "name", name);
        if !charge.is_empty() {
            part(svg, "charge", charge);
        }
        svg.close();
    }

    fn power(
        &self,
        svg: &mut Svg,
        node: &NowNode,
        (size, anchor): (f64, &'static str),
        place: (f64, f64),
    ) {
        if !node.power.is_empty() {
            self.begin_text(svg, ("power", size, anchor), place);
            part(svg, "power", &node.power);
            svg.close();
        }
    }

    fn begin_text(
        &self,
        svg: &mut Svg,
        (class, size, anchor): (&str, f64, &'static str),
        (x, y): (f64, f64),
    ) {
        svg.open(
            "text",
            &[
                ("class", &class),
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("font-size", &Px(self.text * size)),
                ("text-anchor", &anchor),
            ],
        );
    }
}

fn begin(svg: &mut Svg, node: &NowNode, place: &str) {
    let gives = if node.gives { " gives" } else { "" };
    let class = format!("node {place} {}{gives}", node.class);
    let attributes: [(&str, &dyn Display); 3] = [
        ("class", &class),
        ("data-now", &node.key),
        ("data-level", &node.level),
    ];
    svg.open("g", &attributes);
}

/// A part of a text, which scripts keep current.
fn part(svg: &mut Svg, part: &str, text: &str) {
    let space = if matches!(part, "since" | "charge") {
        4
    } else {
        0
    };
    let attributes: [(&str, &dyn Display); 3] =
        [("class", &part), ("data-part", &part), ("dx", &space)];
    svg.text("tspan", &attributes, text);
}

/// The letters of the usual size that fit into a column beside its mark.
fn letters(column: f64, text: f64) -> f64 {
    (column - text) / (text * LETTER)
}

/// A name as it fits into a column: smaller, or in two lines.
struct NameLines {
    first: String,
    second: Option<String>,
    /// As a part of the usual size.
    size: f64,
}

impl NameLines {
    fn of(node: &NowNode, letters: f64) -> Self {
        let name = node.title.as_str();
        let count = |text: &str| f64::from(u32::try_from(text.chars().count()).unwrap_or(u32::MAX));
        // The space before it is about as wide as a letter.
        let beside = if node.charge.is_empty() {
            0.0
        } else {
            count(&node.charge) + 1.0
        };
        let needed = count(name) + beside;
        if needed * SMALLEST <= letters {
            return Self {
                first: name.to_owned(),
                second: None,
                size: (letters / needed).min(1.0),
            };
        }
        let (size, most) = (SMALLEST, letters / SMALLEST);
        let breaks = name.match_indices([' ', '-']).map(|(at, it)| at + it.len());
        let fitting = breaks.filter_map(|at| Some((name.get(..at)?, name.get(at..)?)));
        let fitting = fitting.filter(|(first, _)| count(first.trim_end()) + beside <= most);
        // The longer line is as short as possible.
        let longer = |(first, second): &(&str, &str)| {
            first.trim_end().chars().count().max(second.chars().count())
        };
        match fitting.min_by_key(longer) {
            Some((first, second)) => Self {
                first: first.trim_end().to_owned(),
                second: Some(shortened(second, most)),
                size,
            },
            None => Self {
                first: shortened(name, most - beside),
                second: None,
                size,
            },
        }
    }
}

/// A name that fits, with an ellipsis for the rest.
pub(super) fn shortened(name: &str, letters: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some dozens"
    )]
    let letters = letters.clamp(4.0, 100.0) as usize;
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    let kept: String = name.chars().take(letters.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(key: &str, class: &'static str) -> NowNode {
        NowNode {
            key: key.into(),
            class,
            title: format!("<{key}> with a very long name indeed"),
            power: "1.23 kW".into(),
            way: "used".into(),
            charge: String::new(),
            since: String::new(),
            gives: false,
            level: 2,
            width: 5,
        }
    }

    #[test]
    fn lines_lead_where_power_flows() {
        let sources = [node("solar", "flow-solar"), node("battery", "flow-battery")];
        let (house, devices) = (node("used", "flow-house"), [node("sensor:a", "flow-house")]);
        let picture = NowPicture {
            sources: &sources,
            house: &house,
            devices: &devices,
        };
        for width in [340, 620, 1_040] {
            let svg = picture.draw(width);
            let document = roxmltree::Document::parse(&svg).unwrap();
            let of = |key: &str| {
                let found = document.descendants();
                let mut found = found.filter(|it| it.attribute("data-now") == Some(key));
                found.next().unwrap()
            };
            let first_x = |key: &str| -> f64 {
                let mut parts = of(key).children();
                let line = parts
                    .find(|it| it.attribute("class") == Some("dots"))
                    .unwrap();
                let d = line.attribute("d").unwrap();
                d[1..].split(',').next().unwrap().parse().unwrap()
            };
            let middle = f64::from(width) / 2.0;
            // Panels lead to the house; the house leads to its battery and its devices.
            assert!(first_x("solar") < first_x("battery"), "{svg}");
            assert!(first_x("battery") < middle && middle < first_x("sensor:a"));
            let text = of("solar")
                .descendants()
                .find(roxmltree::Node::is_text)
                .unwrap();
            let text = text.text().unwrap();
            // The first of two lines, or all of it.
            assert!(text.starts_with("<solar> with a"), "{text}");
            // The line begins or ends where the mark of its node is.
            let place = |name: &str, what: &str| -> f64 {
                let mark = of(name).children().find(|it| it.has_tag_name("rect"));
                mark.unwrap().attribute(what).unwrap().parse().unwrap()
            };
            let right = place("solar", "x") + place("solar", "width");
            assert!((first_x("solar") - right).abs() < 0.2, "{svg}");
            let wire = of("sensor:a")
                .children()
                .find(|it| it.attribute("class") == Some("wire"));
            let wire = wire.unwrap();
            assert_eq!(wire.attribute("stroke-width"), Some("5"));
            let d = wire.attribute("d").unwrap();
            let end: f64 = d
                .rsplit(' ')
                .next()
                .unwrap()
                .split(',')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            assert!((end - place("sensor:a", "x")).abs() < 0.2, "{d}");
        }
    }

    #[test]
    fn names_shrink_then_break_then_end() {
        let lines = |title: &str, charge: &str| {
            let node = NowNode {
                title: title.into(),
                charge: charge.into(),
                ..NowNode::default()
            };
            let NameLines {
                first,
                second,
                size,
            } = NameLines::of(&node, 13.0);
            assert!((SMALLEST..=1.0).contains(&size), "{size}");
            (first, second)
        };
        let one = |text: &str| (text.to_owned(), None);
        assert_eq!(lines("Heat pump", ""), one("Heat pump"));
        assert_eq!(lines("Circulation pump", ""), one("Circulation pump"));
        assert_eq!(lines("Battery", "64 %"), one("Battery"));
        let two = ("Waschmaschine".to_owned(), Some("im Keller".to_owned()));
        assert_eq!(lines("Waschmaschine im Keller", ""), two);
        assert_eq!(
            lines("Zirkulationspumpensteuerung", ""),
            one("Zirkulationspum…")
        );
        assert_eq!(lines("", ""), one(""));
    }
}
