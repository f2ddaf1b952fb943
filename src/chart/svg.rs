//! SVG as text: elements, attributes, coordinates. Nothing gets in unescaped.

use std::fmt::{self, Display, Write as _};

/// A picture under construction. Elements that are open at its end are closed.
pub(super) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    pub(super) const fn new() -> Self {
        Self {
            text: String::new(),
            open: Vec::new(),
        }
    }

    /// Begins an element.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[(&str, &dyn Display)]) {
        self.tag(name, attributes);
        self.text.push('>');
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            push(&mut self.text, format_args!("</{name}>"));
        }
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &'static str, attributes: &[(&str, &dyn Display)]) {
        self.tag(name, attributes);
        self.text.push_str("/>");
    }

    /// An element that contains text.
    pub(super) fn text(
        &mut self,
        name: &'static str,
        attributes: &[(&str, &dyn Display)],
        text: &str,
    ) {
        self.open(name, attributes);
        escape(&mut self.text, text);
        self.close();
    }

    /// A text at a place in pixels, which is its start, its middle or its end.
    pub(super) fn label(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        anchor: &'static str,
        text: &str,
    ) {
        self.text(
            "text",
            &[
                ("class", &class),
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("text-anchor", &anchor),
            ],
            text,
        );
    }

    /// A style sheet, which must be trusted: it is not escaped.
    pub(super) fn style(&mut self, css: &'static str) {
        push(
            &mut self.text,
            format_args!("<style>{}</style>", css.trim()),
        );
    }

    /// The whole picture.
    pub(super) fn finish(mut self) -> String {
        // Elements are left open on purpose: the root `svg` is closed here only.
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        push(&mut self.text, format_args!("<{name}"));
        for (name, value) in attributes {
            push(&mut self.text, format_args!(" {name}=\""));
            // Numbers need no escaping, but one way for all cannot be forgotten.
            escape(&mut self.text, &value.to_string());
            self.text.push('"');
        }
    }
}

/// The `d` of a path through straight lines.
#[derive(Default)]
pub(super) struct Path(String);

impl Path {
    /// An empty path.
    pub(super) const EMPTY: Self = Self(String::new());

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// A line through `points`.
    pub(super) fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        let mut sign = 'M';
        let mut count = 0;
        for (x, y) in points {
            push(&mut self.0, format_args!("{sign}{},{}", Px(x), Px(y)));
            sign = ' ';
            count += 1;
        }
        if count == 1 {
            // The round ends of a line without length make it a dot.
            self.0.push_str("h0");
        }
    }

    /// A line that leaves one point and reaches another horizontally.
    pub(super) fn bend(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let middle = f64::midpoint(x1, x2);
        let (x, y) = (Px(middle), Px(y2));
        push(
            &mut self.0,
            format_args!(
                "M{},{}C{x},{} {x},{y} {},{y}",
                Px(x1),
                Px(y1),
                Px(y1),
                Px(x2)
            ),
        );
    }

    /// The closed shape through `points`.
    pub(super) fn shape(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        self.line(points);
        self.0.push('z');
    }
}

/// A number of pixels to a tenth, without superfluous digits.
pub(super) struct Px(pub(super) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0.0 into 0.0.
        let px = (self.0 * 10.0).round() / 10.0 + 0.0;
        write!(f, "{px}")
    }
}

fn push(text: &mut String, what: fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(what);
}

/// Appends a text, escaped for content and attributes alike. Characters that XML does not allow become blanks.
fn escape(into: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => into.push(' '),
            c if c.is_control() => into.push(' '),
            c => into.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut svg = Svg::new();
        svg.open("g", &[("class", &"\"><script>"), ("x", &Px(1.25))]);
        svg.text("title", &[], "a<b & 'c'\u{0}\u{1b}\u{FFFF}\n");
        svg.empty("path", &[("d", &"M0,0"), ("y", &Px(-0.01))]);
        assert_eq!(
            svg.finish(),
            "<g class=\"&quot;&gt;&lt;script&gt;\" x=\"1.3\"><title>a&lt;b &amp; &#39;c&#39;    </title><path d=\"M0,0\" y=\"0\"/></g>"
        );
    }

    #[test]
    fn paths_are_short() {
        let mut path = Path::EMPTY;
        path.line([(0.0, 1.04), (10.06, 20.0)]);
        path.line([(5.0, 5.0)]);
        path.shape([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
        assert_eq!(path.as_str(), "M0,1 10.1,20M5,5h0M0,0 1,0 1,1z");
    }
}
