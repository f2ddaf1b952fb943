//! A copy of a damaged store, opened even if a start would refuse it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::store::backend::Backend as _;
use crate::store::embedded::backend::Embedded;
use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::care::salvage::readable::copy_readable;
use crate::store::embedded::care::salvage::report::Salvaged;
use crate::store::embedded::disk::open::PARTS;
use crate::store::embedded::disk::{DataDirHold, Mark, Positions, open};
use crate::store::embedded::facts::load as fact_files;
use crate::store::embedded::facts::{ACCESS_IS_SUSPENDED, FactDamage, FactMap, LoadedFacts};
use crate::store::embedded::journal::file as journal;
use crate::store::embedded::load;
use crate::store::embedded::log::load::{self as log_files, LostRecord};
use crate::store::error::StoreError;
use crate::store::settings::StoreSettings;

/// Copies the readable part of the store in `dir` to `copy`, and opens it there. Reports the
/// losses.
pub(super) fn open(
    dir: &Path,
    copy: &Path,
    settings: StoreSettings,
    report: &mut Salvaged,
) -> Result<Arc<Embedded>, StoreError> {
    let hold = DataDirHold::take(copy)?;
    for part in PARTS {
        copy_part(&dir.join(part), &copy.join(part), report)
            .map_err(|error| StoreError::io(format!("copying {}", dir.display()), &error))?;
    }
    let journal = journal::load(copy)?;
    let (mut facts, is_lost) = match fact_files::load(copy) {
        Ok(Some(facts)) => (facts, false),
        Err(other @ (StoreError::NewerFormat { .. } | StoreError::OlderFormat { .. })) => {
            return Err(other);
        }
        missing => {
            let why = missing.err().map(|error| error.damage());
            let why = why.unwrap_or_else(|| "the files of facts are missing or empty".into());
            report.lose(format!(
                "everything that people entered, all accounts, keys and settings: {why}"
            ));
            (without_facts(copy)?, true)
        }
    };
    let durable = journal.durable().max(facts.known.log);
    let mut log = log_files::load(copy, facts.mark, durable)?;
    if is_lost {
        // Their loss is reported already, and there is no older access.
        facts.last = journal.facts.max(log.facts());
    }
    if log.records.is_empty() {
        log.lost.push(LostRecord {
            what: "the log is missing or cannot be read".into(),
            sensors: None,
            is_of_journal: false,
        });
    }
    let loaded = load::with_parts(copy, settings.cache_bytes, facts, journal, log)?;
    for lost in &loaded.lost {
        report.lose(lost.clone());
    }
    let embedded = Embedded::open_loaded(copy, settings, hold, loaded)?;
    if embedded.shared.facts.is_access_suspended() {
        report.lose(ACCESS_IS_SUSPENDED.to_owned());
    } else {
        // The report contains it.
        embedded.confirm_damage()?;
    }
    Ok(Arc::new(embedded))
}

/// Copies the readable part of a file or a folder.
fn copy_part(from: &Path, to: &Path, report: &mut Salvaged) -> io::Result<()> {
    let Ok(found) = fs::metadata(from) else {
        return Ok(());
    };
    if found.is_dir() {
        open::folder(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_part(&from.join(&name), &to.join(&name), report)?;
        }
        return Ok(());
    }
    let file = match File::open(from) {
        Ok(file) => file,
        Err(error) => {
            report.lose(format!("{} cannot be opened: {error}", from.display()));
            return Ok(());
        }
    };
    let mut target = open::to_write(to)?;
    let read_at = |piece: &mut [u8], at| file.read_at(piece, at);
    let unread = copy_readable(read_at, found.len(), &mut target)?;
    if unread > 0 {
        let path = from.display();
        report.lose(format!("{unread} bytes of {path} cannot be read"));
    }
    target.sync_all()
}

/// Empty facts for the remaining files. The mark is the one that starts most files.
fn without_facts(dir: &Path) -> Result<LoadedFacts, StoreError> {
    let mut counts = BTreeMap::<[u8; 8], usize>::new();
    for files in [Volumes::of(dir), Volumes::in_folder(log_files::folder(dir))] {
        let failed =
            |error| StoreError::io(format!("reading {}", files.folder().display()), &error);
        for number in files.numbers().map_err(failed)? {
            let bytes = open::content(&files.path(number))?.unwrap_or_default();
            if let Some(mark) = bytes.first_chunk::<8>()
                && *mark != [0; 8]
            {
                *counts.entry(*mark).or_default() += 1;
            }
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let (mark, _) = most.ok_or_else(|| {
        StoreError::io("reading the damaged store", "none of its files is readable")
    })?;
    Ok(LoadedFacts {
        mark: Mark(mark),
        facts: FactMap::default(),
        last: 0,
        damage: FactDamage::default(),
        must_mend: true,
        mended: Vec::new(),
        ends: [0, 0],
        known: Positions::default(),
    })
}
