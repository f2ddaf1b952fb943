//! `/costs/what-if`: a range with another battery, other panels or another load. Its form changes
//! nothing: it is sent as a form because a profile of panels may come with it.

use actix_web::http::{Method, StatusCode};
use askama::Template;

use super::contracts::layout;
use super::what_if_view::{WhatIfView, WhatIfWords};
use super::what_if_wrong::refusal;
use crate::domain::{Account, Role, Sensor, Zone};
use crate::house::{WhatIfError, WhatIfField, WhatIfForm, WhatIfQuestion, what_if};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::address::query_string;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules};
use crate::http::pages::frame::response::{ok, render};
use crate::http::pages::frame::{FormProblem, Layout, PageError, PageResult, Visit};
use crate::http::wire::ApiError;

#[derive(Template)]
#[template(path = "money/what_if.html")]
struct WhatIfPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// The first and the last day, as typed.
    days: [String; 2],
    /// The other fields as typed.
    fields: Vec<(WhatIfField, String)>,
    /// The typed profile, if it is short.
    table: String,
    /// The id and the name of each sub-meter, and whether it is chosen.
    sub_meters: Vec<(String, String, bool)>,
    /// Whether a sensor measures panels.
    has_panels: bool,
    shown: Option<WhatIfView>,
    /// Why there is no answer, if no field is at fault.
    refusal: Option<String>,
}

/// The field with the profile.
pub(crate) const TABLE: &str = "table";

/// A longer profile is not shown again.
const MOST_SHOWN: usize = 64 * 1024;

/// `GET /costs/what-if?account=…&battery=…`, and the same as a form
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = WhatIfPage::new(&visit, &scope)?;
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let is_form = visit.request.method() == Method::POST;
    let is_asked = is_form || page.fields.iter().any(|(_, text)| !text.is_empty());
    let choice = match page.choice(&account.zone, &visit) {
        Ok(choice) => choice,
        Err(status) => return Ok(render(status, &page)),
    };
    if !is_asked {
        return Ok(ok(&page));
    }
    let question = match page.question(&visit).await? {
        Ok(question) => question,
        Err(error) => return page.refuse(&error),
    };
    let calendar = RangeCalendar::of(&visit, &account);
    let days = calendar.shown(choice);
    let (of, range, now) = (account.clone(), days.range.clone(), visit.app.counted_now());
    let found = visit.report(&account.name, move |store| {
        what_if(store, &of, (range, now), question)
    });
    match found.await? {
        Ok(found) => {
            page.shown = Some(words(&page, &account, (choice, &calendar)).view(&days, &found));
            Ok(ok(&page))
        }
        Err(error) => page.refuse(&error),
    }
}

fn words<'a>(
    page: &WhatIfPage,
    account: &'a Account,
    (choice, calendar): (RangeChoice, &'a RangeCalendar),
) -> WhatIfWords<'a> {
    WhatIfWords {
        language: page.layout.language,
        account,
        choice,
        calendar,
    }
}

impl WhatIfPage {
    fn new(visit: &Visit, scope: &AccountScope) -> Result<Self, PageError> {
        let of_form = WhatIfField::ALL.into_iter();
        let of_form = of_form.filter(|field| *field != WhatIfField::Profile);
        let typed = of_form.map(|field| {
            let text = visit.param(field.as_str())?;
            Ok((field, text.trim().to_owned()))
        });
        let fields = typed.collect::<Result<Vec<_>, PageError>>()?;
        let sub_meter = |it: &&Sensor| it.role == Role::SubMeter;
        let sub_meters = scope.sensors.iter().filter(sub_meter);
        let chosen = visit.param(WhatIfField::LoadSensor.as_str())?;
        Ok(Self {
            layout: layout(visit)?,
            accounts: scope.chips("costs/what-if"),
            account: scope
                .account
                .as_ref()
                .map_or_else(String::new, |it| it.name.to_string()),
            days: [visit.param("from")?, visit.param("to")?],
            fields,
            table: String::new(),
            sub_meters: sub_meters
                .map(|it| {
                    let id = it.id.to_string();
                    let is_chosen = id == chosen;
                    (id, it.name.clone(), is_chosen)
                })
                .collect(),
            has_panels: scope.sensors.iter().any(|it| it.role == Role::Solar),
            shown: None,
            refusal: None,
        })
    }

    /// The text of a field as typed.
    fn value(&self, name: &str) -> &str {
        let mut all = self.fields.iter();
        let found = all.find(|(field, _)| field.as_str() == name);
        found.map_or("", |(_, text)| text)
    }

    /// The range that is asked for, by default the last 365 days.
    fn choice(&mut self, zone: &Zone, visit: &Visit) -> Result<RangeChoice, StatusCode> {
        if self.days.iter().all(String::is_empty) {
            let calendar = RangeCalendar::new(zone, self.layout.language, visit.app.counted_now());
            let now = calendar.now();
            let [today, _] = calendar.dates(&(now..now.saturating_add_millis(1)));
            let days = [-365, -1].map(|days| today.plus_days(days).unwrap_or(today));
            self.days = days.map(|date| date.to_string());
        }
        let [from, to] = self.days.clone();
        let query = query_string(&[("from", from), ("to", to)]);
        let read = RangeRules::COMPARED.read(query.trim_start_matches('?'), zone);
        read.map_err(|error| {
            let field = match error {
                ApiError::InvalidField { name, .. } if name == "from" => "from",
                _ => "to",
            };
            let years = [("years", 10.into())];
            let text = self.layout.language.fill("span-problem", years);
            self.layout.problem = Some(FormProblem::new(field, text));
            StatusCode::UNPROCESSABLE_ENTITY
        })
    }

    /// The meaning of the fields. A long profile is read in the background.
    async fn question(
        &mut self,
        visit: &Visit,
    ) -> Result<Result<WhatIfQuestion, WhatIfError>, PageError> {
        let numbers = visit.numbers();
        let read = WhatIfForm::read(|field| {
            let text = self.value(field.as_str());
            let is_text = matches!(
                field,
                WhatIfField::Dispatch
                    | WhatIfField::Sizes
                    | WhatIfField::Load
                    | WhatIfField::LoadSensor
                    | WhatIfField::LoadBetween
            );
            let text = if is_text {
                text.to_owned()
            } else {
                numbers.plain(text)
            };
            // The page compares the usual sizes.
            let is_compared = field == WhatIfField::Sizes && text.is_empty();
            let has_battery = !self.value("battery").is_empty();
            let usual = (is_compared && has_battery).then(|| "usual".to_owned());
            Ok::<_, PageError>(usual.or(Some(text)))
        });
        let mut asked = Self::without_defaults(read?);
        let Some(mut form) = visit.take_form() else {
            return Ok(asked.question());
        };
        let table = form.take(TABLE)?;
        let reading = move || {
            asked.profile = Some(table).filter(|table| !table.trim().is_empty());
            let question = asked.question();
            let table = asked.profile.filter(|table| table.len() <= MOST_SHOWN);
            (question, table.unwrap_or_default())
        };
        let (question, table) = form.in_turn(reading).await?;
        self.table = table;
        Ok(question)
    }

    /// The fields that mean nothing without a battery or a load are always in the form.
    fn without_defaults(form: WhatIfForm) -> WhatIfForm {
        let form = if form.battery.is_none() && form.sizes.is_none() {
            WhatIfForm {
                charge_kw: None,
                discharge_kw: None,
                efficiency: None,
                reserve: None,
                standby_w: None,
                ageing: None,
                dispatch: None,
                price_per_kwh: None,
                ..form
            }
        } else {
            form
        };
        if form.load.is_some() {
            return form;
        }
        WhatIfForm {
            load_sensor: None,
            load_kwh: None,
            load_between: None,
            load_kw: None,
            ..form
        }
    }

    /// Says why there is no answer, at the field if one is at fault.
    fn refuse(mut self, error: &WhatIfError) -> PageResult {
        if let WhatIfError::Store(error) = error {
            return Err(PageError::from(error.clone()));
        }
        let text = refusal(error, self.layout.language);
        let field = match error.field() {
            Some(WhatIfField::Profile) => TABLE,
            Some(WhatIfField::Sizes) => WhatIfField::Battery.as_str(),
            Some(field) => field.as_str(),
            None => {
                self.refusal = Some(text);
                return Ok(ok(&self));
            }
        };
        self.layout.problem = Some(FormProblem::new(field, text));
        Ok(render(StatusCode::UNPROCESSABLE_ENTITY, &self))
    }
}
