//! The pages in a real browser: Debian's chromium, driven by `WebDriver`, at the real binary. What pages say byte by byte, and what
//! they refuse, is tested in tests/pages.

// Marked as test code for clippy, which takes only what is marked for such.
#![cfg(test)]

mod browser;
mod chromium;
mod house;
mod pages;
#[allow(
    dead_code,
    reason = "the tests of the commands need more of it than these"
)]
#[path = "../cli/place.rs"]
mod place;
mod screenshots;
mod webdriver;
