//! The program: parses the command line and runs it.

fn main() {}
