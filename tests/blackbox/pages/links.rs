//! The links of a page, as a browser follows them.

use crate::support::Response;

/// The texts before an address to be loaded. The last one is that of a page that leads to another
/// one.
const LINKS: [&str; 5] = [
    " href=\"",
    " src=\"",
    " data-live=\"",
    " data-state=\"",
    " content=\"0; url=",
];
/// That of forms.
const ACTION: &str = " action=\"";

/// Completes the addresses in an answer to a request for `asked`: those of a page by its `<base>`,
/// and that of a redirect.
pub(crate) fn complete(answer: &mut Response, asked: &str) {
    if let Some(to) = answer.head.header("location") {
        let to = resolved(asked, to);
        answer.head.set("location", &to);
    }
    let header = |name| answer.head.header(name).unwrap_or_default();
    let is_packed = !header("content-encoding").is_empty();
    if is_packed || answer.body.is_empty() || !header("content-type").starts_with("text/html") {
        return;
    }
    let (base, mut rest) = base_of(answer.text());
    let base = resolved(asked, base);
    let (begin, _) = answer.text().split_once("<base ").unwrap();
    let mut complete = format!("{begin}<base href=\"{base}\"");
    while let Some((before, address, after)) = next_address(rest, &[&LINKS[..], &[ACTION]].concat())
    {
        complete.push_str(before);
        complete.push_str(&resolved(&base, address));
        rest = after;
    }
    complete.push_str(rest);
    answer.body = complete.into_bytes();
}

/// All links on a completed page.
pub(crate) fn links(page: &str) -> Vec<String> {
    addresses(page, &LINKS)
}

/// Where the forms of a completed page are sent.
pub(crate) fn actions(page: &str) -> Vec<String> {
    addresses(page, &[ACTION])
}

fn addresses(page: &str, beginnings: &[&str]) -> Vec<String> {
    let (_, mut rest) = base_of(page);
    let mut found = Vec::new();
    while let Some((_, address, after)) = next_address(rest, beginnings) {
        found.push(super::browser::plain(address));
        rest = after;
    }
    found
}

/// The address that all others of a page are relative to, and the page after it.
fn base_of(page: &str) -> (&str, &str) {
    let (_, rest) = page.split_once("<base href=\"").expect("a page has a base");
    rest.split_once('"').unwrap()
}

/// Up to the first address after one of these, the address, and the rest.
fn next_address<'p>(page: &'p str, beginnings: &[&str]) -> Option<(&'p str, &'p str, &'p str)> {
    let begins = beginnings
        .iter()
        .filter_map(|begin| Some(page.find(begin)? + begin.len()));
    let begin = begins.min()?;
    let length = page[begin..].find('"')?;
    let (before, rest) = page.split_at(begin);
    let (address, after) = rest.split_at(length);
    Some((before, address, after))
}

/// The path of `address` on a page at the path `base`.
fn resolved(base: &str, address: &str) -> String {
    let path_of = |text: &str| text.split(['?', '#']).next().unwrap().to_owned();
    let first = path_of(address);
    if address.starts_with('/') || first.contains(':') {
        return address.to_owned();
    }
    let base = path_of(base);
    if first.is_empty() {
        return format!("{base}{address}");
    }
    let mut folder: Vec<&str> = base.split('/').collect();
    folder.pop();
    let mut rest = address;
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            // At the root, `..` is the root.
            folder.truncate(folder.len().saturating_sub(1).max(1));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            return format!("{}/{rest}", folder.join("/"));
        }
    }
}

#[test]
fn addresses_are_resolved_as_by_browsers() {
    for (base, address, expected) in [
        ("/a/b?x=/y", "c?d", "/a/c?d"),
        ("/a/b", "./", "/a/"),
        ("/a/b/c", "../../d", "/d"),
        ("/a", "../../d", "/d"),
        ("/a/", "#e", "/a/#e"),
        ("/a/b", "/c", "/c"),
        ("/a/b", "https://c.example/", "https://c.example/"),
    ] {
        assert_eq!(resolved(base, address), expected, "{address} at {base}");
    }
}
