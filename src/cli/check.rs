//! `wattkeeper check`: verifies the whole store, or saves the readable part of a damaged one.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::args::Global;
use super::output::{print_json, print_line, progress};
use crate::admin::{FindingsRow, Request};
use crate::server::system_clock;
use crate::store::{Lost, Salvaged, StoreError, salvage};

/// Read the whole store and list its faults: checksums, order, summaries, references
#[derive(Args)]
pub(super) struct Check {
    /// Write the readable part of a damaged store into a new one, and list the losses
    ///
    /// The folder must be empty or missing. The damaged store is not changed; no service may use
    /// it.
    #[arg(long, value_name = "NEW_DIR")]
    salvage: Option<PathBuf>,
    /// Confirm that you have read the losses of a damaged store: they are no longer listed
    ///
    /// Keys, people and wall tablets that are refused because of the damage are allowed again.
    /// Check first that all of them still should be (`key list`, `person list`, `wall list`): a
    /// revoked one may have come back.
    #[arg(long, conflicts_with = "salvage")]
    confirm: bool,
}

impl Check {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self.salvage {
            None if self.confirm => confirm(global),
            None => check(global),
            Some(new_dir) => salvage_into(&new_dir, global),
        }
    }
}

fn confirm(global: &Global) -> Result<()> {
    let count: u64 = global.ask(Request::ConfirmDamage)?;
    if global.json {
        return print_json(&json!({ "confirmed": count }));
    }
    print_line(&match count {
        0 => "nothing was lost by damage, so there is nothing to confirm".to_owned(),
        count => format!("{count} notes of damage are confirmed, and no longer listed"),
    })
}

fn check(global: &Global) -> Result<()> {
    let found: FindingsRow = global.ask(Request::Check)?;
    let (readings, blocks) = (found.readings, found.blocks);
    let count = found.problems.len() as u64 + found.not_listed;
    if global.json {
        print_json(&json!({
            "ok": count == 0, "readings": readings, "blocks": blocks, "problems": found.problems,
        }))?;
    } else {
        for problem in &found.problems {
            print_line(&problem.to_string())?;
        }
        if found.not_listed > 0 {
            print_line(&format!("and {} more", found.not_listed))?;
        }
        print_line(&format!(
            "{readings} readings and {blocks} blocks were read"
        ))?;
    }
    // Problems are an error: the exit status is for scripts that watch a store.
    if count > 0 {
        bail!(
            "the store has {count} problems: stop the service and save the readable part with `wattkeeper check --salvage NEW_DIR`, or restore a backup with `wattkeeper restore`; earlier losses are listed until `wattkeeper check --confirm`"
        );
    }
    Ok(())
}

fn salvage_into(new_dir: &Path, global: &Global) -> Result<()> {
    global.start_log();
    let config = global.load()?.config;
    if config.store.engine.is_some() {
        bail!(
            "only a store in a data dir can be salvaged, and store.engine is set: recover the database from its own backups, or restore a backup of wattkeeper with `wattkeeper restore`"
        );
    }
    let bar = progress(None, "salvaging {human_pos} readings", global.quiet);
    let shown = bar.clone();
    let outcome = salvage(
        &config.data_dir,
        new_dir,
        config.store.settings(),
        system_clock()().time,
        move |readings| shown.set_position(readings),
    );
    bar.finish_and_clear();
    let Salvaged {
        counts,
        lost,
        mended,
    } = match outcome {
        Err(locked @ StoreError::Locked { .. }) => {
            bail!("{locked}: stop it first, because the store must not change while it is salvaged")
        }
        outcome => outcome.context("nothing was salvaged")?,
    };
    if global.json {
        print_json(&json!({
            "salvaged_into": new_dir.display().to_string(), "accounts": counts.accounts,
            "credentials": counts.credentials, "sensors": counts.sensors, "readings": counts.readings,
            "lost": lost.iter().map(lost_json).collect::<Vec<_>>(), "mended": mended,
        }))?;
    } else {
        for lost in &lost {
            print_line(&lost.to_string())?;
        }
        for mended in &mended {
            print_line(&format!("mended: {mended}"))?;
        }
        print_line(&format!(
            "salvaged {} readings of {} sensors, {} accounts and {} credentials into {}, and checked them",
            counts.readings,
            counts.sensors,
            counts.accounts,
            counts.credentials,
            new_dir.display()
        ))?;
    }
    if lost.is_empty() {
        return Ok(());
    }
    bail!(
        "{} things are lost, as listed; the rest is in {}: use it with --data-dir, and keep the damaged folder until you are sure that you do not need it",
        lost.len(),
        new_dir.display()
    )
}

fn lost_json(lost: &Lost) -> Value {
    let (start, end) = lost.ends();
    json!({
        "what": lost.what, "sensor_id": lost.sensor.as_ref().map(ToString::to_string),
        "start": start.map(|time| time.to_string()), "end": end.map(|time| time.to_string()),
        "readings": lost.readings,
    })
}
