//! Black-box tests: what clients, browsers, brokers and people at a terminal may rely on. They know
//! the promises of docs/, not the code behind them. One binary for all of them, since each test
//! binary links the whole service.

// Marks this as test code for clippy, which relaxes its rules only there.
#![cfg(test)]

#[path = "../backend/mod.rs"]
mod backend;
mod browser;
mod cli;
mod fleet;
mod home_assistant;
mod http;
mod mqtt;
mod pages;
mod place;
mod poll;
mod port;
mod price_sources;
#[path = "../stops/mod.rs"]
mod stops;
mod support;
mod workbook;
