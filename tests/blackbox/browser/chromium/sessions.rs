//! Signing out.

use crate::browser::house::House;
use crate::browser::window::Scripts;

fn sign_out(scripts: Scripts) {
    let house = House::start();
    house.visit(scripts, |browser| {
        browser.open("/settings");
        browser.click(".sign-out button");
        browser.wait_for_page("/sign-in");
        for page in [
            "/",
            "/settings",
            "/status",
            "/chart",
            "/settings/sensor?id=house",
        ] {
            browser.open(page);
            assert!(browser.page().starts_with("/sign-in"), "{}", browser.page());
            assert!(browser.has("#password"), "{page}");
        }
        // The browser must not show a cached page either.
        browser.back();
        browser.reload();
        assert!(browser.page().starts_with("/sign-in"), "{}", browser.page());
    });
}

#[test]
#[ignore = "needs chromium"]
fn signing_out_hides_all_pages() {
    sign_out(Scripts::On);
}

#[test]
#[ignore = "needs chromium"]
fn signing_out_hides_all_pages_without_scripts() {
    sign_out(Scripts::Off);
}

#[test]
#[ignore = "needs chromium"]
fn an_open_dashboard_shows_that_it_is_signed_out() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        browser.wait_for_text(".live-state", "live");
        // As in another tab of the same browser.
        let signed_out = browser.run_to_the_end(
            "const [done] = arguments;
             const form = document.querySelector('.sign-out');
             fetch(form.action, {method: 'POST', body: new URLSearchParams(new FormData(form))})
               .then((answer) => done(answer.ok));",
            &[],
        );
        assert_eq!(signed_out, true);
        browser.wait_for_text(".live-state", "signed out");
    });
}
