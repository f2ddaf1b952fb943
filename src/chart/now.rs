//! The power of a house now: sources on the left, the house, its largest devices on the right, and
//! dots that move along the lines between them. Scripts keep the texts current by their `data-`
//! attributes; a style sheet moves the dots.

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
    /// Since when it is silent; empty if it is not.
    pub since: String,
    /// Whether the dots go backwards.
    pub gives: bool,
    /// How fast they go, from 0, which is not at all.
    pub level: u8,
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

impl NowPicture<'_> {
    /// The picture as SVG, for a place about as wide as this.
    #[must_use]
    pub fn draw(&self, width: u16) -> String {
        let width = f64::from(width);
        let text = (width / 52.0).clamp(12.0, 17.0);
        // A phone has other things to show, too.
        let most = if width < 400.0 { 3 } else { usize::MAX };
        let devices = self.devices.get(..most).unwrap_or(self.devices);
        let rows = self.sources.len().max(devices.len()).max(2);
        let rows = f64::from(u16::try_from(rows).unwrap_or(u16::MAX));
        let (height, radius) = (rows * text * 3.8, text * 3.3);
        let middle = if devices.is_empty() { 0.75 } else { 0.5 };
        let places = NowLayout {
            width,
            text,
            // Lines need some room between the columns and the house.
            column: (width / 2.0 - radius - text * 1.8).min(text * 12.0),
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
        for (nodes, is_source) in [(self.sources, true), (devices, false)] {
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
        begin(svg, node);
        let (x, end) = if is_source {
            (0.0, self.column + self.text / 2.0)
        } else {
            (
                self.width - self.column,
                self.width - self.column - self.text / 2.0,
            )
        };
        let side = if is_source { -self.radius } else { self.radius };
        let (from, to) = ((end, y), (self.house.0 + side, self.house.1));
        let mut line = Path::EMPTY;
        // Charging and using power leads away from the house.
        if is_source && node.class != "flow-battery" {
            line.bend(from, to);
        } else {
            line.bend(to, from);
        }
        for class in ["wire", "dots"] {
            svg.empty("path", &[("class", &class), ("d", &line.as_str())]);
        }
        let half = self.text * 1.65;
        svg.empty(
            "rect",
            &[
                ("class", &"mark-of"),
                ("x", &Px(x)),
                ("y", &Px(y - half)),
                ("width", &Px(self.text / 3.0)),
                ("height", &Px(half * 2.0)),
                ("rx", &Px(self.text / 6.0)),
            ],
        );
        let left = x + self.text * 0.9;
        let letters = (self.column - self.text) / (self.text * 0.6);
        let at = |line: f64| (left, y + line * self.text);
        self.texts(
            svg,
            node,
            [at(-1.0), at(0.55), at(1.65)],
            ("start", letters),
        );
        svg.close();
    }

    fn draw_house(&self, svg: &mut Svg, node: &NowNode) {
        begin(svg, node);
        let (x, y) = self.house;
        svg.empty(
            "circle",
            &[
                ("class", &"wire"),
                ("cx", &Px(x)),
                ("cy", &Px(y)),
                ("r", &Px(self.radius)),
            ],
        );
        let at = |line: f64| (x, y + line * self.text);
        let only = if node.power.is_empty() { 0.4 } else { -0.6 };
        self.texts(svg, node, [at(only), at(1.05), at(2.1)], ("middle", 10.0));
        svg.close();
    }

    fn texts(
        &self,
        svg: &mut Svg,
        node: &NowNode,
        [title, power, way]: [(f64, f64); 3],
        (anchor, letters): (&'static str, f64),
    ) {
        let begin = |svg: &mut Svg, (class, size): (&str, f64), (x, y): (f64, f64)| {
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
        };
        let part = |svg: &mut Svg, part: &str, text: &str| {
            let space = if part == "since" { 4 } else { 0 };
            let attributes: [(&str, &dyn Display); 3] =
                [("class", &part), ("data-part", &part), ("dx", &space)];
            svg.text("tspan", &attributes, text);
        };
        begin(svg, ("name", 1.0), title);
        part(svg, "name", &shortened(&node.title, letters));
        svg.close();
        if !node.power.is_empty() {
            begin(svg, ("power", 1.45), power);
            part(svg, "power", &node.power);
            svg.close();
        }
        // In the middle there is no room for more.
        if anchor == "start" {
            begin(svg, ("way", 0.92), way);
            part(svg, "way", &node.way);
            part(svg, "since", &node.since);
            svg.close();
        }
    }
}

fn begin(svg: &mut Svg, node: &NowNode) {
    let gives = if node.gives { " gives" } else { "" };
    let class = format!("node {}{gives}", node.class);
    let attributes: [(&str, &dyn Display); 3] = [
        ("class", &class),
        ("data-now", &node.key),
        ("data-level", &node.level),
    ];
    svg.open("g", &attributes);
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
            since: String::new(),
            gives: false,
            level: 2,
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
            assert!(
                text.starts_with("<solar> ") && text.ends_with('…'),
                "{text}"
            );
        }
    }
}
