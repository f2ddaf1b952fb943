//! What may stand where: code and names confined to their place, imports from the left only.

use crate::source::{Kind, Problem, Source, Token, tokens_of};

/// The modules in the order in which they may import: from the left only, never a neighbour on the same step.
const ORDER: &[&[&str]] = &[
    &["domain"],
    &["store"],
    &["query", "ingest", "backups", "last_error"],
    &["house", "chart", "status"],
    &["admin", "config"],
    &["http"],
    &["server"],
    &["cli"],
    &["main", "fuzz"],
];

/// What may be written in some places only.
struct Confined {
    code: &'static [&'static str],
    to: &'static [&'static str],
}

const CONFINED: &[Confined] = &[
    Confined {
        code: &["sled"],
        to: &["src/store/"],
    },
    Confined {
        code: &["actix_web"],
        to: &["src/http/", "src/server.rs"],
    },
    Confined {
        code: &[
            "SystemTime::now",
            "now_utc",
            "now_local",
            "jiff::Timestamp::now",
            "Zoned::now",
        ],
        to: &["src/server.rs", "src/cli/"],
    },
    Confined {
        code: &["unsafe"],
        to: &["src/store/sync.rs"],
    },
    Confined {
        code: &["jiff"],
        to: &["src/domain/calendar.rs", "src/domain/interval.rs"],
    },
    Confined {
        code: &["pco"],
        to: &["src/store/"],
    },
    Confined {
        code: &["rumqttc", "tokio_rustls"],
        to: &["src/ingest/mqtt/"],
    },
    Confined {
        code: &["anyhow"],
        to: &["src/cli/", "src/main.rs"],
    },
];

/// Where code stands that may not stand there.
pub(crate) fn confined(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rule in CONFINED {
        if rule.to.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for code in rule.code {
            for index in source.find(&tokens_of(code)) {
                let places = rule.to.join(", ");
                problems.push(source.problem(
                    source.tokens[index].line,
                    format!("`{code}` belongs in {places}"),
                ));
            }
        }
    }
    problems
}

/// Imports against the order of modules.
pub(crate) fn layers(source: &Source) -> Vec<Problem> {
    let module = source.module();
    // The root only names the modules.
    let Some(own) = module.first() else {
        return Vec::new();
    };
    let Some(own_step) = step(own) else {
        return vec![source.problem(1, format!("the module `{own}` has no place in the order"))];
    };
    imports(source)
        .into_iter()
        .filter(|(_, imported)| imported != own)
        .filter(|(_, imported)| step(imported).is_some_and(|step| step >= own_step))
        .map(|(line, imported)| {
            source.problem(line, format!("`{own}` may not import from `{imported}`"))
        })
        .collect()
}

fn step(module: &str) -> Option<usize> {
    ORDER.iter().position(|step| step.contains(&module))
}

/// The top-level modules that the file names, by `crate::`, by `super::` or, in the binary, by the
/// crate's name; with their lines.
fn imports(source: &Source) -> Vec<(usize, String)> {
    let mut imports = Vec::new();
    // How many inline modules (unit tests) are open, and at which depth of braces each began.
    let (mut depth, mut inline) = (0_usize, Vec::new());
    let mut index = 0;
    while let Some(token) = source.tokens.get(index) {
        let rest = &source.tokens[index + 1..];
        match token.word() {
            Some("mod") if rest.get(1).is_some_and(|next| next.is_mark('{')) => inline.push(depth),
            Some("crate" | "wattkeeper") => imports.extend(heads_of_path(rest)),
            Some("super") => {
                let (supers, after) = count_supers(rest);
                // Reached the root exactly: what follows is a top-level module.
                if supers == source.module().len() + inline.len() {
                    imports.extend(heads_of_path(after));
                }
                index = source.tokens.len() - after.len() - 1;
            }
            _ => {}
        }
        if token.is_mark('{') {
            depth += 1;
        } else if token.is_mark('}') {
            depth -= 1;
            inline.retain(|&began| began < depth);
        }
        index += 1;
    }
    imports
}

/// How many `super` a path has whose first one was just read, and what follows the last.
fn count_supers(mut rest: &[Token]) -> (usize, &[Token]) {
    let mut supers = 1;
    while let [a, b, next, after @ ..] = rest {
        if !(a.is_mark(':') && b.is_mark(':') && next.is_word("super")) {
            break;
        }
        supers += 1;
        rest = after;
    }
    (supers, rest)
}

/// The first names of a path, or of each path of a group: `::a::b` has `a`, `::{a::b, c}` has `a` and `c`.
fn heads_of_path(rest: &[Token]) -> Vec<(usize, String)> {
    let [a, b, rest @ ..] = rest else {
        return Vec::new();
    };
    if !(a.is_mark(':') && b.is_mark(':')) {
        return Vec::new();
    }
    let named = |token: &Token| Some((token.line, token.word()?.to_owned()));
    let Some((open, group)) = rest.split_first().filter(|(first, _)| first.is_mark('{')) else {
        return rest.first().and_then(named).into_iter().collect();
    };
    let mut heads = Vec::new();
    let (mut depth, mut before) = (1_usize, open);
    for token in group {
        if depth == 1 && (before.is_mark('{') || before.is_mark(',')) {
            heads.extend(named(token));
        }
        depth += usize::from(token.is_mark('{'));
        depth -= usize::from(token.is_mark('}'));
        if depth == 0 {
            break;
        }
        before = token;
    }
    heads
}

/// Names of the wire: one file spells them, so that the format can be read in one place.
const WIRE_NAMES: &[&str] = &[
    "sensor_id",
    "api_id",
    "api_key",
    "watts",
    "watthours",
    "start_time",
    "end_time",
    "latest_rate",
    "net_consumption",
];
/// The wire format itself, the bytes of its results; the commands, whose JSON and import columns use the same names, as the
/// settings of other protocols do, and what goes by these.
const WIRE_PLACES: &[&str] = &[
    "src/http/elec/",
    "src/http/stream.rs",
    "src/cli/",
    "src/config/",
    "src/ingest/",
];

/// Names of the wire spelled in other places.
pub(crate) fn wire_names(source: &Source) -> Vec<Problem> {
    if WIRE_PLACES
        .iter()
        .any(|place| source.path.starts_with(place))
    {
        return Vec::new();
    }
    source
        .production()
        .iter()
        .filter_map(|token| match &token.kind {
            Kind::Text(text) if WIRE_NAMES.contains(&text.as_str()) => Some(source.problem(
                token.line,
                format!(
                    "the wire name {text:?} belongs in {}",
                    WIRE_PLACES.join(", ")
                ),
            )),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::source::breaches;

    #[test]
    fn code_is_confined_to_its_place() {
        let text =
            "use sled::Db; // sled\nlet now = std::time::SystemTime::now();\n#[unsafe(no_mangle)]";
        assert_eq!(
            breaches("src/query/mod.rs", text, confined),
            [
                "1: `sled` belongs in src/store/",
                "2: `SystemTime::now` belongs in src/server.rs, src/cli/",
                "3: `unsafe` belongs in src/store/sync.rs",
            ]
        );
        assert_eq!(
            breaches("src/store/sync.rs", text, confined),
            ["2: `SystemTime::now` belongs in src/server.rs, src/cli/"]
        );
        assert_eq!(
            breaches("src/store/mod.rs", "use actix_web::web;", confined),
            ["1: `actix_web` belongs in src/http/, src/server.rs"]
        );
        let harmless = "/// sled\nlet sled_free = \"sled\"; let unsafe_code = time.now;";
        assert!(breaches("src/query/mod.rs", harmless, confined).is_empty());
    }

    #[test]
    fn imports_go_left_only() {
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
            ["1: the module `extras` has no place in the order"]
        );
    }

    #[test]
    fn super_is_followed_to_the_root() {
        let text = "use super::server;\nuse super::super::server::Clock;\n\
                    mod tests { use super::super::server; use super::super::super::{admin, server::Clock}; }\n\
                    use super::super::server::Server;";
        assert_eq!(
            breaches("src/http/elec.rs", text, layers),
            [
                "2: `http` may not import from `server`",
                "3: `http` may not import from `server`",
                "4: `http` may not import from `server`",
            ]
        );
    }

    #[test]
    fn wire_names_have_one_place() {
        let text = "let field = \"api_key\"; // \"watts\"\n#[cfg(test)]\nmod tests { const FIELD: &str = \"watts\"; }";
        assert_eq!(
            breaches("src/http/auth.rs", text, wire_names),
            [
                "1: the wire name \"api_key\" belongs in src/http/elec/, src/http/stream.rs, src/cli/, src/config/, src/ingest/"
            ]
        );
        assert!(breaches("src/http/elec/names.rs", text, wire_names).is_empty());
    }
}
