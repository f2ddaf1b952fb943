//! The administrator's password and the sessions of its browsers: their records and their changes.
//!
//! | tree | key | value |
//! | --- | --- | --- |
//! | `administrator` | `password` | a record, version 1: the argon2id hash as a PHC string |
//! | `sessions` | SHA-256 of the session's token, as 64 hexadecimal digits | a record, version 1: when it began, when it was used last |

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sled::Transactional as _;

use crate::domain::password::PasswordHash;
use crate::domain::session::{Session, SessionId};
use crate::domain::time::Timestamp;
use crate::store::engine::record;
use crate::store::error::StoreError;
use crate::store::registry::registered::damaged;
use crate::store::writer::commit::{Committer, transaction};

/// The key of the one record of the administrator.
pub(crate) const KEY: &[u8] = b"password";
/// The most sessions there are at once.
const MOST_SESSIONS: usize = 64;
const VERSION: u8 = 1;

/// The trees of the administrator.
#[derive(Clone)]
pub(crate) struct AdministratorTrees {
    pub(crate) administrator: sled::Tree,
    pub(crate) sessions: sled::Tree,
}

#[derive(Serialize, Deserialize)]
struct PasswordRecord {
    hash: String,
}

#[derive(Serialize, Deserialize)]
struct SessionRecord {
    created_ms: i64,
    last_used_ms: i64,
}

impl AdministratorTrees {
    /// The administrator's password.
    pub(crate) fn password(&self) -> Result<Option<PasswordHash>, StoreError> {
        let Some(value) = self.administrator.get(KEY)? else {
            return Ok(None);
        };
        let password = password_of(&value).ok_or_else(|| damaged("the administrator", KEY))?;
        Ok(Some(password))
    }

    /// All sessions. One whose record is none has ended: that keeps nobody from the readings.
    pub(crate) fn sessions(&self) -> Result<BTreeMap<SessionId, Session>, StoreError> {
        let mut sessions = BTreeMap::new();
        for row in &self.sessions {
            let (key, value) = row?;
            if let Some(session) = session_of(&key, &value) {
                sessions.insert(session.id, session);
            } else {
                log::warn!("a session's record is not one: it has ended");
            }
        }
        Ok(sessions)
    }
}

impl Committer {
    pub(crate) fn put_administrator(
        &mut self,
        password: &PasswordHash,
        is_first: bool,
        keeping: Option<SessionId>,
    ) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        if is_first && registry.administrator.is_some() {
            return Err(StoreError::AdministratorExists);
        }
        let record = PasswordRecord {
            hash: password.as_str().to_owned(),
        };
        let value = record::encode(VERSION, &record)?;
        registry.administrator = Some(password.clone());
        let ended = registry
            .sessions
            .extract_if(.., |id, _| Some(*id) != keeping)
            .map(|(id, _)| key(&id))
            .collect::<Vec<_>>();
        self.register(registry, |shared| {
            let trees = &shared.trees.registry.administrator;
            let both = (&trees.administrator, &trees.sessions);
            transaction(both.transaction(|(administrator, sessions)| {
                administrator.insert(KEY, value.as_slice())?;
                for key in &ended {
                    sessions.remove(key.as_str())?;
                }
                Ok(())
            }))
        })
    }

    pub(crate) fn begin_session(
        &mut self,
        session: Session,
        password: &PasswordHash,
    ) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        if registry.administrator.as_ref() != Some(password) {
            return Err(StoreError::PasswordChanged);
        }
        let now = session.created;
        let mut ended: Vec<SessionId> = registry
            .sessions
            .extract_if(.., |_, session| session.is_over(now))
            .map(|(id, _)| id)
            .collect();
        while registry.sessions.len() >= MOST_SESSIONS {
            let oldest = registry.sessions.values().min_by_key(|it| it.last_used);
            let Some(id) = oldest.map(|session| session.id) else {
                break;
            };
            registry.sessions.remove(&id);
            ended.push(id);
        }
        registry.sessions.insert(session.id, session);
        let mut batch = sled::Batch::default();
        for id in &ended {
            batch.remove(key(id).as_str());
        }
        batch.insert(key(&session.id).as_str(), encode(&session)?);
        self.register(registry, |shared| {
            let sessions = &shared.trees.registry.administrator.sessions;
            Ok(sessions.apply_batch(batch)?)
        })
    }

    pub(crate) fn use_session(&mut self, session: Session) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        let Some(known) = registry.sessions.get_mut(&session.id) else {
            return Ok(0);
        };
        *known = session;
        let value = encode(&session)?;
        self.register(registry, |shared| {
            let sessions = &shared.trees.registry.administrator.sessions;
            sessions.insert(key(&session.id), value)?;
            Ok(())
        })
    }

    pub(crate) fn end_session(&mut self, id: &SessionId) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        if registry.sessions.remove(id).is_none() {
            return Ok(0);
        }
        self.register(registry, |shared| {
            let sessions = &shared.trees.registry.administrator.sessions;
            sessions.remove(key(id))?;
            Ok(())
        })
    }
}

/// The password that a record stands for.
pub(crate) fn password_of(value: &[u8]) -> Option<PasswordHash> {
    let record: PasswordRecord = record::decode(VERSION, value)?;
    PasswordHash::parse(&record.hash)
}

/// A session's key; in digits, since no byte of a key is 0xFF (`keys.rs`).
fn key(id: &SessionId) -> String {
    id.0.iter()
        .fold(String::with_capacity(64), |mut key, byte| {
            // Writing to a String cannot fail.
            let _ = write!(key, "{byte:02x}");
            key
        })
}

fn encode(session: &Session) -> Result<Vec<u8>, StoreError> {
    let record = SessionRecord {
        created_ms: session.created.millis(),
        last_used_ms: session.last_used.millis(),
    };
    record::encode(VERSION, &record)
}

fn session_of(key: &[u8], value: &[u8]) -> Option<Session> {
    let record: SessionRecord = record::decode(VERSION, value)?;
    let mut id = [0; 32];
    let digits = std::str::from_utf8(key)
        .ok()
        .filter(|text| text.len() == 64)?;
    for (place, byte) in id.iter_mut().enumerate() {
        let digits = digits.get(2 * place..2 * place + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(Session {
        id: SessionId(id),
        created: Timestamp::from_millis(record.created_ms)?,
        last_used: Timestamp::from_millis(record.last_used_ms)?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::password::Password;
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn open(dir: &Path) -> Store {
        Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    fn id(n: u8) -> SessionId {
        SessionId([n; 32])
    }

    fn password(text: &str) -> PasswordHash {
        Password::new(text).unwrap().hash([1; 16]).unwrap()
    }

    /// The first bytes of the ids of the sessions that hold at the beginning of time, after a restart too.
    #[track_caller]
    fn sessions(store: &Store) -> Vec<u8> {
        let of = |sessions: &BTreeMap<SessionId, Session>| -> Vec<Session> {
            sessions.values().copied().collect()
        };
        let written = store.shared.trees.registry.administrator.sessions();
        let known = of(&store.registry().sessions);
        assert_eq!(of(&written.unwrap()), known);
        known.iter().map(|session| session.id.0[0]).collect()
    }

    /// Begins session `n` at `n` milliseconds with this password.
    fn begin(store: &Store, n: u8, password: &PasswordHash) -> Result<(), StoreError> {
        let session = Session::begun(id(n), at(i64::from(n)));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(store.begin_session_durably(session, password.clone()))
    }

    #[test]
    fn sessions_begin_and_end() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let (first, second) = (password("first password"), password("second password"));
        let refused = begin(&store, 1, &first);
        assert!(matches!(refused, Err(StoreError::PasswordChanged)));

        store
            .put_first_administrator_durably(first.clone())
            .unwrap();
        let again = store.put_first_administrator_durably(second.clone());
        assert!(matches!(again, Err(StoreError::AdministratorExists)));
        for n in [1, 255, 3] {
            begin(&store, n, &first).unwrap();
        }
        assert_eq!(sessions(&store), [1, 3, 255]);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(store.end_session_durably(id(3))).unwrap();
        runtime.block_on(store.end_session_durably(id(3))).unwrap();
        let used = Session::begun(id(3), at(9));
        runtime.block_on(store.use_session_durably(used)).unwrap();
        assert_eq!(sessions(&store), [1, 255]);

        store
            .put_administrator_durably(second.clone(), Some(id(255)))
            .unwrap();
        assert_eq!(sessions(&store), [255]);
        assert!(begin(&store, 4, &first).is_err());
        drop(store);
        let store = open(dir.path());
        assert_eq!(store.registry().administrator(), Some(&second));
        assert_eq!(sessions(&store), [255]);
    }

    #[test]
    fn sessions_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let password = password("a password");
        store
            .put_administrator_durably(password.clone(), None)
            .unwrap();
        for n in 1..=65 {
            begin(&store, n, &password).unwrap();
        }
        assert_eq!(sessions(&store), (2..=65).collect::<Vec<_>>());
        // Later than all of them are over.
        let late = Session::begun(id(100), at(40 * 24 * 3_600_000));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime
            .block_on(store.begin_session_durably(late, password))
            .unwrap();
        assert_eq!(sessions(&store), [100]);
    }
}
