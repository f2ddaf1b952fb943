//! Pictures as an XML parser sees them: well-formed, and with nothing outside of the view box.

use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::figure::in_words;
use super::*;
pub(super) use crate::domain::time::at;
use crate::domain::{Between, Interval, TimeRange, Timestamp, Zone};
use crate::house::{EnergyBar, Reset, Resets};
use crate::query::{Column, Course, Point, PowerProfile};
use crate::texts::Language;

fn berlin() -> Zone {
    Zone::parse("Europe/Berlin").unwrap()
}

pub(super) fn range(start: &str, end: &str) -> TimeRange {
    TimeRange::new(at(start), at(end)).unwrap()
}

/// The numbers in a path.
pub(super) fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    parts
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap())
        .collect()
}

/// Checks a picture: its title and description come first, and all shapes lie in it.
pub(super) fn checked(svg: &str, size: (u16, u16)) -> Document<'_> {
    let document = Document::parse(svg).unwrap();
    let (width, height) = (f64::from(size.0), f64::from(size.1));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let children: Vec<&str> = root
        .children()
        .map(|child| child.tag_name().name())
        .take(2)
        .collect();
    assert_eq!(children, ["title", "desc"]);
    for node in root.descendants().filter(Node::is_element) {
        assert!(node.attribute("style").is_none());
        let number = |name| {
            node.attribute(name)
                .map_or(0.0, |text| text.parse().unwrap())
        };
        let (x, y) = (number("x"), number("y"));
        if node != root {
            let (right, bottom) = (x + number("width"), y + number("height"));
            assert!(0.0 <= x && right <= width + 0.1, "{node:?}");
            assert!(0.0 <= y && bottom <= height + 0.1, "{node:?}");
        }
        let path = node.attribute("d").unwrap_or_default().replace("h0", "");
        for pair in numbers(&path).chunks(2) {
            assert!((0.0..=width).contains(&pair[0]), "{path}");
            assert!((0.0..=height).contains(&pair[1]), "{path}");
        }
    }
    document
}

pub(super) fn of_class<'a>(document: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let nodes = document.root_element().descendants();
    nodes
        .filter(|node| node.attribute("class") == Some(class))
        .collect()
}

/// A text with plain spaces.
fn plain(text: &str) -> String {
    text.replace('\u{202F}', " ")
}

fn labels(document: &Document<'_>) -> Vec<String> {
    let texts = document
        .root_element()
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

fn power_of(readings: &[(Timestamp, f64)]) -> Option<PowerProfile> {
    let points: Vec<Point> = readings
        .iter()
        .map(|&(time, value)| Point { time, value })
        .collect();
    let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
    let count = f64::from(u32::try_from(points.len()).unwrap());
    Some(PowerProfile {
        mean: points.iter().map(|point| point.value / count).sum(),
        between: Between::Line,
        peak: *points.iter().rev().max_by(by_value)?,
        least: *points.iter().min_by(by_value)?,
        course: Course::Readings(points),
    })
}

const NO_POWER: ChartData = ChartData::Power {
    power: None,
    watthours: None,
};

pub(super) fn picture<'a>(
    zone: &'a Zone,
    name: &'a str,
    range: TimeRange,
    look: Look,
) -> Picture<'a> {
    Picture {
        name,
        wording: Wording::new(zone, Language::english()),
        range,
        size: PictureSize::default(),
        look,
        links: &[],
    }
}

#[test]
fn a_line_has_gaps_and_a_side_below_zero() {
    let start = at("2026-07-08T06:00:00");
    let minute = |minute: i64| start.saturating_add_millis(minute * 60_000);
    let readings: Vec<(Timestamp, f64)> = (0..60)
        .filter(|nth| !(20..30).contains(nth))
        .map(|nth| (minute(nth), if nth < 40 { 500.0 } else { -250.0 }))
        .collect();
    let data = ChartData::Power {
        power: power_of(&readings),
        watthours: Some(312.5),
    };
    let zone = berlin();
    let range = range("2026-07-08T06:00:00", "2026-07-08T07:00:00");
    let svg = Chart {
        picture: picture(&zone, "House <1>", range, Look::Inline),
        data: &data,
        beside: &[],
    }
    .draw();
    let document = checked(&svg, (720, 280));
    let root = document.root_element();
    let child = |nth: usize| root.children().nth(nth).unwrap().text().unwrap();
    assert_eq!(
        child(0),
        "Power of House <1>, 8 Jul 2026 08:00 to 8 Jul 2026 09:00"
    );
    assert_eq!(
        plain(child(1)),
        "Mean 200 W. Peak 500 W (8 Jul 2026 08:00). Lowest \u{2212}250 W (8 Jul 2026 08:40). Gaps 1. Energy 0.31 kWh."
    );
    // One line before the gap, one after it.
    let line = of_class(&document, "chart-line")[0].attribute("d").unwrap();
    assert_eq!(line.matches('M').count(), 2);
    assert_eq!(
        of_class(&document, "chart-area")[0]
            .attribute("d")
            .unwrap()
            .matches('z')
            .count(),
        2
    );
    assert_eq!(
        of_class(&document, "chart-area-give")[0]
            .attribute("d")
            .unwrap()
            .matches('z')
            .count(),
        1
    );
    // The part that is fed back has a line of its own colour.
    let given = of_class(&document, "chart-line-give")[0];
    assert_eq!(given.attribute("d").unwrap().matches('M').count(), 1);
    assert_eq!(of_class(&document, "chart-zero").len(), 1);
    let labels = labels(&document);
    for label in ["08:00", "08:30", "09:00", "0 W", "400 W", "\u{2212}200 W"] {
        assert!(
            labels.iter().any(|it| plain(it) == label),
            "{label} in {labels:?}"
        );
    }
    let points: serde_json::Value =
        serde_json::from_str(root.attribute("data-points").unwrap()).unwrap();
    assert_eq!(points["t0"], start.millis());
    assert_eq!(points["v"].as_array().unwrap().len(), 50);
    assert_eq!(
        (&points["dt"][0], &points["dt"][1], &points["dt"][20]),
        (&0.into(), &60_000.into(), &660_000.into())
    );
    assert!(root.descendants().all(|node| !node.has_tag_name("style")));
}

#[test]
fn held_power_is_drawn_in_steps() {
    // A lamp, at four times within 20 h.
    let shown = [(0, 0.0), (6, 60.0), (8, 0.0), (20, 60.0)];
    let start = at("2026-07-08T00:00:00");
    let readings: Vec<_> = shown
        .iter()
        .map(|&(hour, watts)| (start.saturating_add_millis(hour * 3_600_000), watts))
        .collect();
    let zone = Zone::UTC;
    let drawn = |between| {
        let power = power_of(&readings).map(|power| PowerProfile { between, ..power });
        let watthours = None;
        let picture = picture(
            &zone,
            "Lamp",
            range("2026-07-08T00:00:00", "2026-07-09T00:00:00"),
            Look::Inline,
        );
        let data = ChartData::Power { power, watthours };
        let svg = Chart {
            picture,
            data: &data,
            beside: &[],
        }
        .draw();
        let document = checked(&svg, (720, 280));
        let line = of_class(&document, "chart-line")[0].attribute("d").unwrap();
        numbers(line)
    };
    let held = drawn(Between::Hold);
    // Two points at each time but the first: 7 points.
    assert_eq!(held.len(), 14, "{held:?}");
    let points: Vec<(f64, f64)> = held.chunks(2).map(|it| (it[0], it[1])).collect();
    for pair in points.windows(2) {
        assert!(pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1, "{pair:?}");
    }
}

#[test]
fn a_picture_by_itself_has_its_style() {
    let zone = berlin();
    let range = range("2026-07-08T06:00:00", "2026-07-08T07:00:00");
    let chart = |theme| {
        let picture = picture(&zone, "House", range, Look::Standalone(theme));
        let data = &NO_POWER;
        Chart {
            picture,
            data,
            beside: &[],
        }
        .draw()
    };
    for (theme, class) in [
        (Theme::Auto, "chart chart-auto"),
        (Theme::Light, "chart chart-light"),
        (Theme::Dark, "chart chart-dark"),
    ] {
        let svg = chart(theme);
        let document = checked(&svg, (720, 280));
        let root = document.root_element();
        assert_eq!(root.attribute("class"), Some(class));
        assert_eq!(
            root.descendants()
                .filter(|node| node.has_tag_name("style"))
                .count(),
            1
        );
        assert!(root.attribute("data-points").is_none());
        assert!(labels(&document).contains(&"No readings in this range".to_owned()));
    }
}

/// Four months in columns of a day, from -100 to 2,000 W; without March.
fn four_months() -> (PowerProfile, TimeRange) {
    let start = at("2026-01-01T00:00:00");
    let day = |nth: i64| start.saturating_add_millis(nth * 86_400_000);
    let column = |nth: i64| Column {
        first: day(nth),
        last: day(nth + 1).saturating_add_millis(-60_000),
        count: 1_440,
        mean: 300.0,
        min: -100.0,
        max: 2_000.0,
    };
    let columns = (0..120)
        .filter(|nth| !(59..90).contains(nth))
        .map(column)
        .collect();
    let profile = PowerProfile {
        course: Course::Columns(columns),
        mean: 300.0,
        between: Between::Line,
        peak: Point {
            time: day(3),
            value: 2_000.0,
        },
        least: Point {
            time: day(4),
            value: -100.0,
        },
    };
    (profile, TimeRange::new(start, day(120)).unwrap())
}

#[test]
fn columns_are_a_band() {
    let (power, range) = four_months();
    let zone = Zone::UTC;
    let data = ChartData::Power {
        power: Some(power),
        watthours: None,
    };
    let svg = Chart {
        picture: picture(&zone, "House", range, Look::Inline),
        data: &data,
        beside: &[],
    }
    .draw();
    let document = checked(&svg, (720, 280));
    let band = of_class(&document, "chart-band")[0].attribute("d").unwrap();
    assert_eq!(
        (band.matches('M').count(), numbers(band).len()),
        (2, 4 * 89)
    );
    // The part below zero has the colour of feed-in; both parts meet at zero.
    let given = of_class(&document, "chart-band-give")[0]
        .attribute("d")
        .unwrap();
    assert_eq!(
        (given.matches('M').count(), numbers(given).len()),
        (2, 4 * 89)
    );
    let rows = |path: &str| {
        numbers(path)
            .into_iter()
            .skip(1)
            .step_by(2)
            .collect::<Vec<f64>>()
    };
    let [lowest, highest] = [
        rows(band).into_iter().fold(0.0, f64::max),
        rows(given).into_iter().fold(f64::INFINITY, f64::min),
    ];
    assert!((lowest - highest).abs() < 0.2, "{lowest} {highest}");
    let labels = labels(&document);
    let months: Vec<&str> = labels
        .iter()
        .map(String::as_str)
        .filter(|it| !it.contains('W'))
        .collect();
    assert_eq!(months, ["2026", "Feb", "Mar", "Apr", "May"]);
    let points: serde_json::Value =
        serde_json::from_str(document.root_element().attribute("data-points").unwrap()).unwrap();
    assert_eq!(
        (&points["min"][0], &points["max"][88]),
        (&(-100.0).into(), &2_000.0.into())
    );
}

/// A bar that is measured as a whole.
fn bar(start: Timestamp, watthours: f64) -> EnergyBar {
    EnergyBar {
        start,
        watthours,
        estimated: 0.0,
        known: 1.0,
    }
}

#[test]
fn bars_go_up_and_down() {
    let zone = berlin();
    let bars = [
        ("2026-07-06T22:00:00", 4_000.0),
        ("2026-07-07T22:00:00", -1_500.0),
    ];
    let bars = bars.map(|(start, watthours)| bar(at(start), watthours));
    let reset = Reset {
        time: at("2026-07-07T12:00:00"),
        before: 80_000_000.0,
        after: 0.0,
    };
    let data = ChartData::Energy {
        interval: Interval::Day,
        bars: bars.into(),
        resets: Resets {
            first: vec![reset],
            count: 101,
        },
    };
    let chart = Chart {
        picture: picture(
            &zone,
            "House",
            range("2026-07-06T22:00:00", "2026-07-08T22:00:00"),
            Look::Inline,
        ),
        data: &data,
        beside: &[],
    };
    assert_eq!(
        plain(&in_words(&chart.figures(), Language::english())),
        "Total 2.50 kWh. Highest 4.00 kWh (7 Jul 2026). Lowest \u{2212}1.50 kWh (8 Jul 2026). Counter resets 101."
    );
    let svg = chart.draw();
    let document = checked(&svg, (720, 280));
    let [up] = of_class(&document, "chart-bar")[..] else {
        panic!("one")
    };
    let [down] = of_class(&document, "chart-bar-give")[..] else {
        panic!("one")
    };
    assert_eq!(
        plain(up.first_element_child().unwrap().text().unwrap()),
        "7 Jul 2026: 4.00 kWh"
    );
    let number = |node: Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let zero = number(down, "y");
    assert!((number(up, "y") + number(up, "height") - zero).abs() < 0.2);
    assert!((number(up, "height") / number(down, "height") - 4.0 / 1.5).abs() < 0.01);
    let mark = of_class(&document, "chart-reset")[0];
    assert_eq!(
        plain(mark.first_element_child().unwrap().text().unwrap()),
        "7 Jul 2026 14:00: the counter was reset, from 80 000 kWh to 0 Wh"
    );
}

#[test]
fn ticks_are_round_on_days_of_23_and_25_hours() {
    let zone = berlin();
    let ticks = |start: &str, end: &str| {
        let chart = Chart {
            picture: picture(&zone, "House", range(start, end), Look::Inline),
            data: &NO_POWER,
            beside: &[],
        };
        let svg = chart.draw();
        let document = checked(&svg, (720, 280));
        labels(&document).split_last().unwrap().1.to_vec()
    };
    // From midnight to midnight.
    assert_eq!(
        ticks("2026-03-28T23:00:00", "2026-03-29T22:00:00"),
        [
            "29 Mar", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "30 Mar"
        ]
    );
    assert_eq!(
        ticks("2026-10-24T22:00:00", "2026-10-25T23:00:00"),
        [
            "25 Oct", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "26 Oct"
        ]
    );
    assert_eq!(
        ticks("2026-03-27T23:00:00", "2026-03-31T22:00:00"),
        [
            "28 Mar", "12:00", "29 Mar", "12:00", "30 Mar", "12:00", "31 Mar", "12:00", "1 Apr"
        ]
    );
    assert_eq!(
        ticks("2019-06-01T00:00:00", "2026-06-01T00:00:00"),
        ["2020", "2021", "2022", "2023", "2024", "2025", "2026"]
    );
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -5e3..1e4_f64,
        1 => Just(0.0),
        1 => proptest::sample::select(vec![f64::MAX, f64::MIN, -0.0, f64::MIN_POSITIVE, 5e-324, 1e300, -1e-300]),
        1 => proptest::num::f64::NORMAL,
    ]
}

fn any_size() -> impl Strategy<Value = (u16, u16)> {
    (PictureSize::WIDTHS, PictureSize::HEIGHTS)
}

fn any_range() -> impl Strategy<Value = TimeRange> {
    let (least, most) = (Timestamp::MIN.millis(), Timestamp::MAX.millis());
    let spans = proptest::sample::select(vec![
        0_i64,
        1,
        60_000,
        3_600_000,
        86_400_000,
        31 * 86_400_000,
        4_000 * 86_400_000,
        most - least,
    ]);
    (least..=most, spans).prop_map(|(start, span)| {
        let start = Timestamp::from_millis(start).unwrap();
        TimeRange::new(start, start.saturating_add_millis(span)).unwrap()
    })
}

fn any_look() -> impl Strategy<Value = Look> {
    proptest::sample::select(vec![Look::Inline, Look::Standalone(Theme::Auto)])
}

/// Ascending times with numbers; most of them lie in the range.
fn spread(range: TimeRange, values: &[(f64, f64)]) -> Vec<(Timestamp, f64)> {
    let span = range.end().millis() - range.start().millis() + 2;
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "any time will do"
    )]
    let time = |share: f64| {
        range
            .start()
            .saturating_add_millis((share * span as f64) as i64)
    };
    let mut points: Vec<(Timestamp, f64)> = values
        .iter()
        .map(|&(share, value)| (time(share), value))
        .collect();
    points.sort_by_key(|(time, _)| *time);
    points.dedup_by_key(|(time, _)| *time);
    points
}

proptest! {
    #[test]
    fn any_power_is_a_picture(
        name in ".{0,40}",
        range in any_range(),
        size in any_size(),
        look in any_look(),
        values in proptest::collection::vec((-0.01..1.01_f64, any_number()), 0..60),
        is_band in any::<bool>(),
        watthours in proptest::option::of(any_number()),
    ) {
        let zone = berlin();
        let mut power = power_of(&spread(range, &values));
        if let Some(PowerProfile { course, .. }) = &mut power
            && let Course::Readings(readings) = course
            && is_band
        {
            let columns = readings.iter().map(|point| Column {
                first: point.time,
                last: point.time,
                count: 1,
                mean: point.value,
                min: point.value.min(0.0),
                max: point.value.max(0.0),
            });
            *course = Course::Columns(columns.collect());
        }
        let picture = Picture { size: PictureSize::new(size.0, size.1).unwrap(), ..picture(&zone, &name, range, look) };
        let svg = Chart { picture, data: &ChartData::Power { power, watthours }, beside: &[] }.draw();
        checked(&svg, size);
    }

    #[test]
    fn any_energy_is_a_picture(
        name in ".{0,40}",
        range in any_range(),
        size in any_size(),
        look in any_look(),
        interval in proptest::sample::select(vec![Interval::QuarterHour, Interval::Hour, Interval::Day, Interval::Month, Interval::Year]),
        estimated in 0.0..=1.0_f64,
        values in proptest::collection::vec((-0.01..1.01_f64, any_number()), 0..60),
    ) {
        let zone = berlin();
        let bars: Vec<EnergyBar> = spread(range, &values)
            .into_iter()
            .map(|(start, watthours)| EnergyBar { estimated, ..bar(start, watthours) })
            .collect();
        let resets = bars.iter().step_by(9);
        let resets: Vec<Reset> =
            resets.map(|bar| Reset { time: bar.start, before: bar.watthours, after: 0.0 }).collect();
        let resets = Resets { count: resets.len() as u64, first: resets };
        let picture = Picture { size: PictureSize::new(size.0, size.1).unwrap(), ..picture(&zone, &name, range, look) };
        let svg = Chart { picture, data: &ChartData::Energy { interval, bars, resets }, beside: &[] }.draw();
        checked(&svg, size);
    }
}

fn labels_of_bars(start: &str, end: &str, interval: Interval, width: u16) -> Vec<String> {
    let zone = berlin();
    let range = range(start, end);
    let data = ChartData::Energy {
        interval,
        bars: vec![bar(range.start(), 1_000.0)],
        resets: Resets::default(),
    };
    let picture = Picture {
        size: PictureSize::new(width, 260).unwrap(),
        ..picture(&zone, "House", range, Look::Inline)
    };
    let svg = Chart {
        picture,
        data: &data,
        beside: &[],
    }
    .draw();
    let all = labels(&checked(&svg, (width, 260)));
    all.into_iter().filter(|it| !it.contains("Wh")).collect()
}

#[test]
fn bars_are_labelled_with_what_they_are() {
    let day = Interval::Day;
    let week = |width| labels_of_bars("2026-07-05T22:00:00", "2026-07-12T22:00:00", day, width);
    let all = [
        "Mon 6", "Tue 7", "Wed 8", "Thu 9", "Fri 10", "Sat 11", "Sun 12",
    ];
    assert_eq!(week(720), all);
    let short = ["Mo 6", "Tu 7", "We 8", "Th 9", "Fr 10", "Sa 11", "Su 12"];
    assert_eq!(week(340), short);
    assert_eq!(week(240), ["Mo 6", "We 8", "Fr 10", "Su 12"]);
    let year = |width| {
        let (start, end) = ("2025-12-31T23:00:00", "2026-12-31T23:00:00");
        labels_of_bars(start, end, Interval::Month, width)
    };
    let months = year(720);
    assert_eq!(
        (months.len(), &*months[0], &*months[11]),
        (12, "Jan", "Dec")
    );
    assert_eq!(year(200), ["Jan", "Jul"]);
    let month = |width| labels_of_bars("2026-02-28T23:00:00", "2026-03-31T22:00:00", day, width);
    let days: Vec<String> = (1..=31).map(|day| day.to_string()).collect();
    assert_eq!(month(1_040), days);
    assert_eq!(
        month(340),
        [
            "1", "4", "7", "10", "13", "16", "19", "22", "25", "28", "31"
        ]
    );
    let years = labels_of_bars(
        "2019-12-31T23:00:00",
        "2023-12-31T23:00:00",
        Interval::Year,
        340,
    );
    assert_eq!(years, ["2020", "2021", "2022", "2023"]);
    let hours = labels_of_bars(
        "2026-07-05T22:00:00",
        "2026-07-06T22:00:00",
        Interval::Hour,
        340,
    );
    assert_eq!(hours[..2], ["6 Jul", "06:00"]);
}

#[test]
fn labels_are_in_the_middle_of_their_bars() {
    let zone = berlin();
    let range = range("2026-07-05T22:00:00", "2026-07-12T22:00:00");
    let days = (0..7).map(|day| range.start().saturating_add_millis(day * 86_400_000));
    let data = ChartData::Energy {
        interval: Interval::Day,
        bars: days.map(|start| bar(start, 1_000.0)).collect(),
        resets: Resets::default(),
    };
    let links = ["/a?b=1&c=2".to_owned()];
    let picture = Picture {
        links: &links,
        ..picture(&zone, "House", range, Look::Inline)
    };
    let svg = Chart {
        picture,
        data: &data,
        beside: &[],
    }
    .draw();
    let document = Document::parse(&svg).unwrap();
    let number = |node: &Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let texts = document.root_element().descendants();
    let labels = texts.filter(|it| it.has_tag_name("text") && !it.text().unwrap().contains("Wh"));
    let bars = of_class(&document, "chart-bar");
    let middles = bars
        .iter()
        .map(|it| number(it, "x") + number(it, "width") / 2.0);
    let off: Vec<f64> = labels
        .zip(middles)
        .map(|(label, middle)| (number(&label, "x") - middle).abs())
        .collect();
    assert!(off.len() == 7 && off.iter().all(|px| *px < 0.2), "{off:?}");
    // A picture with links is no image: links in an image cannot be reached.
    assert_eq!(document.root_element().attribute("role"), Some("group"));
    let first = bars[0].parent().unwrap();
    assert_eq!(first.attribute("href"), Some("/a?b=1&c=2"));
    assert!(bars[1].parent().unwrap().has_tag_name("svg"));
}

#[test]
fn what_is_estimated_is_hatched_and_what_runs_is_not_the_least() {
    let zone = Zone::UTC;
    let days = ["06", "07", "08"].map(|day| at(format!("2026-07-{day}T00:00:00").as_str()));
    let bars = vec![
        EnergyBar {
            estimated: 0.25,
            ..bar(days[0], 4_000.0)
        },
        bar(days[1], 3_000.0),
        EnergyBar {
            known: 0.5,
            ..bar(days[2], 10.0)
        },
    ];
    let data = ChartData::Energy {
        interval: Interval::Day,
        bars,
        resets: Resets::default(),
    };
    let range = range("2026-07-06T00:00:00", "2026-07-09T00:00:00");
    let chart = Chart {
        picture: picture(&zone, "House", range, Look::Inline),
        data: &data,
        beside: &[],
    };
    assert_eq!(
        plain(&in_words(&chart.figures(), Language::english())),
        "Total 7.01 kWh. Highest 4.00 kWh (6 Jul 2026). Lowest of the complete ones 3.00 kWh (7 Jul 2026). Partly estimated 1 of 3."
    );
    let svg = chart.draw();
    let document = checked(&svg, (720, 280));
    let bars = of_class(&document, "chart-bar");
    let titles = bars.iter().map(|it| it.first_element_child().unwrap());
    let titles: Vec<String> = titles.map(|it| plain(it.text().unwrap())).collect();
    assert_eq!(
        titles,
        [
            "6 Jul 2026: 4.00 kWh, 25 % estimated",
            "7 Jul 2026: 3.00 kWh",
            "8 Jul 2026: 10 Wh, 50 % of the time known",
        ]
    );
    let [hatched] = of_class(&document, "chart-estimated")[..] else {
        panic!("one")
    };
    let number = |node: Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    assert!((number(bars[0], "height") / number(hatched, "height") - 4.0).abs() < 0.02);
    assert_eq!(number(bars[0], "y"), number(hatched, "y"));
    let fill = hatched.attribute("fill").unwrap();
    let id = fill.strip_prefix("url(#").unwrap().strip_suffix(')');
    let pattern = document.descendants().find(|it| it.has_tag_name("pattern"));
    assert_eq!(pattern.unwrap().attribute("id"), id);
}

#[test]
fn gaps_are_hatched_and_a_first_reading_is_a_dot() {
    let zone = Zone::UTC;
    let range = range("2026-07-06T00:00:00", "2026-07-07T00:00:00");
    let drawn = |minutes: &[i64]| {
        let time = |minute: &i64| range.start().saturating_add_millis(minute * 60_000);
        let readings: Vec<_> = minutes.iter().map(|it| (time(it), 200.0)).collect();
        let data = ChartData::Power {
            power: power_of(&readings),
            watthours: None,
        };
        let picture = picture(&zone, "House", range, Look::Inline);
        Chart {
            picture,
            data: &data,
            beside: &[],
        }
        .draw()
    };
    let svg = drawn(&[720]);
    let document = checked(&svg, (720, 280));
    assert_eq!(of_class(&document, "chart-point").len(), 1);
    assert_eq!(of_class(&document, "chart-gap").len(), 0);
    // An hour of each minute, a silence of six hours, and another hour.
    let minutes: Vec<i64> = (0..60).chain(420..480).collect();
    let svg = drawn(&minutes);
    let document = checked(&svg, (720, 280));
    let [gap] = of_class(&document, "chart-gap")[..] else {
        panic!("one")
    };
    assert_eq!(
        gap.first_element_child().unwrap().text(),
        Some("6 Jul 2026 00:59 to 6 Jul 2026 07:00: no readings")
    );
    assert_eq!(of_class(&document, "chart-point").len(), 0);
}
