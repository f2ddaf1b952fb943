//! The house rules (docs/ARCHITECTURE.md) that neither the compiler nor clippy can check. Each rule
//! is a function from text to problems, with a sample beside it that breaks it; here they meet the
//! project's own files.

// Marked as test code for clippy, which takes only what is marked for such.
#[cfg(test)]
mod addon;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod mirrors;
#[cfg(test)]
mod names;
#[cfg(test)]
mod places;
#[cfg(test)]
mod project;
#[cfg(test)]
mod sizes;
#[cfg(test)]
mod source;
#[cfg(test)]
mod surface;
#[cfg(test)]
mod texts;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use project::{documents, is_known, project, project_files, read, rust_files};
use source::Source;
use texts::Link;

/// The structs that mirror another one today. Lower it when one goes; a new one needs a reason.
const MOST_MIRRORS: usize = 193;

fn service() -> Vec<Source> {
    let files = rust_files(&["src"]);
    assert!(files.iter().any(|file| file.path == "src/lib.rs"));
    files
}

fn everything() -> Vec<Source> {
    rust_files(&["src", "tests", "benches", "examples", "fuzz"])
}

fn assert_none<P: Display>(problems: impl IntoIterator<Item = P>) {
    let lines: Vec<String> = problems.into_iter().map(|p| p.to_string()).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn code_stands_where_it_belongs() {
    assert_none(service().iter().flat_map(places::confined));
}

#[test]
fn rooms_import_in_one_direction() {
    assert_none(service().iter().flat_map(imports::layers));
}

#[test]
fn files_do_not_import_each_other() {
    assert_none(imports::circles(&service()));
}

#[test]
fn a_type_name_stands_for_one_thing() {
    assert_none(names::shared_types(&service()));
}

#[test]
fn values_cross_boundaries_as_themselves() {
    let mirrors = mirrors::mirrors(&service());
    let told = mirrors.join("\n");
    assert!(
        mirrors.len() <= MOST_MIRRORS,
        "{} structs, {MOST_MIRRORS} are allowed:\n{told}",
        mirrors.len()
    );
}

#[test]
fn each_room_lists_its_files() {
    assert_none(names::unlisted_files(&service()));
}

#[test]
fn the_wire_format_is_spelled_in_one_place() {
    assert_none(service().iter().flat_map(places::wire_names));
}

#[test]
fn files_hold_one_concept() {
    assert_none(service().iter().filter_map(sizes::file_length));
}

#[test]
fn functions_fit_on_a_screen() {
    assert_none(everything().iter().flat_map(sizes::function_length));
}

#[test]
fn tests_that_are_left_out_say_what_they_need() {
    assert_none(everything().iter().flat_map(sizes::ignored_tests));
}

#[test]
fn tests_of_one_backend_are_there() {
    let tests = rust_files(&["tests/blackbox"]);
    let list = read("tests/backend/embedded_only");
    assert_none(sizes::lost_tests(
        "tests/backend/embedded_only",
        &list,
        &tests,
    ));
}

#[test]
fn nothing_is_left_undone() {
    let others = ["Cargo.toml", "scripts/test"].map(str::to_owned);
    let texts = documents().into_iter().chain(others);
    assert_none(texts.flat_map(|path| texts::unfinished(&path, &read(&path))));
    let files = everything();
    assert_none(
        files
            .iter()
            .flat_map(|file| texts::unfinished(&file.path, &file.text)),
    );
}

#[test]
fn each_dependency_says_what_it_is_for() {
    assert_none(texts::unexplained_dependencies(&read("Cargo.toml")));
}

#[test]
fn every_language_has_every_text() {
    let files = service();
    let words = languages::words(&files);
    let mut uses: Vec<_> = files
        .iter()
        .flat_map(|file| languages::uses_of_rust(file, &words))
        .collect();
    for path in project_files("web/templates", "html") {
        uses.extend(languages::uses_of_template(&path, &read(&path), &words));
    }
    let (english, problems) = languages::texts("web/texts/en.ftl", &read("web/texts/en.ftl"));
    assert!(english.len() > 20 && uses.len() > 20);
    assert_none(problems);
    assert_none(languages::misuses(&english, &uses));
    let others = project_files("web/texts", "ftl");
    assert!(others.len() > 1);
    for path in others {
        let (texts, problems) = languages::texts(&path, &read(&path));
        assert_none(problems);
        assert_none(languages::differences(&english, &path, &texts));
    }
}

#[test]
fn every_language_has_every_text_of_a_tariff() {
    let mut english = BTreeSet::new();
    for path in project_files("contracts", "json") {
        // Worked examples have no texts for people.
        if !path.contains("/examples/") {
            english.extend(texts::texts_of_tariff(&read(&path)));
        }
    }
    assert!(english.len() > 100);
    let others = project_files("web/texts", "ftl");
    for path in others.iter().filter(|path| !path.ends_with("/en.ftl")) {
        let tag = path.rsplit('/').next().unwrap().trim_end_matches(".ftl");
        let path = format!("web/texts/tariffs/{tag}.json");
        assert_none(texts::differences_of_tariffs(&path, &read(&path), &english));
    }
}

#[test]
fn the_map_shows_every_room() {
    let shown = texts::rooms_on_the_map(&read("docs/ARCHITECTURE.md"));
    let files = service();
    // A folder that holds a module and its unit tests only is no room.
    let is_of_room = |path: &str| {
        path == "src/lib.rs" || !path.ends_with("/mod.rs") && !path.ends_with("/tests.rs")
    };
    let files = files.iter().filter(|file| is_of_room(&file.path));
    let folders = files.flat_map(|file| {
        file.path
            .match_indices('/')
            .map(|(at, _)| file.path.split_at(at))
    });
    let real: BTreeSet<String> = folders.map(|(folder, _)| folder.to_owned()).collect();
    assert!(real.len() > 20);
    let is_room = |folder: &&String| folder.matches('/').count() <= texts::DEEPEST_ROOM;
    let missing = real.difference(&shown).filter(is_room);
    assert_none(missing.map(|room| format!("docs/ARCHITECTURE.md does not show {room}")));
    assert_none(
        shown
            .difference(&real)
            .map(|room| format!("docs/ARCHITECTURE.md shows {room}, which does not exist")),
    );
}

#[test]
fn the_traces_of_the_architecture_name_what_is_there() {
    let document = read("docs/ARCHITECTURE.md");
    let traced = texts::traced(&document);
    assert!(traced.len() > 20);
    let is_there = |file: &str, item: &str| {
        let text = fs::read_to_string(project().join("src").join(file)).unwrap_or_default();
        let kinds = ["fn", "struct", "enum", "trait"];
        let starts = kinds.iter().map(|kind| format!("{kind} {item}"));
        starts
            .flat_map(|it| ["(", "<", " "].map(|end| format!("{it}{end}")))
            .any(|it| text.contains(&it))
    };
    let lost = traced.iter().filter(|(file, item)| !is_there(file, item));
    assert_none(lost.map(|(file, item)| format!("docs/ARCHITECTURE.md: no {item} in src/{file}")));
}

#[test]
fn links_between_documents_lead_somewhere() {
    let is_broken = |document: &str, link: &Link| {
        let file = match link.file.as_str() {
            "" => project().join(document),
            file => project().join(document).parent().unwrap().join(file),
        };
        let is_document = file.extension().is_some_and(|ending| ending == "md");
        match &link.anchor {
            Some(anchor) if is_document && file.is_file() => {
                !texts::anchors(&fs::read_to_string(file).unwrap()).contains(anchor)
            }
            _ => !file.exists(),
        }
    };
    assert_none(documents().iter().flat_map(|document| {
        let links = texts::local_links(&read(document)).into_iter();
        let broken = links.filter(|link| is_broken(document, link));
        let broken = broken.map(|link| format!("{document}: there is no {link}"));
        broken.collect::<Vec<_>>()
    }));
}

#[test]
fn the_commands_of_the_documents_exist() {
    assert!(!is_known(&["no-such-command".to_owned()]));
    let mut known = 0;
    for document in documents() {
        let lines = texts::shell_lines(&read(&document));
        for command in lines.iter().flat_map(|line| texts::commands(line)) {
            if let Some(arguments) = texts::wattkeeper_arguments(&command) {
                assert!(is_known(arguments), "{document}: {command:?}");
                known += 1;
            }
            let program = command.first().map_or("", String::as_str);
            if program.starts_with("scripts/") || program.starts_with("benches/") {
                assert!(can_be_run(program), "{document}: {program}");
            }
        }
    }
    assert!(known > 50);
}

fn can_be_run(path: &str) -> bool {
    fs::metadata(project().join(path)).is_ok_and(|it| it.permissions().mode() & 0o111 != 0)
}

#[test]
fn the_scripts_of_the_documents_exist() {
    let readme = texts::shell_lines(&read("README.md"));
    for command in [
        "cargo run --release -- demo",
        "scripts/test",
        "benches/peers/run",
    ] {
        assert!(
            readme.iter().any(|line| line.starts_with(command)),
            "README.md: {command}"
        );
    }
    for script in [
        "scripts/test",
        "scripts/test-on",
        "scripts/package",
        "scripts/packaging/addresses",
        "scripts/publish",
        "scripts/fleet",
        "scripts/image",
        "scripts/release",
        "scripts/screenshots",
        "scripts/site",
        ".ci/run",
        "benches/peers/run",
    ] {
        assert!(can_be_run(script), "{script} cannot be run");
    }
}

/// With `WATTKEEPER_WRITE_FIXTURES` the file is made, for a release that is not out yet.
#[test]
fn what_a_release_had_is_still_there() {
    let now = surface::all();
    if std::env::var_os("WATTKEEPER_WRITE_FIXTURES").is_some() {
        let lines: String = now.iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(project().join("tests/fixtures/surface-0.1.0"), lines).unwrap();
    }
    for release in surface::RELEASES {
        let had = read(&format!("tests/fixtures/surface-{release}"));
        assert!(had.lines().count() > 900, "{release}");
        assert_none(surface::missing(&had, &now));
    }
}
