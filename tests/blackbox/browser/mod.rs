//! The pages in a real browser: Debian's chromium, driven by `WebDriver`, with the real binary. tests/blackbox/pages tests
//! what pages say byte by byte, and what they refuse.

mod chromium;
mod house;
mod pages;
mod screenshots;
mod webdriver;
mod window;
