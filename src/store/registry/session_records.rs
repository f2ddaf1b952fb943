//! The records of sessions.
//!
//! | kind | key | record |
//! | --- | --- | --- |
//! | `sessions` | SHA-256 of the token of the session, as 64 hexadecimal digits | when it began, when it was used last; in version 2, of a person's session, also their name; in version 3, of a linked user's session, the name if there is one, and the user's id; in version 4, of any session that saved a form, both if there are any, and the form: 16 bytes of a digest, and the address that it led to |

use std::collections::BTreeMap;

use crate::domain::{HomeUserId, SavedForm, Session, SessionId, SessionOwner, Timestamp};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

/// The version of the record of an administrator's session.
const VERSION: u8 = 1;
/// The version of the record of a person's session.
const PERSONS_VERSION: u8 = 2;
/// The version of the record of a session that the visit of a linked user began.
const LINKED_VERSION: u8 = 3;
/// The version of the record of a session that saved a form.
const SAVED_VERSION: u8 = 4;

/// The fields of a record of any version.
type SessionFields = (
    i64,
    i64,
    Option<String>,
    Option<String>,
    Option<([u8; 16], String)>,
);

/// All sessions. A session with a damaged record has ended: the browser signs in again, and no
/// reading is lost.
pub(super) fn load(view: &dyn RecordsView) -> Result<BTreeMap<SessionId, Session>, StoreError> {
    let mut sessions = BTreeMap::new();
    for (key, value) in view.all(RecordKind::Sessions)? {
        if let Some(session) = session_of(&key, &value) {
            sessions.insert(session.id, session);
        } else {
            log::warn!("the record of a session is damaged: the session has ended");
        }
    }
    Ok(sessions)
}

pub(crate) fn encode_session(session: &Session) -> Result<Vec<u8>, StoreError> {
    let (created_ms, used_ms) = (session.created.millis(), session.last_used.millis());
    if let Some(saved) = &session.saved {
        let (name, user) = (session.owner.name(), session.by.as_ref());
        let saved = (saved.digest, &*saved.leads_to);
        let fields = (
            created_ms,
            used_ms,
            name,
            user.map(HomeUserId::as_str),
            saved,
        );
        return record::encode(SAVED_VERSION, &fields);
    }
    if let Some(user) = &session.by {
        let (name, user) = (session.owner.name(), user.as_str());
        return record::encode(LINKED_VERSION, &(created_ms, used_ms, name, user));
    }
    match &session.owner {
        SessionOwner::Administrator => record::encode(VERSION, &(created_ms, used_ms)),
        // With a version of its own: a build without people must not take it for the
        // administrator's.
        SessionOwner::Person(name) => {
            record::encode(PERSONS_VERSION, &(created_ms, used_ms, name.as_str()))
        }
    }
}

/// The key of a session, as hexadecimal digits: no byte of a key may be 0xFF (`records/keys.rs`).
pub(crate) fn session_key(id: &SessionId) -> String {
    let digits = id.0.iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}

pub(super) fn session_of(key: &[u8], value: &[u8]) -> Option<Session> {
    let (created_ms, last_used_ms, name, user, saved): SessionFields = match *value.first()? {
        SAVED_VERSION => {
            let (created_ms, used_ms, name, user, saved) = record::decode(SAVED_VERSION, value)?;
            (created_ms, used_ms, name, user, Some(saved))
        }
        LINKED_VERSION => {
            let (created_ms, used_ms, name, user) = record::decode(LINKED_VERSION, value)?;
            (created_ms, used_ms, name, Some(user), None)
        }
        PERSONS_VERSION => {
            let (created_ms, used_ms, name) = record::decode(PERSONS_VERSION, value)?;
            (created_ms, used_ms, Some(name), None, None)
        }
        _ => {
            let (created_ms, used_ms) = record::decode(VERSION, value)?;
            (created_ms, used_ms, None, None, None)
        }
    };
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
        owner: SessionOwner::named(name.as_deref())?,
        by: record::optional(user, |user| HomeUserId::new(&user).ok())?,
        created: Timestamp::from_millis(created_ms)?,
        last_used: Timestamp::from_millis(last_used_ms)?,
        saved: saved.map(|(digest, leads_to)| SavedForm {
            digest,
            leads_to: leads_to.into(),
        }),
    })
}
