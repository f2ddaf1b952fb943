//! Names that a reader can rely on: of types, and of files in the list of their room.

use std::collections::BTreeMap;

use crate::source::{Problem, Source};

/// Types that other files can see and that share their name with another type.
pub(crate) fn shared_types(files: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<(bool, String)>> = BTreeMap::new();
    for file in files {
        for (name, line, is_public) in types(file) {
            let place = (is_public, format!("{}:{line}", file.path));
            places.entry(name).or_default().push(place);
        }
    }
    places
        .into_iter()
        .filter(|(_, places)| places.len() > 1 && places.iter().any(|(is_public, _)| *is_public))
        .map(|(name, places)| {
            let places: Vec<String> = places.into_iter().map(|(_, place)| place).collect();
            format!("`{name}` stands for several types: {}", places.join(", "))
        })
        .collect()
}

/// The types that a file defines outside of functions and inline modules: name, line, whether other
/// files can see it.
fn types(file: &Source) -> Vec<(&str, usize, bool)> {
    let mut found = Vec::new();
    let (mut depth, mut is_public) = (0_usize, false);
    for pair in file.production().windows(2) {
        let [token, next] = pair else { continue };
        if token.is_mark('{') {
            depth += 1;
        } else if token.is_mark('}') {
            depth = depth.saturating_sub(1);
        }
        let ends_item = token.is_mark(';') || token.is_mark('}') || token.is_mark(']');
        is_public = token.is_word("pub") || is_public && !ends_item;
        let defines = ["struct", "enum", "trait", "union", "type"]
            .iter()
            .any(|keyword| token.is_word(keyword));
        if depth == 0
            && defines
            && let Some(name) = next.word()
        {
            found.push((name, next.line, is_public));
            is_public = false;
        }
    }
    found
}

/// Files and folders of a room that its `mod.rs` does not list, each in backticks, in the comment
/// at its head.
pub(crate) fn unlisted_files(files: &[Source]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for room in files.iter().filter(|file| file.path.ends_with("/mod.rs")) {
        let head: String = room
            .text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .collect();
        let own = room.module();
        let inside = files.iter().map(Source::module).filter(|module| {
            module.len() == own.len() + 1
                && module.starts_with(&own)
                && module.last() != Some(&"tests")
        });
        for module in inside {
            let name = module.last().copied().unwrap_or_default();
            if !head.contains(&format!("`{name}`")) {
                problems.push(
                    room.problem(1, format!("the comment at the head does not list `{name}`")),
                );
            }
        }
    }
    problems
}

#[cfg(test)]
mod samples {
    use super::*;

    #[test]
    fn names_of_types_are_unique_or_private() {
        let files = [
            Source::new(
                "src/a.rs",
                "pub(crate) struct Page { a: u8 }\nstruct Row;\nimpl T for A { type Error = B; }",
            ),
            Source::new(
                "src/b.rs",
                "#[derive(Debug)]\nenum Page {}\nstruct Row;\n#[cfg(test)]\nmod tests { struct A; }",
            ),
            Source::new("src/c.rs", "pub fn f() {}\nstruct Row;\npub trait A {}"),
        ];
        assert_eq!(
            shared_types(&files),
            ["`Page` stands for several types: src/a.rs:1, src/b.rs:2"]
        );
    }

    #[test]
    fn a_room_lists_its_files() {
        let files = [
            Source::new(
                "src/a/mod.rs",
                "//! A room: `b` and so on.\n\nmod b; mod c; mod tests;",
            ),
            Source::new("src/a/b.rs", ""),
            Source::new("src/a/c/mod.rs", "//! Another."),
            Source::new("src/a/tests.rs", ""),
        ];
        let problems: Vec<String> = unlisted_files(&files)
            .iter()
            .map(Problem::to_string)
            .collect();
        assert_eq!(
            problems,
            ["src/a/mod.rs:1: the comment at the head does not list `c`"]
        );
    }
}
