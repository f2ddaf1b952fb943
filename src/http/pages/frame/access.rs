//! Who may use a page. Each route names it, and the guard checks it before any handler runs.
//!
//! What somebody may not use is "not found", as if it did not exist: neither an account nor a page shows by its refusal that it is
//! there.

use super::error::PageError;
use crate::domain::{AccountName, Membership, Rights};

/// Who may send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Whoever comes.
    Anyone,
    /// Whoever has signed in: for what is their own.
    SignedIn,
    /// Whoever sees the account that the parameter or field `account` names, and that of the sensor that `sensor` names.
    Viewer,
    /// Whoever is a member of these accounts.
    Member,
    /// The administrator.
    Administrator,
    /// A wall tablet, for its account. It may send nothing else.
    Tablet,
}

/// Who may use an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageAccess {
    /// Who may see it.
    pub(crate) page: Access,
    /// Who may send a form to it.
    pub(crate) form: Access,
    /// The field of the form that may be as large as an upload of prices, if it has one.
    pub(crate) large_field: Option<&'static str>,
}

impl Access {
    /// Checks that a visitor with these `rights` may send the request for some account, before it is known for which.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if there is none.
    pub(super) fn check_any(self, rights: &Rights) -> Result<(), PageError> {
        let is_allowed = match self {
            Self::Anyone | Self::SignedIn | Self::Tablet => true,
            Self::Viewer => rights.allow_any(Membership::Viewer),
            Self::Member => rights.allow_any(Membership::Member),
            Self::Administrator => *rights == Rights::Everything,
        };
        is_allowed.then_some(()).ok_or(PageError::NotFound)
    }

    /// Checks a request of a visitor with these `rights`, for whom the guard has found a session or a tablet if one is needed.
    /// `account` is what the parameter `account` says, or the field if the request `is_form`; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if they may not send it.
    pub(super) fn check(
        self,
        rights: &Rights,
        is_form: bool,
        account: &str,
    ) -> Result<(), PageError> {
        let needed = match self {
            Self::Anyone | Self::SignedIn | Self::Tablet => return Ok(()),
            _ if *rights == Rights::Everything => return Ok(()),
            Self::Administrator => return Err(PageError::NotFound),
            Self::Viewer => Membership::Viewer,
            Self::Member => Membership::Member,
        };
        let is_allowed = if account.is_empty() {
            // A page shows one of their accounts then, or says that there is none; a form must say which one it changes.
            !is_form && (needed == Membership::Viewer || rights.allow_any(needed))
        } else {
            AccountName::new(account).is_ok_and(|account| rights.allow(&account, needed))
        };
        is_allowed.then_some(()).ok_or(PageError::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_access_lets_in_whom_it_names() {
        let account = |name| AccountName::new(name).unwrap();
        let some = [
            (account("home"), Membership::Member),
            (account("shop"), Membership::Viewer),
        ];
        let some = Rights::Accounts(BTreeMap::from(some));
        let none = Rights::Accounts(BTreeMap::new());
        let named = ["", "home", "shop", "other", "\0"];
        let is_in = |access: Access, rights, is_form| {
            named.map(|name| u8::from(access.check(rights, is_form, name).is_ok()))
        };
        for access in [Access::Viewer, Access::Member, Access::Administrator] {
            for is_form in [false, true] {
                assert_eq!(is_in(access, &Rights::Everything, is_form), [1; 5]);
            }
        }
        assert_eq!(is_in(Access::Viewer, &some, false), [1, 1, 1, 0, 0]);
        assert_eq!(is_in(Access::Viewer, &some, true), [0, 1, 1, 0, 0]);
        assert_eq!(is_in(Access::Member, &some, false), [1, 1, 0, 0, 0]);
        assert_eq!(is_in(Access::Member, &some, true), [0, 1, 0, 0, 0]);
        assert_eq!(is_in(Access::Administrator, &some, false), [0; 5]);
        // The dashboard tells them that they see nothing.
        assert_eq!(is_in(Access::Viewer, &none, false), [1, 0, 0, 0, 0]);
        assert_eq!(is_in(Access::Member, &none, false), [0; 5]);
        let any = |access: Access| {
            [&none, &some, &Rights::Everything].map(|rights| access.check_any(rights).is_ok())
        };
        assert_eq!(any(Access::SignedIn), [true, true, true]);
        assert_eq!(any(Access::Viewer), [false, true, true]);
        assert_eq!(any(Access::Member), [false, true, true]);
        assert_eq!(any(Access::Administrator), [false, false, true]);
    }
}
