//! `/costs/savings`: the cost of a range as it was, and without the panels and the battery.

use super::contracts::day;
use super::sides::{AskedSides, SideMonths, SideText, SidesView};
use crate::house::{HouseSavings, HouseWithout, SavingsError, savings};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::{PageResult, Visit, figures};
use crate::texts::Language;

/// `GET /costs/savings`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let asked = AskedSides::read(&visit, "savings", |language| language.say("savings-title"))?;
    let asked = match asked {
        Ok(asked) => asked,
        Err(empty) => return Ok(empty.show_empty()),
    };
    let (of, range, now) = (asked.account.clone(), asked.days.range.clone(), asked.now);
    let found = visit.report(&asked.account.name, move |store| {
        savings(store, &of, range, now)
    });
    let mut view = match found.await? {
        Err(SavingsError::Store(error)) => return Err(error.into()),
        Err(error) => refused(&asked, &error),
        Ok(found) => view(&asked, &found),
    };
    let account = [("account", asked.account.name.as_str())];
    view.next = Some([
        String::new(),
        asked.language().say("purchase-title"),
        address("costs/purchases", &account),
    ]);
    Ok(asked.show(view))
}

/// The name of a house.
pub(super) fn house_name(without: Option<HouseWithout>, language: &Language) -> String {
    match without {
        Some(parts) => language.word("savings-without", HouseWithout::as_str(parts)),
        None => language.say("savings-present"),
    }
}

fn refused(asked: &AskedSides, error: &SavingsError) -> SidesView {
    let language = asked.language();
    let text = match error {
        SavingsError::NoContract(None) => language.say("savings-no-contract"),
        SavingsError::NoContract(Some(first)) => {
            let from = [("from", day(*first, language).into())];
            language.fill("compare-before-contract", from)
        }
        SavingsError::NoPart(_) => language.say("savings-no-part"),
        SavingsError::TooMany => language.say("savings-too-many"),
        SavingsError::Store(error) => error.to_string(),
    };
    let is_without = matches!(error, SavingsError::NoContract(None));
    SidesView {
        problem: Some((text, is_without)),
        ..asked.view(None)
    }
}

fn view(asked: &AskedSides, found: &HouseSavings) -> SidesView {
    let language = asked.language();
    let priced = &found.priced;
    let saved = language.say("savings-saved");
    let months = SideMonths {
        title: language.say("savings-months"),
        drawn: |month| month.more,
        amounts: vec![|month| month.total, |month| month.more],
        heads: vec![
            language.say("forecast-month"),
            language.say("statement-total"),
            saved.clone(),
        ],
        of_present: false,
    };
    let rows = asked.rows(priced, &months, |bill, without, side| {
        // The house as it was saved nothing beside itself.
        let saved = without.and_then(|_| found.saved(side));
        let saved = saved.map(|amount| bill.amount(amount).shown);
        SideText {
            name: house_name(*without, language),
            lines: without.map(|parts| ("without", HouseWithout::as_str(parts).to_owned())),
            cells: vec![saved.unwrap_or_else(|| figures::UNKNOWN.to_owned())],
            facts: bill.flows(side.at_grid()).into(),
        }
    });
    let statements = priced.sides.iter().map(|(_, side)| &side.statement);
    let coverage = asked.bill(&priced.currency).coverage(statements);
    let mut names = priced.sides.iter().map(|(without, _)| *without);
    let both = if names.any(|it| it == Some(HouseWithout::Both)) {
        format!(" {}", language.say("savings-assumes-both"))
    } else {
        String::new()
    };
    let [assumes, missing] = [
        language.say("savings-assumes"),
        language.say("savings-missing"),
    ];
    SidesView {
        columns: vec![
            language.say("savings-house"),
            language.say("statement-total"),
            saved,
        ],
        rows,
        assumes: format!("{assumes}{both} {coverage} {missing}"),
        warnings: (!found.measures_export)
            .then(|| language.say("savings-no-export"))
            .into_iter()
            .collect(),
        ..asked.view(Some(priced.range.end()))
    }
}
