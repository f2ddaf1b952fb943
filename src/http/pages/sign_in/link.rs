//! The box of the forms to sign in that links a user of Home Assistant.

use crate::domain::HomeUser;
use crate::http::pages::frame::Visit;

/// The box that links the visiting user of Home Assistant to the person who signs in.
pub(super) struct LinkChoice {
    pub(super) user: String,
    pub(super) is_checked: bool,
}

impl LinkChoice {
    /// The box; `None` for visitors who do not come through Home Assistant's ingress.
    pub(super) fn of(visit: &Visit) -> Option<Self> {
        let user = visit.visitor.home_user.as_ref()?;
        Some(Self {
            user: user.name.to_string(),
            is_checked: wanted_link(visit).is_some(),
        })
    }
}

/// The user of Home Assistant to link, if the box is checked.
pub(super) fn wanted_link(visit: &Visit) -> Option<HomeUser> {
    let is_checked = visit.fields("link") == ["yes"];
    visit.visitor.home_user.clone().filter(|_| is_checked)
}
