//! The import page and the command `import` store the same readings of a file.

use std::path::Path;
use std::string::FromUtf8Error;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::administered;
use crate::place::{Place, Serving};
use crate::support::Response;

const ACTION: &str = "/settings/sensor/import";
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// A file in `readings`, the kind of register, and options of the command with their values.
type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const CASES: &[Case] = &[
    ("24.csv", "net", &[]),
    ("ampm.csv", "net", &[("--dates", "mdy")]),
    ("b13.csv", "net", &[]),
    ("cdata.xml", "interval", &[]),
    ("charref.xml", "interval", &[]),
    ("clam.csv", "interval", &[("--tz", "Europe/Vienna")]),
    ("cost.csv", "interval", &[]),
    ("enedis.csv", "net", &[]),
    ("engie.csv", "interval", &[]),
    ("gb.xml", "interval", &[]),
    ("latin1.xml", "interval", &[]),
    ("semicolon.csv", "net", &[]),
    (
        "statistics.csv",
        "net",
        &[("--watthours-column", "state"), ("--unit", "kWh")],
    ),
    ("trail.csv", "net", &[]),
    (
        "two-energies.csv",
        "interval",
        &[("--watthours-column", "Consumption (kWh)")],
    ),
    ("u16n.csv", "net", &[]),
    ("wiener.csv", "interval", &[]),
    ("x.zip", "net", &[]),
];

/// Here the last option answers a question.
const QUESTIONS: &[Case] = &[
    (
        "n3.json",
        "interval",
        &[
            ("--watthours-column", "value"),
            ("--unit", "kWh"),
            ("--times", "end"),
        ],
    ),
    (
        "sheet-two-meters.csv",
        "interval",
        &[("--where", "Meter Number=111")],
    ),
    ("tab.tsv", "net", &[("--decimals", "point")]),
    ("table-two-meters.csv", "net", &[("--where", "meter=222")]),
    (
        "tibber-two-homes.json",
        "interval",
        &[("--where", "homes=2")],
    ),
];

/// The field of the page for an option of the command.
fn field(option: &str) -> &str {
    match option {
        "--watthours-column" => "register",
        "--unit" => "register-unit",
        other => other.strip_prefix("--").unwrap(),
    }
}

type Fields = Vec<(String, String)>;

fn put(fields: &mut Fields, name: &str, value: &str) {
    fields.retain(|(known, _)| known != name);
    fields.push((name.to_owned(), value.to_owned()));
}

/// The fields that a browser sends of the form with the table: hidden ones, and the values of others.
fn content(page: &str) -> Fields {
    let mut fields = hidden_fields(page, ACTION);
    let (_, form) = page
        .split_once(&format!(" method=\"post\" action=\"{ACTION}\">"))
        .unwrap();
    let (form, _) = form.split_once("</form>").unwrap();
    let between = |text: &str, begin: &str, end: &str| {
        let (_, rest) = text.split_once(begin)?;
        Some(plain(rest.split_once(end)?.0))
    };
    let name = |tag: &str| between(tag, "name=\"", "\"").unwrap();
    for tag in form.split("<textarea ").skip(1) {
        // As browsers send the ends of lines.
        let text = between(tag, ">\n", "</textarea>").unwrap();
        let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        fields.push((name(tag), text));
    }
    for tag in form.split("<input ").skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        if tag.contains(" checked") {
            fields.push((name(tag), between(tag, "value=\"", "\"").unwrap()));
        }
    }
    for list in form.split("<select ").skip(1) {
        let (list, _) = list.split_once("</select>").unwrap();
        let options = || list.split("<option").skip(1);
        let is_chosen = |it: &&str| it.split('>').next().unwrap().ends_with(" selected");
        let chosen = options().find(is_chosen).or(options().next()).unwrap();
        let (tag, _) = chosen.split_once('>').unwrap();
        let value = between(tag, "value=\"", "\"").or(between(chosen, ">", "</option>"));
        fields.push((name(list), value.unwrap()));
    }
    fields
}

/// The answer after the page has looked at `file` and received the choices.
fn by_page(
    browser: &Browser<'_>,
    (sensor, file): (&str, &Path),
    choices: &[(&str, &str)],
) -> Response {
    let bytes = std::fs::read(file).unwrap();
    let table = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        other => {
            let bytes = other.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
            let text = BASE64_STANDARD.encode(bytes);
            format!("data:application/octet-stream;base64,{text}")
        }
    };
    let address = format!("{ACTION}?id={sensor}");
    let fields = [("table", &*table), ("do", "look")];
    let looked = browser.submit(&address, ACTION, &fields);
    let mut fields = content(looked.text());
    for (option, value) in choices {
        put(&mut fields, field(option), value);
    }
    put(&mut fields, "do", "store");
    browser.post(ACTION, &fields)
}

/// A service with a sensor for each way to import a file.
struct Both {
    place: Place,
    serving: Serving,
    browser: Browser<'static>,
    count: usize,
    differences: Vec<String>,
}

impl Both {
    fn new() -> Self {
        let place = Place::new();
        let (serving, browser) = administered(&place);
        Self {
            place,
            serving,
            browser,
            count: 0,
            differences: Vec::new(),
        }
    }

    /// New sensors, for the command and for the page.
    fn sensors(&mut self, role: &str, register: &str) -> [String; 2] {
        self.count += 1;
        ["command", "page"].map(|way| {
            let sensor = format!("{way}-{}", self.count);
            let add = ["sensor", "add", &sensor, "--account", "home"];
            let kind = ["--role", role, "--register", register];
            let further = ["--at-grid", "connection"];
            self.place.ok(&[&add[..], &kind, &further].concat());
            sensor
        })
    }

    /// Imports `file` both ways.
    fn check(&mut self, file: &Path, (role, register): (&str, &str), choices: &[(&str, &str)]) {
        let [command, page] = self.sensors(role, register);
        let mut import = vec!["import", file.to_str().unwrap(), "--sensor", &command];
        import.extend(choices.iter().flat_map(|(option, value)| [*option, *value]));
        self.place.ok(&import);
        let answer = by_page(&self.browser, (&page, file), choices);
        let is_stored = answer.status() == 303 && location(&answer).contains("done=imported");
        if !is_stored {
            self.differences
                .push(format!("{}: {}", file.display(), answer.text()));
            return;
        }
        let [of_command, of_page] = [command, page].map(|sensor| {
            let export = ["export", "--sensor", &sensor, "--format", "ndjson"];
            self.place.ok(&export)
        });
        if of_command.is_empty() || of_command != of_page {
            let difference = format!("{}: {of_command}\n{of_page}", file.display());
            self.differences.push(difference);
        }
    }

    fn end(self) {
        self.serving.stop();
        assert!(
            self.differences.is_empty(),
            "{}",
            self.differences.join("\n")
        );
    }

    /// Both ways ask the same, and store nothing.
    fn check_question(&mut self, file: &Path, register: &str, choices: &[(&str, &str)]) {
        let [command, page] = self.sensors("grid", register);
        let mut import = vec!["import", file.to_str().unwrap(), "--sensor", &command];
        import.extend(choices.iter().flat_map(|(option, value)| [*option, *value]));
        let error = self.place.error(&import);
        let start = format!("error: {}: ", file.display());
        // A record of JSON is a line on the page, so only the question is the same.
        let question = error.strip_prefix(&start).unwrap().rsplit(": ").next();
        let question = question.unwrap();
        let answer = by_page(&self.browser, (&page, file), choices);
        let text = plain(answer.text());
        if answer.status() != 422 || !text.contains(question) {
            self.differences
                .push(format!("{}: {question}\n{text}", file.display()));
        }
    }
}

#[test]
fn the_page_and_the_command_store_the_same() {
    let mut both = Both::new();
    let folder = Path::new(FIXTURES).join("readings");
    for (name, register, choices) in [CASES, QUESTIONS].concat() {
        let is_export = name == "gb.xml";
        let role = if is_export { "grid-export" } else { "grid" };
        both.check(&folder.join(name), (role, register), choices);
    }
    let all = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(both.count, all, "a file is in no case");
    for (name, register, choices) in QUESTIONS {
        let unanswered = choices.split_last().unwrap().1;
        both.check_question(&folder.join(name), register, unanswered);
    }
    both.end();
}

/// Files of registers.
const REGISTERS: [&str; 7] = [
    "gb-givenergy",
    "nl-eneco",
    "nl-greenchoice",
    "nl-homewizard",
    "nl-liander",
    "nl-p1mon",
    "nl-vanons",
];

#[test]
fn the_page_and_the_command_store_the_same_of_files_of_suppliers() {
    let mut both = Both::new();
    for expected in std::fs::read_dir(Path::new(FIXTURES).join("imports")).unwrap() {
        let expected = expected.unwrap().path();
        if expected.extension().is_none_or(|it| it != "expected") {
            continue;
        }
        // NAME.expected or NAME.ROLE.expected
        let name = expected.file_stem().unwrap().to_str().unwrap();
        let (name, role) = name.split_once('.').unwrap_or((name, "grid"));
        let file =
            ["csv", "json"].map(|ending| expected.with_file_name(format!("{name}.{ending}")));
        let file = file.iter().find(|file| file.exists()).unwrap();
        let register = if REGISTERS.contains(&name) {
            "counter"
        } else {
            "interval"
        };
        // It doesn't say which end of its intervals it names.
        let choices = [("--times", "end")];
        let is_question = name == "gb-n3rgy";
        let choices: &[_] = if is_question { &choices } else { &[] };
        both.check(file, (role, register), choices);
    }
    assert!(both.count > 10);
    both.end();
}
