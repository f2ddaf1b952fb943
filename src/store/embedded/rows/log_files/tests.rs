use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::appending::{MAX_BYTES, MOST_SPARE};
use super::*;
use crate::store::embedded::engine::WriteBatch;
use crate::store::embedded::rows::chunk::RowChunk;

/// Key and chunk of each record.
pub(crate) type Chunks = Vec<(Vec<u8>, Vec<u8>)>;

/// Changes the chunks in `files`, which are all in one file afterwards.
pub(crate) fn rewrite(files: &Volumes, change: impl FnOnce(&mut Chunks)) {
    let (mut chunks, mut bytes) = (Chunks::new(), Vec::new());
    let numbers = files.numbers().unwrap();
    let (newest, older) = numbers.split_last().unwrap();
    for file in &numbers {
        let content = fs::read(files.path(*file)).unwrap();
        let records = VolumeRecords::from(&content, 0);
        chunks.extend(records.map(|(_, it)| (it.key.to_vec(), it.value.to_vec())));
    }
    change(&mut chunks);
    for (key, value) in &chunks {
        VolumeRecord { key, value }.write_to(&mut bytes).unwrap();
    }
    fs::write(files.path(*newest), bytes).unwrap();
    for file in older {
        fs::remove_file(files.path(*file)).unwrap();
    }
}

struct FilesBench {
    dir: tempfile::TempDir,
    meta: sled::Tree,
    files: LogFiles,
}

impl FilesBench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let db = sled::open(dir.path().join("sled")).unwrap();
        Self {
            files: LogFiles::open(dir.path(), &(0..0)).unwrap(),
            meta: db.open_tree("meta").unwrap(),
            dir,
        }
    }

    fn append(&mut self, numbers: Range<u64>) {
        let chunks: Vec<RowChunk> = numbers.clone().map(content).collect();
        self.files.append(numbers.start, &chunks).unwrap();
    }

    fn name(&mut self, numbers: &Range<u64>) {
        let mut batch = WriteBatch::default();
        self.files.name(numbers, &self.meta, &mut batch).unwrap();
        // After a power cut, the database may name what it did before.
        self.read().unwrap();
        batch.apply().unwrap();
        self.files.free_outdated();
    }

    fn volumes(&self) -> Volumes {
        Volumes::in_folder(folder(self.dir.path()))
    }

    fn lengths(&self) -> Vec<u64> {
        let volumes = self.volumes();
        let numbers = volumes.numbers().unwrap();
        let length = |file| fs::metadata(volumes.path(file)).unwrap().len();
        numbers.into_iter().map(length).collect()
    }

    /// Reads the chunks that the database names.
    fn read(&self) -> Result<Vec<u64>, StoreError> {
        let mut found = Vec::new();
        read(&self.volumes(), &numbers(&self.meta)?, |number, value| {
            assert_eq!(value, content(number).value);
            found.push(number);
            Ok(())
        })?;
        Ok(found)
    }

    fn reopen(&mut self) {
        let numbers = numbers(&self.meta).unwrap();
        self.files = LogFiles::open(self.dir.path(), &numbers).unwrap();
    }
}

/// A chunk of half a kilobyte that its number determines.
fn content(number: u64) -> RowChunk {
    RowChunk {
        value: number.to_le_bytes().repeat(64),
        weight: 1,
    }
}

#[test]
fn chunks_that_are_named_are_read_and_their_files_stay() {
    let mut bench = FilesBench::new();
    assert_eq!(bench.read().unwrap(), Vec::<u64>::new());
    for end in 1..100 {
        bench.append(end - 1..end);
        let named = end.saturating_sub(20)..end;
        bench.name(&named);
        assert_eq!(bench.read().unwrap(), named.collect::<Vec<_>>());
        // Twenty chunks, what is left of the first file, and the spare ones.
        assert!(
            bench.lengths().len() <= 4 + MOST_SPARE,
            "{:?}",
            bench.lengths()
        );
        assert!(bench.lengths().iter().all(|it| *it <= MAX_BYTES as u64));
        if end % 7 == 0 {
            bench.reopen();
        }
    }
}

#[test]
fn what_is_not_named_is_cut_off_by_the_next_start() {
    let mut bench = FilesBench::new();
    bench.append(0..3);
    bench.name(&(0..3));
    let named = bench.lengths();
    // Into several files.
    for number in 3..30 {
        bench.append(number..number + 1);
    }
    assert!(bench.files.is_ahead() && bench.lengths().len() > 3);
    assert_eq!(bench.read().unwrap(), [0, 1, 2]);
    bench.reopen();
    assert_eq!(bench.lengths(), named);
    assert!(!bench.files.is_ahead());
    bench.append(3..4);
    bench.name(&(1..4));
    assert_eq!(bench.read().unwrap(), [1, 2, 3]);
}

/// A client can upload what looks like a record. It is none where the record around it is torn.
#[test]
fn what_is_in_a_torn_record_is_none() {
    let mut bench = FilesBench::new();
    bench.append(0..3);
    bench.name(&(0..3));
    let (path, named) = (bench.volumes().path(1), bench.lengths());
    let mut forged = Vec::new();
    let record = VolumeRecord {
        key: &chunk::key(2),
        value: b"forged",
    };
    record.write_to(&mut forged).unwrap();
    let torn = [fs::read(&path).unwrap(), b"torn".to_vec(), forged].concat();
    fs::write(&path, torn).unwrap();
    assert_eq!(bench.read().unwrap(), [0, 1, 2]);
    bench.reopen();
    assert_eq!(bench.lengths(), named);
}

/// Nor is it one behind the last record of a file that was written over.
#[test]
fn what_is_left_of_older_records_is_none() {
    let mut bench = FilesBench::new();
    for number in 0..12 {
        bench.append(number..number + 1);
    }
    bench.name(&(0..12));
    let (second, first_there) = *bench.files.kept.back().unwrap();
    assert_eq!((second, bench.files.kept.len()), (2, 2));
    for (file, end, number) in [
        (1, bench.lengths()[0], first_there),
        (2, bench.files.end as u64, 12),
    ] {
        let path = bench.volumes().path(file);
        let mut forged = Vec::new();
        let record = VolumeRecord {
            key: &chunk::key(number),
            value: b"forged",
        };
        record.write_to(&mut forged).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        file.write_all_at(&forged, end).unwrap();
    }
    assert_eq!(bench.read().unwrap().len(), 12);
    bench.reopen();
    bench.append(12..13);
    bench.name(&(0..13));
    assert_eq!(bench.read().unwrap().len(), 13);
}

#[test]
fn damage_is_noticed_wherever_it_is() {
    let mut bench = FilesBench::new();
    for number in 0..12 {
        bench.append(number..number + 1);
    }
    bench.name(&(0..12));
    assert_eq!(bench.lengths().len(), 2);
    let refused = |bench: &FilesBench| {
        let error = bench.read().unwrap_err().to_string();
        assert!(error.contains("is missing or cannot be read"), "{error}");
    };
    for file in bench.volumes().numbers().unwrap() {
        let path = bench.volumes().path(file);
        let whole = fs::read(&path).unwrap();
        let is_newest = file == bench.files.kept.back().unwrap().0;
        let end = if is_newest {
            bench.files.end
        } else {
            whole.len()
        };
        for place in (0..end).step_by(5) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            refused(&bench);
            fs::write(&path, &whole[..place]).unwrap();
            refused(&bench);
        }
        fs::remove_file(&path).unwrap();
        refused(&bench);
        fs::write(&path, &whole).unwrap();
        assert_eq!(bench.read().unwrap().len(), 12);
    }
}

/// Without descriptors left, say.
#[test]
fn a_file_that_cannot_be_followed_gets_longer() {
    let mut bench = FilesBench::new();
    let next = bench.volumes().path(2);
    fs::create_dir(&next).unwrap();
    for number in 0..30 {
        bench.append(number..number + 1);
    }
    fs::remove_dir(&next).unwrap();
    bench.name(&(0..30));
    assert_eq!(bench.read().unwrap().len(), 30);
    assert_eq!(bench.lengths().len(), 1);
    bench.append(30..31);
    assert_eq!(bench.lengths().len(), 2);
}
