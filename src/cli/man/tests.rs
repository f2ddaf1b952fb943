//! The tables of docs/CLI.md are made of the commands' definitions, as the man pages are.

use std::collections::BTreeMap;
use std::fs;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::CommandLine;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/CLI.md");

/// A text as a cell of a table: on one line, no `|` ends it. Clap's first paragraph has no full
/// stop.
fn cell(text: &str) -> String {
    let text = text.replacen("\n\n", ". ", 1);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

fn row<const N: usize>(cells: &[String; N]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn is_own(arg: &Arg) -> bool {
    !arg.is_global_set() && !matches!(arg.get_id().as_str(), "help" | "version")
}

/// `--name VALUE`; a positional argument has no name.
fn spelled(arg: &Arg) -> String {
    let short = arg.get_short().map(|it| format!("-{it}, "));
    let long = arg.get_long().map(|it| format!("--{it}"));
    let values = arg
        .get_value_names()
        .filter(|_| arg.get_action().takes_values());
    let value = values.into_iter().flatten().map(|it| format!(" {it}"));
    let value: String = value.collect();
    format!(
        "{}{}{value}",
        short.unwrap_or_default(),
        long.unwrap_or_default()
    )
}

/// The description of an option, with its default.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut text = help.map(ToString::to_string).unwrap_or_default();
    let defaults = arg.get_default_values();
    if arg.get_action().takes_values() && defaults.iter().any(|it| !it.is_empty()) {
        let defaults: Vec<_> = defaults.iter().map(|it| it.to_string_lossy()).collect();
        text = format!("{text} [default: {}]", defaults.join(" "));
    }
    cell(&text)
}

/// The commands that do something, with their full names in clap's usage line.
fn leaves(command: &Command) -> Vec<Command> {
    let below = command
        .get_subcommands()
        .filter(|it| it.get_name() != "help");
    let mut found: Vec<_> = below.flat_map(leaves).collect();
    if !command.is_subcommand_required_set() {
        found.insert(0, command.clone());
    }
    found
}

fn name(command: &Command) -> &str {
    let name = command.get_bin_name().unwrap_or_default();
    name.trim_start_matches("wattkeeper ")
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: wattkeeper ");
    // Clap counts the flags of every command, too.
    let has_options = command
        .get_arguments()
        .any(|it| is_own(it) && !it.is_positional() && !it.is_required_set());
    let usage = usage.lines().next().unwrap_or_default();
    let usage = usage.trim_end_matches(" [COMMAND]");
    let usage = if has_options {
        usage.to_owned()
    } else {
        usage.replace(" [OPTIONS]", "")
    };
    usage.replace(['<', '>'], "").replace("...", "..")
}

fn flags(root: &Command) -> String {
    let flags = root.get_arguments().filter(|it| it.is_global_set());
    let rows = flags.map(|it| row(&[format!("`{}`", spelled(it)), meaning(it)]));
    format!(
        "| flag | does |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn commands(root: &Command) -> String {
    let rows = leaves(root).into_iter().map(|command| {
        let about = command.get_long_about().or(command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        row(&[format!("`{}`", cell(&usage(&command))), cell(&about)])
    });
    format!(
        "| command | does |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

/// Each option once, with the commands that have it in this sense.
fn options(root: &Command) -> String {
    let mut users: BTreeMap<[String; 2], Vec<String>> = BTreeMap::new();
    for command in leaves(root) {
        let own = command.get_arguments().filter(|it| is_own(it));
        for arg in own.filter(|it| !it.is_positional()) {
            let option = [format!("`{}`", cell(&spelled(arg))), meaning(arg)];
            let name = format!("`{}`", name(&command));
            users.entry(option).or_default().push(name);
        }
    }
    let rows = users
        .into_iter()
        .map(|([option, meaning], of)| row(&[option, of.join(", "), meaning]));
    format!(
        "| option | of | does |\n| --- | --- | --- |\n{}",
        rows.collect::<String>()
    )
}

/// The document with the table after this mark replaced.
fn with_table(document: &str, mark: &str, table: &str) -> String {
    let mark = format!("<!-- generated: {mark} -->\n");
    let (before, after) = document.split_once(&mark).unwrap();
    let rest = after.trim_start_matches('\n');
    let rest = rest.split_once("\n\n").map_or("", |(_, rest)| rest);
    format!("{before}{mark}\n{table}\n{rest}")
}

/// Writes the tables if `WATTKEEPER_WRITE_DOCS` is set.
#[test]
fn the_tables_of_the_document_are_those_of_the_commands() {
    let mut root = CommandLine::command();
    root.build();
    let document = fs::read_to_string(DOCUMENT).unwrap();
    let mut made = document.clone();
    for (mark, table) in [
        ("flags", flags(&root)),
        ("commands", commands(&root)),
        ("options", options(&root)),
    ] {
        made = with_table(&made, mark, &table);
    }
    if std::env::var_os("WATTKEEPER_WRITE_DOCS").is_some() {
        fs::write(DOCUMENT, &made).unwrap();
    }
    let differs = made.lines().zip(document.lines()).find(|(a, b)| a != b);
    assert!(
        made == document || std::env::var_os("WATTKEEPER_WRITE_DOCS").is_some(),
        "docs/CLI.md differs from the commands, first in {differs:?}: \
         run WATTKEEPER_WRITE_DOCS=1 cargo test --lib cli::man"
    );
}
