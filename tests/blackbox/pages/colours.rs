//! Colours of energy for people with deuteranopia, computed from the style sheets.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A colour as linear light: red, green and blue from 0 to 1.
type Light = [f64; 3];

/// The custom properties of a style sheet that are colours: of the light scheme, and of the dark one.
fn schemes() -> [BTreeMap<String, Light>; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/static");
    let mut schemes = [BTreeMap::new(), BTreeMap::new()];
    for file in ["style.css", "dashboard.css"] {
        let css = fs::read_to_string(folder.join(file)).unwrap();
        let (light, rest) = css
            .split_once("@media (prefers-color-scheme: dark)")
            .unwrap();
        let (dark, _) = rest.split_once("\n}").unwrap();
        for (scheme, text) in schemes.iter_mut().zip([light, dark]) {
            for declaration in text.split(['{', ';', '}']) {
                let property = declaration
                    .trim()
                    .strip_prefix("--")
                    .and_then(|it| it.split_once(": #"));
                if let Some((name, colour)) = property {
                    let digits = colour.get(..6).unwrap();
                    scheme.insert(name.to_owned(), light_of(digits));
                }
            }
        }
    }
    schemes
}

fn light_of(digits: &str) -> Light {
    [0, 2, 4].map(|at| {
        let part = u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// A colour as somebody with deuteranopia sees it, by Machado, Oliveira and Fernandes (2009).
fn as_deuteranope([red, green, blue]: Light) -> Light {
    const MATRIX: [Light; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];
    MATRIX.map(|[r, g, b]| (r * red + g * green + b * blue).clamp(0.0, 1.0))
}

/// The contrast of two colours by WCAG, from 1 to 21.
fn contrast(a: Light, b: Light) -> f64 {
    let luminance =
        |[red, green, blue]: Light| 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    let (a, b) = (luminance(a), luminance(b));
    a.max(b) / a.min(b)
}

#[test]
fn neighbours_in_bars_differ_for_everybody() {
    for scheme in schemes() {
        let of = |name: &str| scheme[name];
        for (a, b) in [
            ("solar", "battery"),
            ("solar", "grid"),
            ("battery", "grid"),
            ("battery", "exported"),
        ] {
            let seen = contrast(of(a), of(b));
            let simulated = contrast(as_deuteranope(of(a)), as_deuteranope(of(b)));
            println!("{a} beside {b}: {seen:.2}, {simulated:.2} with deuteranopia");
            assert!(
                seen >= 3.0 && simulated >= 3.0,
                "{a} beside {b}: {seen}, {simulated}"
            );
        }
        // Each has an edge or a line that stands out from the ground.
        for name in ["solar-line", "battery-line", "grid", "give", "house"] {
            let seen = contrast(of(name), of("surface"));
            assert!(seen >= 3.0, "{name}: {seen}");
        }
    }
}

#[test]
fn orange_is_the_sun() {
    for scheme in schemes() {
        let is_orange = |name: &str| {
            let [red, green, blue] = scheme[name];
            red > 1.5 * green && green > 1.5 * blue
        };
        let orange = scheme.keys().filter(|name| is_orange(name));
        let others = ["bad", "warn", "bad-tint", "warn-tint"];
        let orange: Vec<&String> = orange.filter(|it| !others.contains(&it.as_str())).collect();
        assert_eq!(orange, ["solar", "solar-line"]);
    }
}
