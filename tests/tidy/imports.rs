//! Which module imports which: one direction between rooms and inside them, and no circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Problem, Source, Token};

/// A room, and its modules in import order: each imports from the steps before its own only.
type Order = (&'static str, &'static [&'static [&'static str]]);

/// Every module of these rooms has a step. The room's own `mod.rs` stands above all of them.
const ORDERS: &[Order] = &[
    (
        "",
        &[
            &["domain", "locks", "trust"],
            &["ledger", "texts"],
            &["store"],
            &["query", "ingest", "backups", "last_error", "tally"],
            &["house"],
            &["chart", "status", "mqtt", "poll"],
            &["price_sources", "home_assistant"],
            &["notices"],
            &["admin", "config"],
            &["export"],
            &["http"],
            &["server"],
            &["cli"],
            &["main", "fuzz"],
        ],
    ),
    (
        "store",
        &[
            &["error", "settings"],
            &["records"],
            &["blocks"],
            &["rows"],
            &["prices"],
            &["registry"],
            &["backend"],
            &["read"],
            &["change"],
            &["handle"],
            &["embedded", "postgres"],
            &["care"],
        ],
    ),
    (
        "store::embedded",
        &[
            &["disk"],
            &["blocks"],
            &["rows"],
            &["journal", "facts"],
            &["log"],
            &["index"],
            &["state"],
            &["from_volumes"],
            &["load"],
            &["writer"],
            &["backend"],
            &["open"],
            &["care"],
        ],
    ),
    (
        "mqtt",
        &[&["intake", "home_assistant"], &["devices"], &["client"]],
    ),
    (
        "http",
        &[
            &["wire"],
            &["gate"],
            &["protocols"],
            &["operate"],
            &["pages"],
        ],
    ),
    (
        "http::pages",
        &[
            &["frame"],
            &["sign_in"],
            &["repair"],
            &["settings"],
            &["service"],
            &["wizard"],
            &["meters"],
            &["people"],
            &["charts"],
            &["money"],
            &["energy"],
            &["overview"],
            &["state"],
        ],
    ),
];

/// Imports against the order of modules.
pub(crate) fn layers(source: &Source) -> Vec<Problem> {
    let module = source.module();
    let mut problems = Vec::new();
    // Unit tests in a file of their own can import anything.
    if module.last() == Some(&"tests") {
        return problems;
    }
    let paths = paths(source);
    for (room, steps) in ORDERS {
        let Some([own, ..]) = inside(&module, room) else {
            continue;
        };
        let step = |name: &str| steps.iter().position(|step| step.contains(&name));
        let Some(own_step) = step(own) else {
            let room = if room.is_empty() { "the crate" } else { room };
            problems
                .push(source.problem(1, format!("`{own}` has no place in the order of {room}")));
            continue;
        };
        for (line, path) in &paths {
            match inside(path, room) {
                Some([other, ..]) if other == own => {}
                Some([other, ..]) if step(other).is_some_and(|step| step < own_step) => {}
                // The crate's root only names the modules.
                None | Some([]) => {}
                Some([other, ..]) if room.is_empty() && step(other).is_none() => {}
                Some([other, ..]) => problems
                    .push(source.problem(*line, format!("`{own}` may not import from `{other}`"))),
            }
        }
    }
    problems.dedup_by(|a, b| a.line == b.line && a.what == b.what);
    problems
}

/// The part after `room` in `path`; `None` where it leads elsewhere.
fn inside<'a, S: AsRef<str>>(path: &'a [S], room: &str) -> Option<&'a [S]> {
    let mut rest = path;
    for part in room.split("::").filter(|part| !part.is_empty()) {
        let (first, others) = rest.split_first()?;
        if first.as_ref() != part {
            return None;
        }
        rest = others;
    }
    Some(rest)
}

/// Files that import each other, directly or by way of others: each circle as one line. A `mod.rs`
/// may use what lies in its own folder; that alone is no circle.
pub(crate) fn circles(files: &[Source]) -> Vec<String> {
    let modules: BTreeMap<String, &Source> = files
        .iter()
        .map(|file| (file.module().join("::"), file))
        .collect();
    let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, file) in &modules {
        for (_, path) in paths(file) {
            let imported = (0..=path.len())
                .rev()
                .find_map(|length| modules.get_key_value(&path[..length].join("::")));
            let Some((imported, _)) = imported else {
                continue;
            };
            let is_own_child = imported.starts_with(&format!("{module}::"));
            if imported != module && !is_own_child && !module.is_empty() {
                imports.entry(module).or_default().insert(imported);
            }
        }
    }
    let mut circles = BTreeSet::new();
    for &start in imports.keys() {
        if let Some(circle) = circle_through(start, &imports) {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// The other modules that `start` reaches and that reach `start`.
fn circle_through(start: &str, imports: &BTreeMap<&str, BTreeSet<&str>>) -> Option<String> {
    let reached_from = |from: &str| {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut waiting = vec![from.to_owned()];
        while let Some(next) = waiting.pop() {
            for &imported in imports.get(next.as_str()).into_iter().flatten() {
                if reached.insert(imported.to_owned()) {
                    waiting.push(imported.to_owned());
                }
            }
        }
        reached
    };
    let reached = reached_from(start);
    let circle: Vec<String> = reached
        .iter()
        .filter(|other| reached_from(other).contains(start))
        .cloned()
        .collect();
    (!circle.is_empty()).then(|| format!("these files import each other: {}", circle.join(", ")))
}

/// The paths inside the crate that a file names outside of its unit tests, each from the crate's
/// root, with their lines.
fn paths(source: &Source) -> Vec<(usize, Vec<String>)> {
    let mut paths = Vec::new();
    let own: Vec<String> = source
        .module()
        .iter()
        .map(|&part| part.to_owned())
        .collect();
    let tokens = source.production();
    // Inline modules that are open, each with its depth of braces.
    let mut inline: Vec<(usize, String)> = Vec::new();
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let rest = &tokens[index + 1..];
        if token.is_mark('{') {
            depth += 1;
        } else if token.is_mark('}') {
            depth = depth.saturating_sub(1);
            inline.retain(|(began, _)| *began < depth);
        } else if token.is_word("mod") && rest.get(1).is_some_and(|next| next.is_mark('{')) {
            let name = rest[0].word().unwrap_or_default().to_owned();
            inline.push((depth, name));
        }
        // `pub(in crate::store)` imports nothing.
        let is_visibility = index > 0 && tokens[index - 1].is_word("in");
        let follows_path = index > 0 && tokens[index - 1].is_mark(':');
        let is_start = ["crate", "self", "super", "wattkeeper"]
            .iter()
            .any(|start| token.is_word(start));
        if !is_start || is_visibility || follows_path || !begins_with_colons(rest) {
            continue;
        }
        let mut base: Vec<String> = own.clone();
        base.extend(inline.iter().map(|(_, name)| name.clone()));
        let mut rest = rest;
        match token.word() {
            Some("super") => {
                base.pop();
                while let [_, _, next, ..] = rest {
                    if !next.is_word("super") {
                        break;
                    }
                    base.pop();
                    rest = &rest[3..];
                }
            }
            Some("self") => {}
            _ => base.clear(),
        }
        let line = token.line;
        for path in branches(&mut rest) {
            paths.push((line, [base.clone(), path].concat()));
        }
    }
    paths
}

fn begins_with_colons(tokens: &[Token]) -> bool {
    matches!(tokens, [a, b, ..] if a.is_mark(':') && b.is_mark(':'))
}

/// The paths that go on behind a first segment: `::a::b` is one, `::{a::b, c}` are two.
fn branches(rest: &mut &[Token]) -> Vec<Vec<String>> {
    let mut path = Vec::new();
    while begins_with_colons(rest) {
        let Some(next) = rest.get(2) else { break };
        if next.is_mark('{') {
            *rest = &rest[3..];
            let mut all = Vec::new();
            while let Some(first) = rest.first() {
                *rest = &rest[1..];
                if first.is_mark('}') {
                    break;
                }
                if let Some(word) = first.word().filter(|word| *word != "as") {
                    for branch in branches(rest) {
                        let first = (word != "self").then(|| word.to_owned());
                        all.push([path.clone(), first.into_iter().collect(), branch].concat());
                    }
                }
            }
            return all;
        }
        let Some(word) = next.word() else { break };
        path.push(word.to_owned());
        *rest = &rest[3..];
    }
    vec![path]
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::source::breaches;

    #[test]
    fn rooms_import_in_one_direction() {
        let text = "use crate::domain::time::Timestamp;\nuse crate::{store::{Store, http}, http::elec, query};\n\
                    fn f() -> crate::server::Clock { super::cli::run() }\nuse std::{crate_name, server};";
        assert_eq!(
            breaches("src/query/mod.rs", text, layers),
            [
                "2: `query` may not import from `http`",
                "3: `query` may not import from `server`",
                "3: `query` may not import from `cli`",
            ]
        );
        assert!(breaches("src/cli/serve.rs", text, layers).is_empty());
        assert_eq!(
            breaches("src/ingest/mod.rs", "use crate::query::Query;", layers),
            ["1: `ingest` may not import from `query`"]
        );
        assert_eq!(
            breaches("src/cli/serve.rs", "use wattkeeper::main;", layers),
            ["1: `cli` may not import from `main`"]
        );
        assert_eq!(
            breaches("src/extras.rs", "", layers),
            ["1: `extras` has no place in the order of the crate"]
        );
    }

    #[test]
    fn so_do_the_rooms_inside_them() {
        let text = "use super::super::care::check;\nuse crate::store::{blocks::{block, seal}, Store};\nuse super::tally;";
        assert_eq!(
            breaches("src/store/blocks/space.rs", text, layers),
            [
                "1: `blocks` may not import from `care`",
                "2: `blocks` may not import from `Store`",
            ]
        );
        assert_eq!(
            breaches("src/http/pages/extras/mod.rs", "", layers),
            ["1: `extras` has no place in the order of http::pages"]
        );
        assert!(
            breaches(
                "src/store/mod.rs",
                "pub use self::care::check::Findings;",
                layers
            )
            .is_empty()
        );
    }

    #[test]
    fn super_is_followed_to_the_root() {
        let text = "use super::server;\nuse super::super::server::Clock;\n\
                    mod inner { use super::super::super::{admin, server::Clock}; }\nuse super::super::server::Server;";
        assert_eq!(
            breaches("src/query/buckets.rs", text, layers),
            [
                "2: `query` may not import from `server`",
                "3: `query` may not import from `admin`",
                "3: `query` may not import from `server`",
                "4: `query` may not import from `server`",
            ]
        );
    }

    #[test]
    fn circles_are_found() {
        let circle = [
            Source::new(
                "src/chart/mod.rs",
                "mod a; pub use self::a::A; fn f() { crate::chart::b::g() }",
            ),
            Source::new("src/chart/a.rs", "use super::{b::B, c};"),
            Source::new("src/chart/b.rs", "use crate::chart::c::C;"),
            Source::new("src/chart/c.rs", "fn f() { super::a::g() }"),
            Source::new("src/chart/d.rs", "use super::A;"),
        ];
        assert_eq!(
            circles(&circle),
            ["these files import each other: chart::a, chart::b, chart::c"]
        );
        assert!(circles(&circle[..3]).is_empty());
    }
}
