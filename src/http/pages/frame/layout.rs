//! The frame around a page: its head with the tabs, and what came of a form.

use actix_web::HttpRequest;
use askama::filters::{Escaper as _, Html};

use super::address::{HOME, page_of, up_from};
use super::assets::{ASSETS, Assets};
use super::language::language_of;
use super::problem::FormProblem;
use crate::texts::{Language, TextValue};

/// The pages that the head of each page links to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Dashboard,
    Energy,
    Costs,
    Settings,
    Status,
    /// What is the visitor's own.
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
    /// How many notices are open and not dismissed.
    pub(crate) bell: usize,
    /// What the visitor may do: pages offer nothing else.
    pub(crate) may: Offered,
    /// The way from this page to the root, to which all links are relative.
    pub(crate) up: String,
    /// The address of this page.
    pub(crate) page: String,
    /// Whether the choice of a language can return to this page; if not, there is no choice.
    pub(crate) has_languages: bool,
    /// The hidden field `csrf` of each form.
    pub(crate) csrf: String,
    /// The change that the previous form has made, as a sentence.
    pub(crate) done: Option<String>,
    /// The mistake in the form that is shown again.
    pub(crate) problem: Option<FormProblem>,
}

/// What a page may offer to its visitor.
#[derive(Clone, Copy, Default)]
pub(crate) struct Offered {
    /// Everything.
    pub(crate) everything: bool,
    /// What members change, of one account at least.
    pub(crate) change: bool,
    /// A page of their own: everybody's but the administrator's, whose settings have it.
    pub(crate) me: bool,
}

/// The same for a page that is not made for a request.
impl Default for Layout {
    fn default() -> Self {
        Self {
            assets: &ASSETS,
            language: Language::english(),
            tab: None,
            version: env!("CARGO_PKG_VERSION"),
            bell: 0,
            may: Offered::default(),
            up: HOME.to_owned(),
            page: HOME.to_owned(),
            has_languages: false,
            csrf: String::new(),
            done: None,
            problem: None,
        }
    }
}

impl Layout {
    /// The frame of a page without tabs and forms, for whoever sent this request.
    pub(crate) fn alone(request: &HttpRequest) -> Self {
        Self {
            language: language_of(request),
            up: up_from(request),
            page: page_of(request).to_owned(),
            ..Self::default()
        }
    }

    /// The address and the name of each tab that the visitor may open, and whether it is that of this page.
    pub(crate) fn tabs(&self) -> Vec<(&'static str, String, bool)> {
        let say = |name| self.language.say(name);
        let tabs = [
            (true, Tab::Dashboard, HOME, say("tab-dashboard")),
            (true, Tab::Energy, "energy", say("tab-energy")),
            (true, Tab::Costs, "costs", say("statement-tab")),
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

    /// The bell in words; `None` without notices.
    pub(crate) fn bell_words(&self) -> Option<String> {
        let count = [("count", self.bell.into())];
        (self.bell > 0).then(|| self.language.fill("bell-count", count))
    }

    /// The problem at this field, if any.
    pub(crate) fn at(&self, field: &str) -> Option<String> {
        let problem = self.problem.as_ref();
        let here = problem.filter(|problem| problem.field == field);
        here.map(|problem| problem.text(self.language))
    }

    /// The tag and the own name of each language, and whether it is that of this page.
    pub(crate) fn languages(&self) -> Vec<(&'static str, String, bool)> {
        let named = |it: &'static Language| {
            let is_here = it.tag() == self.language.tag();
            (it.tag(), it.say("language-name"), is_here)
        };
        Language::all().map(named).collect()
    }

    /// The text of this name as HTML: what stands between backticks is code.
    pub(crate) fn coded<'a>(&self, name: &str, values: &[(&'a str, TextValue<'a>)]) -> String {
        let text = self.language.fill(name, values);
        let mut html = String::new();
        for (nth, part) in text.split('`').enumerate() {
            let is_code = nth % 2 == 1;
            html.push_str(if is_code { "<code>" } else { "" });
            // Writing to a String cannot fail.
            let _ = Html.write_escaped_str(&mut html, part);
            html.push_str(if is_code { "</code>" } else { "" });
        }
        html
    }
}
