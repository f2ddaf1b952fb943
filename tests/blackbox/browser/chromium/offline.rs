//! The page that a browser shows while the server can't be reached.

use serde_json::json;

use crate::browser::house::House;
use crate::browser::window::Scripts;

/// Resolves once a worker is ready for the next page.
const WORKER_IS_READY: &str = "const done = arguments[arguments.length - 1];
    navigator.serviceWorker.ready.then(({active}) => {
      const look = () => active.state === 'activated' ? done(true) : setTimeout(look, 20);
      look();
    })";

#[test]
#[ignore = "needs chromium"]
fn a_server_that_is_gone_is_said_in_the_language_of_the_page() {
    let house = House::start();
    house.upload(1_234.0);
    house.visit(Scripts::On, |browser| {
        assert_eq!(browser.run_to_the_end(WORKER_IS_READY, &[]), json!(true));
        let foreign = "const done = arguments[arguments.length - 1]; caches.open('of another service').then(() => done(true))";
        assert_eq!(browser.run_to_the_end(foreign, &[]), json!(true));
        // With the worker all pages work as before: redirected, not found, reloaded.
        browser.open("/");
        browser.wait_for_text(".now-narrow [data-now=grid] .power", "1.23 kW");
        house.upload(456.0);
        browser.reload();
        browser.wait_for_text(".now-narrow [data-now=grid] .power", "456 W");
        browser.click(".languages button[value=de]");
        browser.wait_for_text("h1", "Übersicht");
        browser.wait("the page in German", || {
            let kept = "const done = arguments[arguments.length - 1];
                caches.match('/offline').then((it) => it.text()).then((text) => done(text.includes('Noch einmal')), () => done(false))";
            (browser.run_to_the_end(kept, &[]) == json!(true)).then_some(())
        });
        // It keeps the page and its style, scripts and images.
        let kept = "const done = arguments[arguments.length - 1];
            (async () => {
              const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
              return all.flat().map(({url}) => new URL(url).pathname.split('/').pop()).sort();
            })().then(done)";
        assert_eq!(
            browser.run_to_the_end(kept, &[]),
            json!(["icon.svg", "offline", "offline.js", "style.css"])
        );
        // The worker of the other language removed what that of the first one kept, and nothing
        // else.
        let names = "const done = arguments[arguments.length - 1]; caches.keys().then((all) => done(all.map((it) => it.split('/').pop().split('?')[0]).sort()))";
        assert_eq!(
            browser.run_to_the_end(names, &[]),
            json!(["of another service", "offline-worker.js"])
        );
        assert_eq!(browser.complaints(), [""; 0]);

        house.service.signal("KILL");
        // So that its files are those that the worker kept.
        browser.command("Network.clearBrowserCache", &json!({}));
        browser.reload();
        browser.wait_for_text("h1", "Der Server ist nicht erreichbar");
        assert_eq!(browser.text("a.button"), "Noch einmal versuchen");
        assert!(!browser.source().contains("456 W"), "{}", browser.source());
        let is_styled = "return getComputedStyle(document.querySelector('.card')).borderRadius !== '0px'";
        assert_eq!(browser.run(is_styled, &[]), json!(true));
        // It stands at the address that was asked for.
        browser.open("/energy?range=month");
        browser.wait_for_text("h1", "Der Server ist nicht erreichbar");
        assert_eq!(browser.page(), "/energy?range=month");
        // The console notes what could not be loaded.
        browser.complaints();
    });
}
