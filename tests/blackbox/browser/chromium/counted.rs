//! The comparison with Home Assistant in a browser: on a phone and a desk, in each language.

use serde_json::Value;

use crate::browser::pages::in_language;
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};
use crate::home_assistant::counted::served;
use crate::home_assistant::fake::{HomeAssistant, NEW};
use crate::pages::browser::PASSWORD;

/// What lies beyond the edge of the window. Large numbers scroll, but a difference and its reasons are seen.
const BEYOND: &str = "const page = document.documentElement;
    const seen = 'main :not(.scroll *), .scroll :is(th:first-child, .number:nth-child(2), a)';
    return [...document.querySelectorAll(seen)].filter((it) => {
      const {right, width} = it.getBoundingClientRect();
      return width && right > page.clientWidth + 1 && !it.closest('.hidden, .skip');
    }).map((it) => `${it.localName} ${it.textContent.trim().slice(0, 40)}`).slice(0, 5);";

#[test]
#[ignore = "needs chromium"]
fn the_comparison_fits_each_window_in_chromium() {
    let home = HomeAssistant::start(NEW);
    let (_place, serving) = served(&home);
    Browser::visit(&serving.url, Scripts::On, |browser| {
        browser.sign_in(PASSWORD);
        for (tag, told) in [
            ("en", "a register was counted again"),
            ("de", "ein Zählerstand wurde noch einmal gezählt"),
        ] {
            browser.open("/settings/home-assistant/counted?account=home");
            in_language(browser, tag);
            browser.open("/settings/home-assistant/counted?account=home");
            for window in [PHONE, DESK] {
                browser.look(window, Theme::Light);
                let beyond = browser.run(BEYOND, &[]);
                assert_eq!(beyond, Value::Array(Vec::new()), "{tag} at {window:?}");
            }
            let text = browser.text("main");
            assert!(text.contains(told), "{text}");
        }
    });
    serving.stop();
}
