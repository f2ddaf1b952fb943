//! The first run, timed: from an empty folder to the first point on the chart, as a person walks
//! it.

use std::time::Instant;

use crate::browser::house::{FirstRun, run_curl_line};
use crate::browser::window::{Browser, Scripts};

/// So many pages are seen on the way; README.md lists them.
const MOST_PAGES: usize = 9;

/// The steps that a person has done so far.
struct Walk<'a> {
    browser: &'a Browser,
    pages: usize,
    steps: usize,
}

impl Walk<'_> {
    /// A page that is shown, known by its head.
    #[track_caller]
    fn see(&mut self, head: &str) {
        self.browser.wait_for_text("h1", head);
        self.pages += 1;
    }

    /// A question of the same head.
    #[track_caller]
    fn asked(&mut self, question: &str) {
        self.browser.wait_for_text("h2", question);
        self.pages += 1;
    }

    #[track_caller]
    fn fill(&mut self, css: &str, text: &str) {
        self.browser.fill(css, text);
        self.steps += 1;
    }

    #[track_caller]
    fn click(&mut self, css: &str) {
        self.browser.click(css);
        self.steps += 1;
    }
}

#[test]
#[ignore = "needs chromium"]
fn an_empty_folder_leads_to_the_first_point() {
    let begun = Instant::now();
    let run = FirstRun::start();
    let served = begun.elapsed();
    Browser::visit(&run.url, Scripts::On, |browser| {
        // A person has a browser open.
        let begun = Instant::now();
        let mut walk = Walk {
            browser,
            pages: 0,
            // `serve`.
            steps: 1,
        };
        browser.open(&run.setup);
        walk.steps += 1;
        walk.see("Welcome");
        walk.fill("#password", "correct horse");
        walk.fill("#again", "correct horse");
        walk.click("main button");
        walk.asked("Do you have Home Assistant?");
        walk.click("a[href$='home=no']");
        walk.asked("What is in your home?");
        walk.click("a[href$='what=other']");
        walk.asked("How do its readings come here?");
        walk.click("a[href$='device=script']");
        walk.see("A script or program");
        walk.fill("#name", "Kitchen");
        walk.click("input[value=sub-meter]");
        // The time zone is the browser's own.
        walk.click("main form button");
        walk.see("Connect Kitchen");
        assert_eq!(run_curl_line(&browser.text(".code pre")), 200);
        walk.steps += 1;
        browser.wait_for_text("[data-state]", "stored");
        walk.click(".actions a.button");
        walk.see("First readings of Kitchen");
        walk.click(".actions a.button");
        walk.see("Dashboard");
        browser.wait("the first point", || {
            browser
                .has(".chart-card .plot-wide svg .chart-point")
                .then_some(())
        });
        let walked = begun.elapsed();
        let Walk { pages, steps, .. } = walk;
        println!("{pages} pages, {steps} steps; `serve` took {served:.1?}, the pages {walked:.1?}");
        assert!(pages <= MOST_PAGES, "{pages}");
    });
}
