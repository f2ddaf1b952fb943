//! Each option that an error of `import` recommends is tried: it leads to readings, or to the next
//! question. `recommended.txt` has the errors.

use std::collections::BTreeSet;

use crate::place::Place;
use crate::workbook::workbook;

const ERRORS: &str = include_str!("recommended.txt");

/// An import with an error, and the options of the imports that the error recommends.
#[derive(Default)]
struct Advice {
    file: Vec<u8>,
    from: String,
    says: String,
    then: Vec<String>,
}

impl Advice {
    fn parse(text: &str) -> Self {
        let mut advice = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap();
            match word {
                "FILE" if rest == "RISING" => advice.file = rising().into_bytes(),
                "FILE" => advice.file = rest.replace("\\n", "\n").replace("\\t", "\t").into_bytes(),
                "WORKBOOK" => {
                    let sheets: Vec<_> = rest.split(' ').zip(1..).collect();
                    advice.file = workbook(&sheets);
                }
                "FROM" => rest.clone_into(&mut advice.from),
                "SAYS" => rest.clone_into(&mut advice.says),
                "THEN" => advice.then.push(rest.to_owned()),
                _ => panic!("{line}"),
            }
        }
        advice
    }

    /// Tries it, each import in a store of its own.
    fn check(&self) {
        let run = |options: &str| {
            let place = prepared();
            place.file("file", &self.file);
            let words = words(options);
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            place.run(&[&["import", "file"], &words[..]].concat())
        };
        let error = run(&self.from).error();
        assert!(
            error.contains(&self.says),
            "expected {}: {error}",
            self.says
        );
        for option in options_in(&error) {
            let is_tried = self.then.iter().any(|then| match option {
                _ if error.contains(&format!("leave out {option}")) => {
                    !options_in(then).contains(option)
                }
                // Of another sensor.
                "--register" => words(then)[1] != words(&self.from)[1],
                _ => options_in(then).contains(option),
            });
            assert!(is_tried, "{option} is not tried: {error}");
        }
        assert!(!self.then.is_empty(), "{error}");
        for then in &self.then {
            let next = run(then);
            let is_question =
                next.status == 1 && next.error() != error && next.error().contains("--");
            assert!(next.status == 0 || is_question, "{then}: {next:?}");
        }
    }
}

/// The words of a command line, as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(letters.next()),
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    words.push(word);
    words
}

/// The names of options in a text.
fn options_in(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.starts_with("--")).collect()
}

/// A place with a sensor of each kind.
fn prepared() -> Place {
    let place = Place::new();
    place.prepare();
    for (id, role, register) in [
        ("drawn", "grid-import", "interval"),
        ("part", "sub-meter", "interval"),
        ("meter", "sub-meter", "counter"),
    ] {
        let sensor = ["sensor", "add", id, "--account", "home", "--role", role];
        let at_grid = ["--at-grid", "connection"];
        place.ok(&[&sensor[..], &["--register", register], &at_grid].concat());
    }
    place
}

fn hour(n: u32, energy: u32) -> String {
    format!("2026-01-{:02}T{:02}:00:00Z,{energy}\n", 5 + n / 24, n % 24)
}

/// A register for two days.
fn rising() -> String {
    let rows: String = (0..48).map(|n| hour(n, 5_000 + n)).collect();
    format!("time,kWh\n{rows}")
}

#[test]
fn each_recommended_option_leads_on() {
    let errors: Vec<_> = ERRORS.split("\n\n").skip(1).collect();
    assert!(errors.len() > 25);
    for error in errors {
        Advice::parse(error).check();
    }
}

#[test]
fn a_group_of_columns_is_named_as_the_error_has_it() {
    let names = |group: char| (1..=24).map(move |hour| format!(",{group}{hour:02}"));
    let columns: String = names('H').chain(names('M')).collect();
    Advice {
        file: format!("Date{columns}\n2026-01-05{}\n", ",1,2".repeat(24)).into_bytes(),
        from: "--sensor part --unit kWh".to_owned(),
        says: "they are H01..H24, M01..M24".to_owned(),
        then: vec!["--sensor part --unit kWh --watthours-column H01..H24".to_owned()],
    }
    .check();
}

#[test]
fn a_format_or_another_sensor_is_the_remedy_for_the_wrong_kind() {
    let place = prepared();
    place.file("rising", rising().as_bytes());
    let refused = place.error(&["import", "rising", "--sensor", "part", "--times", "end"]);
    assert!(
        refused.contains("with `intervals = true`: wattkeeper formats add"),
        "{refused}"
    );
    let format = "name = \"mine\"\ncolumns = [\"time\", \"kWh\"]\n[read]\nenergy = [\"kWh\"]\n\
        unit = \"kWh\"\nintervals = true\ntimes = \"end\"\n";
    place.file("mine.toml", format.as_bytes());
    place.ok(&["formats", "add", "mine.toml", "--account", "home"]);
    place.ok(&["import", "rising", "--sensor", "part"]);
    // Energies in a register only get a remark.
    let rows: String = (0..48).map(|n| hour(n, n * 7 % 5)).collect();
    place.file("energies", format!("when,kWh\n{rows}").as_bytes());
    let options = ["energies", "--time-column", "when", "--sensor"];
    let run = place.run(&[&["import"], &options[..], &["meter"]].concat());
    assert!(
        run.status == 0 && run.err.contains("with --register interval"),
        "{run:?}"
    );
    place.ok(&[&["import"], &options[..], &["drawn", "--times", "end"]].concat());
}
