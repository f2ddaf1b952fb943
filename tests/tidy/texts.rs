//! The rules for everything that is not Rust: the manifest, the documents and their promises.

use std::collections::BTreeSet;

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

/// The arguments that a shell line gives to wattkeeper; `None` where it runs something else.
pub(crate) fn wattkeeper_arguments(line: &str) -> Option<Vec<String>> {
    let command = ["cargo run --release -- ", "wattkeeper "]
        .iter()
        .find_map(|command| line.strip_prefix(command))?;
    Some(
        command
            .split_whitespace()
            .take_while(|word| !matches!(*word, "|" | ">" | "<" | "&" | "&&" | "#"))
            .map(|word| word.trim_matches(['"', '\'']).to_owned())
            .collect(),
    )
}

/// The subcommands in a help text, without `help` itself.
pub(crate) fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Deeper lines go on with a description.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The targets of a document's links to other files of the project.
pub(crate) fn local_links(document: &str) -> Vec<String> {
    document
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .filter(|target| !target.contains("://"))
        .map(|target| target.split('#').next().unwrap_or(target).to_owned())
        .filter(|target| !target.is_empty())
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
        let arguments: Vec<_> = lines
            .iter()
            .map(|line| wattkeeper_arguments(line))
            .collect();
        let words = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
        assert_eq!(
            arguments,
            [
                words(&["key", "add", "home", "--scope", "read"]),
                None,
                words(&["demo"])
            ]
        );
    }

    #[test]
    fn subcommands_are_read() {
        let help = "Keys\n\nUsage: wattkeeper key <COMMAND>\n\nCommands:\n  add     Make one\n          and print it\n  list    List\n  help    Print\n\nOptions:\n  -h\n";
        assert_eq!(subcommands(help), ["add", "list"]);
        assert!(subcommands("Usage: x\n\nOptions:\n  -h\n").is_empty());
    }

    #[test]
    fn links_to_files_are_found() {
        let document =
            "[a](docs/API.md#routes) [b](https://example.org/x) [c](#here) [d](LICENSE-MIT)";
        assert_eq!(local_links(document), ["docs/API.md", "LICENSE-MIT"]);
    }
}
