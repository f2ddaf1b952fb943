//! Access rights of pages. Each route states its rights, and the guard checks them before any
//! handler runs.
//!
//! A page without permission is "not found", so a refusal never reveals that an account or a page
//! exists.

use super::error::PageError;
use super::kept::SignInWith;
use crate::domain::{AccountName, Membership, Rights};

/// The visitors that a request is allowed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Anyone,
    /// All signed-in visitors, for pages about themselves.
    SignedIn,
    /// Visitors who see the account in the parameter or field `account`, and the account of the
    /// sensor in `sensor`.
    Viewer,
    /// The same, and tenants of the account, who see their tenancies there and nothing else.
    Tenant,
    /// Members of these accounts.
    Member,
    /// The administrator.
    Administrator,
    /// A wall tablet, for its account. It may send nothing else.
    Tablet,
}

/// The rights of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageAccess {
    /// The visitors who are allowed to see it.
    pub(crate) page: Access,
    /// The visitors who are allowed to send a form to it.
    pub(crate) form: Access,
    /// The field of the form that may be as large as an upload of prices, if it has one.
    pub(crate) large_field: Option<&'static str>,
    /// The page to sign in that keeps the form, if it can come back.
    pub(crate) keeps: Option<SignInWith>,
}

impl Access {
    /// Checks that a visitor with these `rights` may send the request for some account, before the
    /// account is known.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if there is none.
    pub(super) fn check_any(self, rights: &Rights) -> Result<(), PageError> {
        let is_allowed = match self {
            Self::Anyone | Self::SignedIn | Self::Tablet => true,
            Self::Tenant => rights.allow_any(Membership::Tenant),
            Self::Viewer => rights.allow_any(Membership::Viewer),
            Self::Member => rights.allow_any(Membership::Member),
            Self::Administrator => *rights == Rights::Everything,
        };
        is_allowed.then_some(()).ok_or(PageError::NotFound)
    }

    /// Checks a request of a visitor with these `rights`; the guard has already found the session
    /// or the tablet, if one is needed. `account` is the parameter `account`, or the field if the
    /// request `is_form`; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if the visitor may not send it.
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
            Self::Tenant => Membership::Tenant,
            Self::Viewer => Membership::Viewer,
            Self::Member => Membership::Member,
        };
        let is_allowed = if account.is_empty() {
            // A page then shows one of the visitor's accounts, or explains that there is none; a
            // form must name the account that it changes.
            // A tenant sees no page of a house.
            let explains = needed != Membership::Member && !rights.are_of_tenant();
            !is_form && (explains || rights.allow_any(needed))
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
            (account("flat"), Membership::Tenant),
        ];
        let tenant = Rights::Accounts(BTreeMap::from([some[2].clone()]));
        let some = Rights::Accounts(BTreeMap::from(some));
        let none = Rights::Accounts(BTreeMap::new());
        let named = ["", "home", "shop", "flat", "other", "\0"];
        let is_in = |access: Access, rights, is_form| {
            named.map(|name| u8::from(access.check(rights, is_form, name).is_ok()))
        };
        for access in [
            Access::Tenant,
            Access::Viewer,
            Access::Member,
            Access::Administrator,
        ] {
            for is_form in [false, true] {
                assert_eq!(is_in(access, &Rights::Everything, is_form), [1; 6]);
            }
        }
        assert_eq!(is_in(Access::Tenant, &some, false), [1, 1, 1, 1, 0, 0]);
        assert_eq!(is_in(Access::Viewer, &some, false), [1, 1, 1, 0, 0, 0]);
        assert_eq!(is_in(Access::Viewer, &some, true), [0, 1, 1, 0, 0, 0]);
        assert_eq!(is_in(Access::Member, &some, false), [1, 1, 0, 0, 0, 0]);
        assert_eq!(is_in(Access::Member, &some, true), [0, 1, 0, 0, 0, 0]);
        assert_eq!(is_in(Access::Administrator, &some, false), [0; 6]);
        assert_eq!(is_in(Access::Tenant, &tenant, false), [1, 0, 0, 1, 0, 0]);
        for access in [Access::Viewer, Access::Member, Access::Administrator] {
            for is_form in [false, true] {
                assert_eq!(is_in(access, &tenant, is_form), [0; 6]);
            }
        }
        // The dashboard explains that they have no accounts.
        assert_eq!(is_in(Access::Viewer, &none, false), [1, 0, 0, 0, 0, 0]);
        assert_eq!(is_in(Access::Tenant, &none, false), [1, 0, 0, 0, 0, 0]);
        assert_eq!(is_in(Access::Member, &none, false), [0; 6]);
        let any = |access: Access| {
            [&none, &tenant, &some, &Rights::Everything]
                .map(|rights| access.check_any(rights).is_ok())
        };
        assert_eq!(any(Access::SignedIn), [true; 4]);
        assert_eq!(any(Access::Tenant), [false, true, true, true]);
        assert_eq!(any(Access::Viewer), [false, false, true, true]);
        assert_eq!(any(Access::Member), [false, false, true, true]);
        assert_eq!(any(Access::Administrator), [false, false, false, true]);
    }
}
