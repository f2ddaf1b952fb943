//! The rules for the texts of pages, `web/texts/*.ftl`: all languages have the same ones, and each
//! is used.
//!
//! A text is used where its name stands as a literal: `say("..")`, `mistake("..", ..)`,
//! `labelled("..", ..)`, `fill("..", ..)`, `coded("..", ..)`, in Rust and in templates. A name may
//! be made at run time from the word of an enum alone, as `word("role", Role::as_str(role))` and
//! `fill_word`: then each word that `words!` gives the enum makes a name.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;

use crate::source::{Kind, Source, Token, tokens_of};

/// The parts of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TextParts {
    /// Its values: `x` of `{ $x }`.
    values: BTreeSet<String>,
    /// The texts in it: `other` of `{ other }`.
    texts: BTreeSet<String>,
}

/// The texts of a file by name.
pub(crate) type Texts = BTreeMap<String, TextParts>;

/// The texts of a file, and its own faults.
pub(crate) fn texts(path: &str, file: &str) -> (Texts, Vec<String>) {
    let mut problems: Vec<String> = match FluentResource::try_new(file.to_owned()) {
        Ok(_) => Vec::new(),
        Err((_, errors)) => errors.iter().map(|it| format!("{path}: {it}")).collect(),
    };
    let mut texts = Texts::new();
    let mut last = None;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let begun = line.split_once('=').filter(|_| !line.starts_with(' '));
        let text = match begun {
            Some((name, text)) => {
                let name = name.trim().to_owned();
                if texts.insert(name.clone(), TextParts::default()).is_some() {
                    problems.push(format!("{path}: two texts are named {name}"));
                }
                last = Some(name);
                text
            }
            None => line,
        };
        let parts = last.as_ref().and_then(|name| texts.get_mut(name));
        let Some(parts) = parts else { continue };
        for inner in text.split('{').skip(1) {
            let inner = inner.trim_start();
            let name = |text: &str| {
                let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
                text[..end].to_owned()
            };
            match inner.strip_prefix('$') {
                Some(value) => parts.values.insert(name(value)),
                None => parts.texts.insert(name(inner)),
            };
        }
        // A text in quotes, as of spaces, has no name.
        parts.texts.remove("");
    }
    (texts, problems)
}

/// How two files differ; `other` is to be like `english`.
pub(crate) fn differences(english: &Texts, path: &str, other: &Texts) -> Vec<String> {
    let mut problems = Vec::new();
    for name in english.keys().filter(|name| !other.contains_key(*name)) {
        problems.push(format!("{path}: {name} is missing"));
    }
    for name in other.keys() {
        if !english.contains_key(name) {
            problems.push(format!("{path}: {name} is not in en.ftl"));
        } else if values(english, name) != values(other, name) {
            problems.push(format!("{path}: {name} has other values than in en.ftl"));
        }
    }
    problems
}

/// The values that a text needs, with those of the texts in it.
fn values(texts: &Texts, name: &str) -> BTreeSet<String> {
    let Some(parts) = texts.get(name) else {
        return BTreeSet::new();
    };
    let inner = parts.texts.iter().flat_map(|inner| values(texts, inner));
    parts.values.iter().cloned().chain(inner).collect()
}

/// A place that uses a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Use {
    place: String,
    name: String,
    /// `None` where they are not spelled out.
    values: Option<BTreeSet<String>>,
}

/// The words of each enum that has some.
pub(crate) fn words(files: &[Source]) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for file in files {
        for (at, token) in file.tokens.iter().enumerate() {
            let rest = &file.tokens[at + 1..];
            if let [bang, open, name, colon, ..] = rest
                && token.is_word("words")
                && bang.is_mark('!')
                && open.is_mark('{')
                && colon.is_mark(':')
            {
                let listed = rest.iter().take_while(|token| !token.is_mark(';'));
                let words = listed.filter_map(text_of).map(str::to_owned).collect();
                all.insert(name.word().unwrap_or_default().to_owned(), words);
            }
        }
    }
    all
}

/// The texts that a Rust file uses.
pub(crate) fn uses_of_rust(file: &Source, words: &BTreeMap<String, Vec<String>>) -> Vec<Use> {
    uses(&file.path, file.production(), words)
}

/// The texts that a template uses.
pub(crate) fn uses_of_template(
    path: &str,
    text: &str,
    words: &BTreeMap<String, Vec<String>>,
) -> Vec<Use> {
    let mut uses = Vec::new();
    for [open, close] in [["{{", "}}"], ["{%", "%}"]] {
        let inner = text
            .split(open)
            .skip(1)
            .filter_map(|it| it.split(close).next());
        uses.extend(inner.flat_map(|inner| self::uses(path, &tokens_of(inner), words)));
    }
    uses
}

fn text_of(token: &Token) -> Option<&str> {
    match &token.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

fn uses(path: &str, tokens: &[Token], words: &BTreeMap<String, Vec<String>>) -> Vec<Use> {
    let mut uses = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let [open, literal, rest @ ..] = &tokens[at + 1..] else {
            break;
        };
        let Some(name) = text_of(literal).filter(|_| open.is_mark('(')) else {
            continue;
        };
        let place = format!("{path}:{}", token.line);
        let one = |name: String, values| Use {
            place: place.clone(),
            name,
            values,
        };
        match token.word() {
            Some("say" | "mistake" | "labelled") => {
                uses.push(one(name.to_owned(), Some(BTreeSet::new())));
            }
            Some("fill" | "coded") => uses.push(one(name.to_owned(), given(rest))),
            Some(call @ ("word" | "fill_word")) => {
                let of = rest.get(1).and_then(Token::word);
                let is_spelled = rest.get(4).is_some_and(|it| it.is_word("as_str"));
                let words = of.filter(|_| is_spelled).and_then(|of| words.get(of));
                let end = rest.iter().position(|it| it.is_mark(')'));
                let values = match end {
                    Some(end) if call == "fill_word" => given(&rest[end + 1..]),
                    _ => Some(BTreeSet::new()),
                };
                match words {
                    Some(words) => {
                        let each = words.iter();
                        uses.extend(each.map(|it| one(format!("{name}-{it}"), values.clone())));
                    }
                    // Reported as a text that there is not.
                    None => uses.push(one(format!("{name}-(the words of which enum?)"), None)),
                }
            }
            _ => {}
        }
    }
    uses
}

/// The names of the values in `, [("name", value), ..]`; `None` where it goes on otherwise.
fn given(rest: &[Token]) -> Option<BTreeSet<String>> {
    let is_list = matches!(rest, [comma, open, ..] if comma.is_mark(',') && open.is_mark('['));
    let mut names = BTreeSet::new();
    let mut depth = 0_usize;
    for (at, token) in rest.iter().enumerate().skip(1).filter(|_| is_list) {
        match token.kind {
            Kind::Mark('[' | '(' | '{') => depth += 1,
            Kind::Mark(']' | ')' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(names);
        }
        if depth == 2 && token.is_mark('(') {
            names.extend(rest.get(at + 1).and_then(text_of).map(str::to_owned));
        }
    }
    None
}

/// Uses of texts that are not there or need more values, and texts that nobody uses.
pub(crate) fn misuses(english: &Texts, uses: &[Use]) -> Vec<String> {
    let mut problems = Vec::new();
    for Use {
        place,
        name,
        values: given,
    } in uses
    {
        if !english.contains_key(name) {
            problems.push(format!("{place}: there is no text {name}"));
        } else if let Some(given) = given {
            let needed = values(english, name);
            for value in needed.difference(given) {
                problems.push(format!("{place}: {name} needs the value {value}"));
            }
        }
    }
    let direct = uses.iter().map(|it| &it.name);
    let inner = english.values().flat_map(|it| &it.texts);
    let known: BTreeSet<&String> = direct.chain(inner).collect();
    let unused = english.keys().filter(|name| !known.contains(name));
    problems.extend(unused.map(|name| format!("web/texts: nobody uses {name}")));
    problems
}

#[cfg(test)]
mod samples {
    use super::*;

    const FILE: &str = "# a comment = { $no }\na-b = A { $x }, { c }\nc =\n    { $n ->\n        [one] one\n       *[other] { $n }\n    }\nd-e = \"{ \"\" }\n";

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn texts_are_read() {
        let (texts, problems) = texts("en.ftl", FILE);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["a-b", "c", "d-e"]);
        assert_eq!(values(&texts, "a-b"), set(&["x", "n"]));
        assert_eq!(values(&texts, "d-e"), set(&[]));
        let (_, problems) = self::texts("en.ftl", "a = A\nb = {\na = B\n");
        assert_eq!(problems.len(), 2, "{problems:?}");
    }

    #[test]
    fn languages_are_compared() {
        let english = texts("en.ftl", "a = A\nb = B { $x }\nc = C").0;
        let other = texts("de.ftl", "b = B { $y }\nc = C\nd = D").0;
        assert_eq!(
            differences(&english, "de.ftl", &other),
            [
                "de.ftl: a is missing",
                "de.ftl: b has other values than in en.ftl",
                "de.ftl: d is not in en.ftl"
            ]
        );
    }

    #[test]
    fn uses_are_found() {
        let file = Source::new(
            "src/a.rs",
            "words! { Role: Grid \"grid\", Sub \"sub-meter\"; \"grid or sub-meter\" }\n\
             fn f() { it.say(\"a\"); fill(\"b\", [(\"x\", g((1, \"y\")).into()), (\"z\", h)]); it.fill(\"c\", all);\n\
             it.word(\"role\", Role::as_str(role)); it.word(\"role\", role); }\n#[cfg(test)] mod tests { fn t() { say(\"d\") } }",
        );
        let words = words(std::slice::from_ref(&file));
        let found = |line: usize, name: &str, values: Option<&[&str]>| Use {
            place: format!("src/a.rs:{line}"),
            name: name.to_owned(),
            values: values.map(set),
        };
        assert_eq!(
            uses_of_rust(&file, &words),
            [
                found(2, "a", Some(&[])),
                found(2, "b", Some(&["x", "z"])),
                found(2, "c", None),
                found(3, "role-grid", Some(&[])),
                found(3, "role-sub-meter", Some(&[])),
                found(3, "role-(the words of which enum?)", None),
            ]
        );
        let page = "<a title=\"{{ it.say(\"a\") }}\">it's {% if x %}{{ it.fill(\"b\", [(\"x\", x.into())]) }}{% endif %}</a>";
        let uses = uses_of_template("a.html", page, &words);
        let names: Vec<&str> = uses.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let english = texts("en.ftl", "b = B { $x } { $y }\nc = { b }\nd = D").0;
        assert_eq!(
            misuses(&english, &uses),
            [
                "a.html:1: there is no text a",
                "a.html:1: b needs the value y",
                "web/texts: nobody uses c",
                "web/texts: nobody uses d",
            ]
        );
    }
}
