//! `scripts/site`: the documents as a site of plain HTML, as a reader gets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// Makes the site in a folder, from another one; whether it could, and what it said.
fn site(folder: &Path) -> (bool, String) {
    let mut command = Command::new(Path::new(PROJECT).join("scripts/site"));
    command.arg("site").current_dir(folder);
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

/// Every file below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "needs python3-markdown"]
fn documents_become_pages_by_markdown() {
    let dir = tempfile::tempdir().unwrap();
    let (made, said) = site(dir.path());
    assert!(made, "{said}");
    assert!(said.starts_with("site/index.html: "), "{said}");
    let out = dir.path().join("site");
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let index = read("index.html");
    assert!(index.contains("<h1 id=\"wattkeeper\">wattkeeper</h1>"));
    // Links lead from page to page, with the anchors that GitHub makes.
    assert!(index.contains("href=\"docs/DEPLOYING.html#a-home-assistant-add-on\""));
    assert!(read("docs/DEPLOYING.html").contains("<h2 id=\"a-home-assistant-add-on\">"));
    for name in ["docs/openapi.json", "docs/grafana/dashboard.json"] {
        assert_eq!(
            read(name),
            fs::read_to_string(Path::new(PROJECT).join(name)).unwrap()
        );
    }
    let mut pages = 0;
    for path in files(&out) {
        if path.extension().is_none_or(|ending| ending != "html") {
            continue;
        }
        pages += 1;
        let page = fs::read_to_string(&path).unwrap();
        let path = path.display();
        assert!(page.contains("<html lang=\"en\">"), "{path}");
        assert!(page.contains("aria-label=\"All pages\""), "{path}");
        for tag in page.split('<').filter(|tag| !tag.starts_with("a ")) {
            assert!(!tag.starts_with("script"), "{path}: {tag}");
            for load in ["src=\"http", "href=\"http", "srcset=\"http", "src=\"//"] {
                assert!(!tag.contains(load), "{path}: {tag}");
            }
        }
    }
    assert!(pages > 30, "{pages}");
}

#[test]
#[ignore = "needs python3-markdown"]
fn the_same_pages_come_again_by_markdown() {
    let dir = tempfile::tempdir().unwrap();
    let content = || -> Vec<(PathBuf, Vec<u8>)> {
        let (made, said) = site(dir.path());
        assert!(made, "{said}");
        let all = files(&dir.path().join("site")).into_iter();
        all.map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    };
    // Not by `assert_eq`, which would print both.
    assert!(content() == content());
    // A folder with something else is left alone.
    fs::remove_file(dir.path().join("site/index.html")).unwrap();
    let (made, said) = site(dir.path());
    assert!(
        !made && said.contains("is no site of this script"),
        "{said}"
    );
    assert!(dir.path().join("site/docs/API.html").exists());
}
