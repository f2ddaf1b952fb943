//! The pages of the real binary in a real browser: Debian's chromium, driven by `WebDriver`.
//! tests/blackbox/pages checks their content and refusals.

mod chromium;
mod house;
mod pages;
mod screenshots;
mod webdriver;
mod window;
