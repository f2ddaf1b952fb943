//! Twice the usual text size on a phone.

use serde_json::{Value, json};

use crate::browser::pages::{Demo, PAGES, in_language, open_link, wall_link};
use crate::browser::window::{Browser, PHONE, Scripts, Theme};

/// Elements beyond an edge of the window or cut off, at most five. Elements that scroll by
/// themselves, such as tables, can be wide.
const BEYOND: &str = "const found = [];
    const page = document.documentElement;
    page.style.fontSize = '200%';
    for (const it of document.querySelectorAll('details')) it.open = true;
    if (page.scrollWidth > page.clientWidth) found.push(`the page: ${page.scrollWidth} px`);
    const styleOf = (it) => getComputedStyle(it).overflowX;
    const scrolls = (it) => it && (['auto', 'scroll'].includes(styleOf(it)) || scrolls(it.parentElement));
    for (const it of document.querySelectorAll('body *:not(svg *)')) {
      const {left, right, width, height} = it.getBoundingClientRect();
      if (!width || !height || it.closest('.hidden, .skip')) continue;
      const name = `${it.localName}.${it.getAttribute('class') ?? ''} ${it.textContent.trim().slice(0, 40)}`;
      const isBeyond = left < -1 || right > page.clientWidth + 1;
      if (isBeyond && !scrolls(it.parentElement)) found.push(`${name}: ${Math.round(left)} to ${Math.round(right)}`);
      if (styleOf(it) === 'hidden' && it.scrollWidth > it.clientWidth + 1) found.push(`${name}: cut`);
    }
    return found.slice(0, 5);";

/// Numbers that lie over each other, or outside of their card, at most five.
const COLLIDING: &str = "const boxes = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!/[0-9]/.test(node.data) || parent.closest('.hidden, .skip, script, details:not([open]) > :not(summary)')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const card = parent.closest('.tile, td, th, .card');
      for (const {left, right, top, bottom, width} of range.getClientRects()) {
        if (width) boxes.push({left, right, top, bottom, card, words: node.data.trim()});
      }
    }
    const found = [];
    boxes.forEach((a, nth) => {
      const card = a.card?.getBoundingClientRect();
      if (card && (a.left < card.left - 1 || a.right > card.right + 1)) found.push(`${a.words} leaves its card`);
      for (const b of boxes.slice(nth + 1)) {
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > 1 && height > 4) found.push(`${a.words} and ${b.words}`);
      }
    });
    return found.slice(0, 5);";

/// The faults of the open page.
pub(super) fn beyond(browser: &Browser, name: &str) -> Vec<String> {
    let found = browser.run(BEYOND, &[]);
    let found = found.as_array().unwrap().iter().map(Value::to_string);
    found.map(|it| format!("{name}: {it}")).collect()
}

#[test]
#[ignore = "needs chromium"]
fn twice_the_text_size_stays_inside_a_phone() {
    let demo = Demo::start();
    let mut found = Vec::new();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        for language in ["en", "de", "nl", "fr"] {
            browser.open("/sign-in");
            browser.look(PHONE, Theme::Light);
            in_language(browser, language);
            found.extend(beyond(browser, &format!("sign-in, {language}")));
            demo.sign_in(browser);
            for (name, page) in PAGES {
                browser.open(&demo.address(page));
                found.extend(beyond(browser, &format!("{name}, {language}")));
            }
            browser.open("/");
            browser.click(".sign-out button");
            browser.wait_for_page("/sign-in");
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The text is as wide as that of `DejaVu`, the widest usual font, where no other one is installed.
#[test]
#[ignore = "needs chromium"]
fn numbers_never_collide() {
    const SIZES: [(u32, u32); 9] = [
        (360, 740),
        PHONE,
        (768, 1_024),
        (900, 800),
        (960, 800),
        (1_024, 768),
        (1_280, 800),
        (1_440, 900),
        // A sheet of A4.
        (680, 960),
    ];
    const SHOWN: [&str; 9] = [
        "/",
        "/?show=energy&range=month",
        "/energy",
        "/energy?range=year",
        "/energy/hours?range=year",
        "/chart?of=house&show=energy&range=month",
        "/costs?range=year",
        "/bills",
        "/settings",
    ];
    let demo = Demo::start();
    let mut found = Vec::new();
    let mut look = |browser: &Browser, page: &str| {
        for (size, family) in SIZES
            .iter()
            .flat_map(|it| [(*it, ""), (*it, "DejaVu Sans")])
        {
            browser.look(size, Theme::Light);
            let media = if size.0 == 680 { "print" } else { "" };
            browser.command("Emulation.setEmulatedMedia", &json!({"media": media}));
            browser.run(
                "document.documentElement.style.fontFamily = arguments[0]",
                &[json!(family)],
            );
            let colliding = browser.run(COLLIDING, &[]);
            let colliding = colliding.as_array().unwrap().iter();
            found.extend(colliding.map(|it| format!("{page}, {size:?} {family}: {it}")));
        }
        browser.command("Emulation.setEmulatedMedia", &json!({"media": ""}));
    };
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        for language in ["en", "de"] {
            browser.open("/sign-in");
            in_language(browser, language);
            demo.sign_in(browser);
            for page in SHOWN {
                browser.open(page);
                look(browser, &format!("{page}, {language}"));
            }
            browser.open("/");
            browser.click(".sign-out button");
            browser.wait_for_page("/sign-in");
        }
        in_language(browser, "en");
        demo.sign_in(browser);
        let link = wall_link(browser);
        open_link(browser, &link);
        look(browser, "/wall");
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}
