//! A disk's history as recorded by `preload.c`, and the disk as it could look after a power cut.
//!
//! What the medium is assumed to do: a sync that has ended well has stored what was written to that file before it began,
//! its length included; a synced folder has stored the names made and taken in it. Of anything later each sector of 512
//! bytes, each change of a length and each change of a name is there or not, whole, whatever the order. Nothing else:
//! a new file that was synced may still be missing its name, a renaming may be seen after a later write or never.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::chance::Chance;

const SECTOR: usize = 512;

/// Something that was done to the files.
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

/// Each event with the path it is of, relative to the data dir; that one itself is the empty path.
pub(crate) type History = Vec<(PathBuf, Event)>;

/// Reads what was recorded of `data_dir`.
pub(crate) fn history(log: &Path, data_dir: &Path) -> History {
    let bytes = fs::read(log).unwrap();
    let mut rest = bytes.as_slice();
    let mut history = History::new();
    let mut take = |length: usize| {
        let (taken, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(taken.to_vec())
    };
    // The last record may be cut short where the process was killed.
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

/// A file or a folder, whatever its name.
type Node = usize;
/// The data dir itself, which is there from the beginning.
const ROOT: Node = 0;
/// A name in a folder: what is in a folder moves with it.
type Name = (Node, OsString);

/// What was written to a file and is not known to be stored.
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

/// A change of the names in a folder, or in two.
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

/// A disk: what is stored for sure, and what is under way.
pub(crate) struct Disk {
    files: Vec<File>,
    /// The names as the system shows them.
    names: Names,
    stored_names: Names,
    pending_names: Vec<(u64, Naming)>,
    /// How many changes there were, of files and of names.
    changes: u64,
    /// For each sync under way what it is of, and how many changes there were when it began.
    syncs: BTreeMap<u32, (Node, u64)>,
}

/// What becomes of what is under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// Nothing of it is stored.
    Dropped,
    /// All of it is, as after a kill.
    Kept,
    /// Each sector and each change by chance.
    Torn,
    /// Names are, contents by chance.
    NamesFirst,
}

pub(crate) const FATES: [Fate; 4] = [Fate::Dropped, Fate::Kept, Fate::Torn, Fate::NamesFirst];

impl Disk {
    /// The files below `dir`, all of them stored.
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

    /// Takes in what is in `dir`, which is `folder`.
    fn read(&mut self, dir: &Path, folder: Node) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            let node = self.node(path.is_dir());
            self.names.insert((folder, entry.file_name()), node);
            if path.is_dir() {
                self.read(&path, node);
            } else {
                self.files[node].stored = fs::read(&path).unwrap();
            }
        }
    }

    /// What `path` is, as the system shows it.
    fn at(&self, path: &Path) -> Option<Node> {
        path.components().try_fold(ROOT, |folder, name| {
            let name = (folder, name.as_os_str().to_owned());
            self.names.get(&name).copied()
        })
    }

    /// The name at `path`, in the folder that the system shows there.
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

    /// Takes in what happened next.
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
                // A socket is made by `bind`, which is not recorded: no server listens on it after a power cut anyway.
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
        // A file without a name is gone after a power cut, whatever it holds.
        if let Some(node) = node {
            self.changes += 1;
            self.files[node].pending.push((self.changes, change));
        }
    }

    /// A sync has ended that began after `before` changes.
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

    /// Writes the disk to `dir`, as it looks where the power is cut now.
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

    /// Writes what is in `folder` to `dir`. What is in a folder that is not there is never come upon.
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
        // Often all but a few are kept, or dropped.
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

/// `bytes` at `offset` in pieces that lie in one sector each.
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
    /// Whether it changes names in `folder`. One that is moved leaves the one folder as it comes into the other.
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
