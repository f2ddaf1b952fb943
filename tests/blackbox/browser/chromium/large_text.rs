//! Twice the usual text size on a phone.

use serde_json::Value;

use crate::browser::pages::{Demo, PAGES, in_language};
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
        for language in ["en", "de"] {
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
