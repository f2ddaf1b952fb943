//! The rules for everything that is not Rust: the manifest, the documents and their promises.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// Lines of dependency tables that do not say what the dependency is for.
pub(crate) fn unexplained_dependencies(manifest: &str) -> Vec<String> {
    let mut in_dependencies = false;
    let mut problems = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.trim_end_matches(']').ends_with("dependencies");
        } else if in_dependencies && line.contains('=') && !line.starts_with('#') {
            let reason = line.rsplit_once(" # ").map_or("", |(_, reason)| reason);
            if reason.trim().is_empty() {
                problems.push(format!("Cargo.toml: say what it is for: {line}"));
            }
        }
    }
    problems
}

/// Lines that say that work was left undone.
pub(crate) fn unfinished(path: &str, text: &str) -> Vec<String> {
    // In two halves, so that this file does not name itself.
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        // Of a merge.
        concat!("<<<<", "<<<"),
        concat!(">>>>", ">>>"),
    ];
    let is_part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let stands_alone = |line: &str, mark: &str| {
        line.match_indices(mark).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + mark.len()..]);
            !before.ends_with(is_part_of_word) && !after.starts_with(is_part_of_word)
        })
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| marks.iter().any(|mark| stands_alone(line, mark)))
        .map(|(index, line)| format!("{path}:{}: left undone: {}", index + 1, line.trim()))
        .collect()
}

/// The texts for people of a template of a contract.
pub(crate) fn texts_of_tariff(template: &str) -> Vec<String> {
    let template: serde_json::Value = serde_json::from_str(template).unwrap();
    let params = template["params"].as_array().into_iter().flatten();
    let parts = params.flat_map(|param| {
        let options = param["options"].as_array().into_iter().flatten();
        [&param["label"], &param["help"]]
            .into_iter()
            .chain(options.map(|option| &option["label"]))
    });
    let needs = template["needs"].as_array().into_iter().flatten();
    let own = [&template["name"], &template["about"]];
    let all = parts.chain(own).chain(needs);
    all.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// Texts of tariffs that a language lacks, and those that no tariff has.
pub(crate) fn differences_of_tariffs(
    path: &str,
    file: &str,
    english: &BTreeSet<String>,
) -> Vec<String> {
    let own: BTreeMap<String, String> = serde_json::from_str(file).unwrap();
    let own: BTreeSet<String> = own.into_keys().collect();
    let missing = english.difference(&own);
    let missing = missing.map(|text| format!("{path}: has no text for {text:?}"));
    let unused = own.difference(english);
    let unused = unused.map(|text| format!("{path}: no tariff has the text {text:?}"));
    missing.chain(unused).collect()
}

/// Rooms up to this depth must be on the map: `src/http/pages` has two. Deeper ones may be.
pub(crate) const DEEPEST_ROOM: usize = 2;

/// The folders below `src/` that the tree drawn in docs/ARCHITECTURE.md names.
pub(crate) fn rooms_on_the_map(document: &str) -> BTreeSet<String> {
    let tree = document
        .lines()
        .skip_while(|line| line.trim() != "src/")
        .take_while(|line| line.starts_with(' '));
    let mut rooms = BTreeSet::new();
    // The folders that are open, each with its indentation.
    let mut open: Vec<(usize, &str)> = Vec::new();
    for line in tree {
        let indent = line.len() - line.trim_start().len();
        open.retain(|(own, _)| *own < indent);
        let Some(name) = line
            .split_whitespace()
            .next()
            .filter(|name| name.ends_with('/'))
        else {
            continue;
        };
        open.push((indent, name));
        let path: String = open.iter().map(|(_, folder)| *folder).collect();
        rooms.insert(path.trim_end_matches('/').to_owned());
    }
    rooms
}

/// The traces of docs/ARCHITECTURE.md: rows of tables that begin with a file below `src/` and an
/// item in it.
pub(crate) fn traced(document: &str) -> Vec<(&str, &str)> {
    let rows = document.lines().filter_map(|it| it.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split_once("` | `"));
    cells
        .filter(|(file, _)| Path::new(file).extension().is_some_and(|it| it == "rs"))
        .filter_map(|(file, rest)| Some((file, rest.split_once('`')?.0)))
        .collect()
}

/// The shell commands of a document: the lines of its `sh` blocks, continued lines joined.
pub(crate) fn shell_lines(document: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut in_block, mut continued) = (false, false);
    for line in document.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            in_block = !in_block && line == "```sh";
            continue;
        }
        if !in_block || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (part, goes_on) = match line.strip_suffix('\\') {
            Some(part) => (part.trim_end(), true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| continued) {
            Some(last) => *last = format!("{last} {part}"),
            None => lines.push(part.to_owned()),
        }
        continued = goes_on;
    }
    lines
}

/// The commands of a shell line, each as its words: those of a pipe, without `sudo` and variables
/// before them, and without what goes to a file.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let is_variable = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|it| it.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let command = |part: &str| {
        let mut words = part.split_whitespace().peekable();
        while let Some(&word) = words.peek() {
            if word == "-u" {
                words.next();
            } else if word != "sudo" && !is_variable(word) {
                break;
            }
            words.next();
        }
        let words = words.take_while(|it| !it.starts_with(['>', '<', '&', '#']));
        words
            .map(|it| it.trim_matches(['"', '\'']).to_owned())
            .collect()
    };
    line.split(" | ").map(command).collect()
}

/// The arguments that a command gives to wattkeeper; `None` if it runs something else.
pub(crate) fn wattkeeper_arguments(command: &[String]) -> Option<&[String]> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let skipped = match words.as_slice() {
        ["wattkeeper", ..] => 1,
        ["cargo", "run", "--release", "--", ..] => 4,
        // The name of the service, and the program in it or an argument of that.
        ["docker", "compose", ..] => {
            let service = words.iter().position(|it| *it == "wattkeeper")?;
            let is_program = words.get(service + 1) == Some(&"wattkeeper");
            service + 1 + usize::from(is_program)
        }
        _ => return None,
    };
    command.get(skipped..)
}

/// A link to a place in this project: a file, empty for the document itself, and an anchor in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub file: String,
    pub anchor: Option<String>,
}

impl Display for Link {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        self.anchor.iter().try_for_each(|it| write!(f, "#{it}"))
    }
}

/// A document's links to places in this project.
pub(crate) fn local_links(document: &str) -> Vec<Link> {
    let targets = document
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'));
    targets
        .map(|(target, _)| target)
        .filter(|target| !target.contains("://"))
        .map(|target| match target.split_once('#') {
            Some((file, anchor)) => (file, Some(anchor.to_owned())),
            None => (target, None),
        })
        .map(|(file, anchor)| Link {
            file: file.to_owned(),
            anchor,
        })
        .collect()
}

/// The anchors of a document: those of its headings, as GitHub makes them, and those in HTML.
pub(crate) fn anchors(document: &str) -> BTreeSet<String> {
    let in_html = document.split("<a id=\"").skip(1);
    let in_html = in_html.filter_map(|rest| rest.split('"').next());
    let headings = document.lines().filter(|line| line.starts_with('#'));
    let of_heading = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.replace(' ', "-");
        kept.chars()
            .filter(|&c| c.is_alphanumeric() || c == '-' || c == '_')
            .collect()
    };
    headings
        .map(of_heading)
        .chain(in_html.map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod samples {
    use super::*;

    #[test]
    fn dependencies_are_explained() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nlog = \"0.4\" # log statements\n# more\nsled = \"0.34\"\n\
                        [dev-dependencies]\ntempfile = \"3\" # \n[target.'cfg(unix)'.dependencies]\nlibc = { version = \"0.2\" }\n[lints.rust]\na = 1\n";
        assert_eq!(
            unexplained_dependencies(manifest),
            [
                "Cargo.toml: say what it is for: sled = \"0.34\"",
                "Cargo.toml: say what it is for: tempfile = \"3\" # ",
                "Cargo.toml: say what it is for: libc = { version = \"0.2\" }",
            ]
        );
    }

    #[test]
    fn work_left_undone_is_found() {
        let mark = concat!("TO", "DO");
        let text = format!("fine\n// {mark}: later\nlet {mark}S = 1;\nx{mark}\n({mark})");
        assert_eq!(
            unfinished("src/a.rs", &text),
            [
                format!("src/a.rs:2: left undone: // {mark}: later"),
                format!("src/a.rs:5: left undone: ({mark})")
            ]
        );
        let macros = concat!("fn f() { to", "do!() }");
        assert_eq!(unfinished("src/a.rs", macros).len(), 1);
    }

    #[test]
    fn the_map_is_read() {
        let document = "# House\n\n    src/\n      main.rs    parse\n      store/     the only code\n        rows/   newest\n\
                        \x20       blocks/\n      cli/       one file a command\n\n    tests/\n";
        let rooms = [
            "src",
            "src/cli",
            "src/store",
            "src/store/blocks",
            "src/store/rows",
        ];
        assert_eq!(rooms_on_the_map(document), rooms.map(str::to_owned).into());
    }

    #[test]
    fn traces_are_read() {
        let document = "| `a/b.rs` | `go` | goes |\n| `a` | `b` | c |\n`c.rs` | `no`\n";
        assert_eq!(traced(document), [("a/b.rs", "go")]);
    }

    #[test]
    fn commands_of_a_document_are_read() {
        let document = "wattkeeper outside\n```sh\n# a comment\nwattkeeper key add home --scope \"read\" > key.txt\n\
                        curl -d x \\\n  http://host\n```\n```json\nwattkeeper json\n```\n```sh\ncargo run --release -- demo\n```\n";
        let lines = shell_lines(document);
        assert_eq!(
            lines,
            [
                "wattkeeper key add home --scope \"read\" > key.txt",
                "curl -d x http://host",
                "cargo run --release -- demo"
            ]
        );
        let lines = [
            lines[0].as_str(),
            &lines[1],
            &lines[2],
            "xz -dc a | sudo -u wattkeeper wattkeeper import - <b",
            "A_B=c wattkeeper check",
            "docker compose -f a.yaml exec wattkeeper wattkeeper check",
            "docker compose run wattkeeper check",
            "docker compose up",
        ];
        let arguments = lines.map(|line| {
            let all = commands(line);
            let found = all.iter().find_map(|it| wattkeeper_arguments(it));
            found.map(|words| words.join(" "))
        });
        let arguments = arguments.each_ref().map(Option::as_deref);
        assert_eq!(
            arguments,
            [
                Some("key add home --scope read"),
                None,
                Some("demo"),
                Some("import -"),
                Some("check"),
                Some("check"),
                Some("check"),
                None
            ]
        );
    }

    #[test]
    fn links_to_files_are_found() {
        let document =
            "[a](docs/API.md#routes) [b](https://example.org/x) [c](#here) [d](LICENSE-MIT)";
        let links = local_links(document);
        let links: Vec<String> = links.iter().map(Link::to_string).collect();
        assert_eq!(links, ["docs/API.md#routes", "#here", "LICENSE-MIT"]);
    }

    #[test]
    fn anchors_are_those_of_headings_and_html() {
        let document =
            "# The file's `time`, A and B\ntext # no\n<a id=\"people\"></a>**To people**";
        let anchors = anchors(document);
        assert_eq!(
            anchors,
            ["people", "the-files-time-a-and-b"]
                .map(str::to_owned)
                .into()
        );
    }
}
