//! A disk's history as recorded by `preload.c`, and possible contents of the disk after a power
//! cut.
//!
//! Assumptions about the medium: a successful sync of a file stores the writes before it began,
//! including the length; of a folder, the names added and removed. Each later sector of 512 bytes,
//! change of length and change of a name is stored or not, in any order. Nothing else: a synced new
//! file may lack its name, a renaming may appear after a later write or never.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::chance::Chance;

const SECTOR: usize = 512;

/// An operation on files.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Write { offset: usize, bytes: Vec<u8> },
    SyncBegin { ticket: u32 },
    SyncEnd { ticket: u32, failed: bool },
    Create,
    Truncate { length: usize },
    Rename { to: PathBuf },
    Unlink,
    MakeFolder,
}

/// Events with their paths relative to the data dir, which is the empty path.
pub(crate) type History = Vec<(PathBuf, Event)>;

/// Reads the recording of `data_dir`.
pub(crate) fn history(log: &Path, data_dir: &Path) -> History {
    let bytes = fs::read(log).unwrap();
    let mut rest = bytes.as_slice();
    let mut history = History::new();
    let mut take = |length: usize| {
        let (taken, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(taken.to_vec())
    };
    // A kill may truncate the last record.
    while let Some(head) = take(24) {
        let short = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
        let offset = i64::from_le_bytes(head[16..24].try_into().unwrap());
        let parts = (
            take(short(2)),
            take(short(4)),
            take(word(8).try_into().unwrap()),
        );
        let (Some(path), Some(other), Some(bytes)) = parts else {
            break;
        };
        let relative = |path: Vec<u8>| {
            let path = PathBuf::from(String::from_utf8(path).unwrap());
            path.strip_prefix(data_dir).unwrap().to_owned()
        };
        let ticket = word(12);
        let event = match head[0] {
            1 => Event::Write {
                offset: offset.try_into().unwrap(),
                bytes,
            },
            2 => Event::SyncBegin { ticket },
            3 => Event::SyncEnd {
                ticket,
                failed: head[1] != 0,
            },
            4 => Event::Create,
            5 => Event::Truncate {
                length: offset.try_into().unwrap(),
            },
            6 => Event::Rename {
                to: relative(other),
            },
            7 => Event::Unlink,
            8 => Event::MakeFolder,
            other => panic!("a record of kind {other}"),
        };
        history.push((relative(path), event));
    }
    history
}

/// The identity of a file or folder, independent of its name.
type Node = usize;
/// The data dir itself, which always exists.
const ROOT: Node = 0;
/// A name in a folder. The content of a folder moves with it.
type Name = (Node, OsString);

/// An unsynced write to a file.
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

/// An unsynced change of names in one folder or two.
enum Naming {
    Link(Name, Node),
    Unlink(Name),
    Rename(Name, Name, Node),
}

#[derive(Default)]
struct File {
    is_folder: bool,
    stored: Vec<u8>,
    /// Each with its number.
    pending: Vec<(u64, Change)>,
}

type Names = BTreeMap<Name, Node>;

/// A disk: its certain content, and its pending changes.
pub(crate) struct Disk {
    files: Vec<File>,
    /// The names as the running system sees them.
    names: Names,
    stored_names: Names,
    pending_names: Vec<(u64, Naming)>,
    /// The number of changes of files and of names.
    changes: u64,
    /// The target of each pending sync, and the number of changes when it began.
    syncs: BTreeMap<u32, (Node, u64)>,
}

/// The fate of pending changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// None is stored.
    Dropped,
    /// All are stored, as after a kill.
    Kept,
    /// Each sector and each change at random.
    Torn,
    /// Names are stored, contents at random.
    NamesFirst,
}

pub(crate) const FATES: [Fate; 4] = [Fate::Dropped, Fate::Kept, Fate::Torn, Fate::NamesFirst];

impl Disk {
    /// A disk that stores the files below `dir`.
    pub(crate) fn of(dir: &Path) -> Self {
        let mut disk = Self {
            files: Vec::new(),
            names: Names::new(),
            stored_names: Names::new(),
            pending_names: Vec::new(),
            changes: 0,
            syncs: BTreeMap::new(),
        };
        assert_eq!(disk.node(true), ROOT);
        if dir.exists() {
            disk.read(dir, ROOT);
        }
        disk.stored_names.clone_from(&disk.names);
        disk
    }

    /// Adds the content of `dir` as `folder`.
    fn read(&mut self, dir: &Path, folder: Node) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            // A kill leaves the socket of the commands, which has no content to lose.
            if !path.is_dir() && !path.is_file() {
                continue;
            }
            let node = self.node(path.is_dir());
            self.names.insert((folder, entry.file_name()), node);
            if path.is_dir() {
                self.read(&path, node);
            } else {
                self.files[node].stored = fs::read(&path).unwrap();
            }
        }
    }

    /// The file at `path` as the running system sees it.
    fn at(&self, path: &Path) -> Option<Node> {
        path.components().try_fold(ROOT, |folder, name| {
            let name = (folder, name.as_os_str().to_owned());
            self.names.get(&name).copied()
        })
    }

    /// The folder and name of `path` as the running system sees them.
    fn name_at(&self, path: &Path) -> Name {
        let folder = self.at(path.parent().unwrap()).unwrap();
        (folder, path.file_name().unwrap().to_owned())
    }

    fn node(&mut self, is_folder: bool) -> Node {
        self.files.push(File {
            is_folder,
            ..File::default()
        });
        self.files.len() - 1
    }

    /// Applies the next event.
    pub(crate) fn apply(&mut self, path: &Path, event: &Event) {
        let node = self.at(path);
        match event {
            Event::MakeFolder if node == Some(ROOT) => {}
            Event::Create | Event::MakeFolder => {
                let node = self.node(matches!(event, Event::MakeFolder));
                self.name(Naming::Link(self.name_at(path), node));
            }
            Event::Unlink => self.name(Naming::Unlink(self.name_at(path))),
            Event::Rename { to } => {
                // A socket is made by `bind`, which is not recorded: no server listens on it after
                // a power cut anyway.
                let Some(node) = node else { return };
                let (from, to) = (self.name_at(path), self.name_at(to));
                self.name(Naming::Rename(from, to, node));
            }
            Event::Write { offset, bytes } => {
                let (offset, bytes) = (*offset, bytes.clone());
                self.change(node, Change::Write { offset, bytes });
            }
            Event::Truncate { length } => self.change(node, Change::Truncate { length: *length }),
            Event::SyncBegin { ticket } => {
                if let Some(node) = node {
                    self.syncs.insert(*ticket, (node, self.changes));
                }
            }
            Event::SyncEnd { ticket, failed } => {
                let begun = self.syncs.remove(ticket);
                if let Some((node, before)) = begun.filter(|_| !failed) {
                    self.store(node, before);
                }
            }
        }
    }

    fn name(&mut self, naming: Naming) {
        naming.make(&mut self.names);
        self.changes += 1;
        self.pending_names.push((self.changes, naming));
    }

    fn change(&mut self, node: Option<Node>, change: Change) {
        // A power cut drops a file without a name.
        if let Some(node) = node {
            self.changes += 1;
            self.files[node].pending.push((self.changes, change));
        }
    }

    /// Applies the end of a sync that began after `before` changes.
    fn store(&mut self, node: Node, before: u64) {
        let file = &mut self.files[node];
        let is_stored = |number: u64| number <= before;
        for (_, change) in file
            .pending
            .extract_if(.., |(number, _)| is_stored(*number))
        {
            change.make(&mut file.stored);
        }
        if file.is_folder {
            let is_stored =
                |(number, naming): &mut (u64, Naming)| is_stored(*number) && naming.is_in(node);
            for (_, naming) in self.pending_names.extract_if(.., is_stored) {
                naming.make(&mut self.stored_names);
            }
        }
    }

    /// Writes the disk to `dir` as if the power were cut now.
    pub(crate) fn write_to(&self, dir: &Path, fate: Fate, chance: &mut Chance) {
        let mut names = self.stored_names.clone();
        for (_, naming) in &self.pending_names {
            let is_kept = match fate {
                Fate::Dropped => false,
                Fate::Kept | Fate::NamesFirst => true,
                Fate::Torn => chance.one_in(2),
            };
            if is_kept {
                naming.make(&mut names);
            }
        }
        self.write_folder(dir, ROOT, &names, fate, chance);
    }

    /// Writes the content of `folder` to `dir`. The content of a lost folder is never reached.
    fn write_folder(
        &self,
        dir: &Path,
        folder: Node,
        names: &Names,
        fate: Fate,
        chance: &mut Chance,
    ) {
        fs::create_dir_all(dir).unwrap();
        for ((_, name), node) in names.iter().filter(|((of, _), _)| *of == folder) {
            let target = dir.join(name);
            if self.files[*node].is_folder {
                self.write_folder(&target, *node, names, fate, chance);
            } else {
                fs::write(&target, self.files[*node].after_cut(fate, chance)).unwrap();
            }
        }
    }
}

impl File {
    fn after_cut(&self, fate: Fate, chance: &mut Chance) -> Vec<u8> {
        let mut content = self.stored.clone();
        // Often keep or drop all but a few.
        let kept_in_ten = chance.below(11);
        for (_, change) in &self.pending {
            let mut is_kept = || match fate {
                Fate::Dropped => false,
                Fate::Kept => true,
                Fate::Torn | Fate::NamesFirst => chance.below(10) < kept_in_ten,
            };
            match change {
                Change::Truncate { .. } => {
                    if is_kept() {
                        change.make(&mut content);
                    }
                }
                Change::Write { offset, bytes } => {
                    for (from, sector) in sectors(*offset, bytes) {
                        if is_kept() {
                            let bytes = sector.to_vec();
                            Change::Write {
                                offset: from,
                                bytes,
                            }
                            .make(&mut content);
                        }
                    }
                }
            }
        }
        content
    }
}

/// Splits `bytes` at `offset` at the boundaries of sectors.
fn sectors(offset: usize, bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let (mut from, mut rest) = (offset, bytes);
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let length = (SECTOR - from % SECTOR).min(rest.len());
        let (piece, behind) = rest.split_at(length);
        pieces.push((from, piece));
        (from, rest) = (from + length, behind);
    }
    pieces
}

impl Change {
    fn make(&self, content: &mut Vec<u8>) {
        match self {
            Self::Truncate { length } => content.resize(*length, 0),
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
        }
    }
}

impl Naming {
    /// Whether it changes names in `folder`. A move changes both folders at once.
    fn is_in(&self, folder: Node) -> bool {
        match self {
            Self::Link((of, _), _) | Self::Unlink((of, _)) => *of == folder,
            Self::Rename((from, _), (to, _), _) => *from == folder || *to == folder,
        }
    }

    fn make(&self, names: &mut Names) {
        match self {
            Self::Link(name, node) => {
                names.insert(name.clone(), *node);
            }
            Self::Unlink(name) => {
                names.remove(name);
            }
            Self::Rename(from, to, node) => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}
