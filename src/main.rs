//! The `wattkeeper` command: see [`wattkeeper::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattkeeper::cli::run(std::env::args_os())
}
