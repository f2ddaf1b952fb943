//! The frame around a page: its head with the tabs, and what came of a form.

use super::assets::{ASSETS, Assets};
use super::problem::FormProblem;

/// The pages that the head of each page links to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Dashboard,
    Settings,
    Status,
}

/// The values that `base.html` and `alone.html` show around a page.
pub(crate) struct Layout {
    pub(crate) assets: &'static Assets,
    /// The tab of this page; `None` for pages without tabs.
    pub(crate) tab: Option<Tab>,
    pub(crate) version: &'static str,
    /// The hidden field `csrf` of each form.
    pub(crate) csrf: String,
    /// The change that the previous form has made, as a sentence.
    pub(crate) done: Option<&'static str>,
    /// The mistake in the form that is shown again.
    pub(crate) problem: Option<FormProblem>,
}

/// The frame of a page without tabs and forms.
impl Default for Layout {
    fn default() -> Self {
        Self {
            assets: &ASSETS,
            tab: None,
            version: env!("CARGO_PKG_VERSION"),
            csrf: String::new(),
            done: None,
            problem: None,
        }
    }
}

impl Layout {
    /// The address and the name of each tab, and whether it is that of this page.
    pub(crate) fn tabs(&self) -> [(&'static str, &'static str, bool); 3] {
        let tabs = [
            (Tab::Dashboard, "/", "Dashboard"),
            (Tab::Settings, "/settings", "Settings"),
            (Tab::Status, "/status", "Status"),
        ];
        tabs.map(|(tab, address, name)| (address, name, self.tab == Some(tab)))
    }

    /// The problem at this field, if any.
    pub(crate) fn at(&self, field: &str) -> Option<&str> {
        let problem = self.problem.as_ref();
        let here = problem.filter(|problem| problem.field == field);
        here.map(|problem| problem.text.as_str())
    }
}
