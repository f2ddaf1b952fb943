//! The layout around a page: its header with the tabs, and the result of a form.

use actix_web::{HttpMessage as _, HttpRequest};
use askama::filters::{Escaper as _, Html};

use super::address::{HOME, page_of, up_from};
use super::assets::{ASSETS, Assets};
use super::language::language_of;
use super::posted_form::FormFields;
use super::problem::FormProblem;
use crate::texts::{Language, Region, TextValue, sort_key};

/// The pages linked in the header of each page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Dashboard,
    /// The tenancies of a tenant.
    Tenancy,
    Energy,
    Costs,
    /// Registers and events.
    Meters,
    Settings,
    Status,
    /// The visitor's own settings.
    Me,
}

/// The values that `base.html` and `alone.html` show around a page.
pub(crate) struct Layout {
    pub(crate) assets: &'static Assets,
    /// The language of all words, numbers and dates.
    pub(crate) language: &'static Language,
    /// The tab of this page; `None` for pages without tabs.
    pub(crate) tab: Option<Tab>,
    pub(crate) version: &'static str,
    /// The number of notices that are open and not dismissed.
    pub(crate) open_notices: usize,
    /// The actions that the visitor may take; pages offer no others.
    pub(crate) may: Offered,
    /// The relative path from this page to the root. All links are relative to the root.
    pub(crate) up: String,
    /// The address of this page.
    pub(crate) page: String,
    /// Whether this page can be shown again after choosing a language; if not, there is no choice.
    pub(crate) has_languages: bool,
    /// The value of the hidden field `csrf` in each form.
    pub(crate) csrf: String,
    /// The change made by the previous form, as a sentence.
    pub(crate) done: Option<String>,
    /// The mistake in the form that is shown again.
    pub(crate) problem: Option<FormProblem>,
    /// The request with that form.
    pub(crate) again: Option<HttpRequest>,
}

/// The actions that a page may offer to its visitor.
#[derive(Clone, Copy, Default)]
pub(crate) struct Offered {
    /// Everything.
    pub(crate) everything: bool,
    /// Houses, or sub-meters of tenancies.
    pub(crate) sees: SeenAccounts,
    /// Changes that members make, in at least one account.
    pub(crate) change: bool,
    /// The visitor's own page. The administrator has it in the settings instead.
    pub(crate) me: bool,
}

/// The accounts of a visitor.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SeenAccounts {
    /// Whole ones, if there are any.
    #[default]
    Houses,
    /// The sub-meters of tenancies that name them.
    Tenancies,
    /// Some whole, and of others such sub-meters.
    Both,
}

/// For a page that is not made for a request.
impl Default for Layout {
    fn default() -> Self {
        Self {
            assets: &ASSETS,
            language: Language::english(),
            tab: None,
            version: env!("CARGO_PKG_VERSION"),
            open_notices: 0,
            may: Offered::default(),
            up: HOME.to_owned(),
            page: HOME.to_owned(),
            has_languages: false,
            csrf: String::new(),
            done: None,
            problem: None,
            again: None,
        }
    }
}

impl Layout {
    /// The layout of a page without tabs and forms, for the sender of this request.
    pub(crate) fn alone(request: &HttpRequest) -> Self {
        Self {
            language: language_of(request),
            up: up_from(request),
            page: page_of(request).to_owned(),
            ..Self::default()
        }
    }

    /// The address and the name of each tab that the visitor may open, and whether this page
    /// belongs to it.
    pub(crate) fn tabs(&self) -> Vec<(&'static str, String, bool)> {
        let say = |name| self.language.say(name);
        let house = self.may.sees != SeenAccounts::Tenancies;
        let tabs = [
            (house, Tab::Dashboard, HOME, say("tab-dashboard")),
            (house, Tab::Energy, "energy", say("tab-energy")),
            (house, Tab::Costs, "costs", say("statement-tab")),
            (house, Tab::Meters, "events", say("tab-meters")),
            (
                self.may.sees != SeenAccounts::Houses,
                Tab::Tenancy,
                "tenancy",
                say("tenancy-own"),
            ),
            (
                self.may.change,
                Tab::Settings,
                "settings",
                say("tab-settings"),
            ),
            (
                self.may.everything,
                Tab::Status,
                "status",
                say("tab-status"),
            ),
            (self.may.me, Tab::Me, "me", say("people-me")),
        ];
        let offered = tabs.into_iter().filter(|(is_offered, ..)| *is_offered);
        offered
            .map(|(_, tab, address, name)| (address, name, self.tab == Some(tab)))
            .collect()
    }

    /// The number of notices in words; `None` without notices.
    pub(crate) fn open_notices_text(&self) -> Option<String> {
        let count = [("count", self.open_notices.into())];
        (self.open_notices > 0).then(|| self.language.fill("notices-open", count))
    }

    /// The problem at this field, if any.
    pub(crate) fn at(&self, field: &str) -> Option<String> {
        let problem = self.problem.as_ref();
        let here = problem.filter(|problem| problem.field == field);
        here.map(|problem| problem.text(self.language))
    }

    /// The text in a field: the typed one if the form is shown again, otherwise `stored`.
    pub(crate) fn typed(&self, field: &str, stored: &str) -> String {
        let Some(request) = &self.again else {
            return stored.to_owned();
        };
        let extensions = request.extensions();
        let form = extensions.get::<FormFields>();
        // A field that comes twice was refused before.
        let typed = form.and_then(|form| form.field(field).ok());
        typed.unwrap_or_default()
    }

    /// The value of the box that answers the questions before saving, if some are asked.
    pub(crate) fn sure(&self) -> Option<&str> {
        self.problem.as_ref().and_then(FormProblem::sure)
    }

    /// The tag and the native name of each language, and whether this page is in it.
    pub(crate) fn languages(&self) -> Vec<(&'static str, String, bool)> {
        let named = |it: &'static Language| {
            let is_here = it.tag() == self.language.tag();
            (it.tag(), it.say("language-name"), is_here)
        };
        Language::all().map(named).collect()
    }

    /// The code and the name of each region, by name, and whether this page is written as there.
    pub(crate) fn regions(&self) -> Vec<(&'static str, String, bool)> {
        let named = |region: Region| {
            let name = self.language.word("country", Region::as_str(region));
            (
                region.as_str(),
                name,
                self.language.region() == Some(region),
            )
        };
        let mut regions: Vec<_> = Region::ALL.map(named).into();
        regions.sort_by_cached_key(|(_, name, _)| sort_key(name));
        regions
    }

    /// The text of this name as HTML, with backticked parts as code.
    pub(crate) fn coded<'a>(&self, name: &str, values: &[(&'a str, TextValue<'a>)]) -> String {
        let text = self.language.fill(name, values);
        let mut html = String::new();
        for (nth, part) in text.split('`').enumerate() {
            let is_code = nth % 2 == 1;
            html.push_str(if is_code { "<code>" } else { "" });
            // Writing to a string cannot fail.
            let _ = Html.write_escaped_str(&mut html, part);
            html.push_str(if is_code { "</code>" } else { "" });
        }
        html
    }
}
