//! `/costs/compare`: the cost of a range by the contracts and by each offer.

use super::contracts::day;
use super::sides::{AskedSides, SideMonths, SideText, SidesView};
use crate::chart::with_unit;
use crate::domain::Decimal;
use crate::house::{CompareError, ContractComparison, compare};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::{PageResult, Visit, figures};
use crate::ledger::contract::Label;

/// `GET /costs/compare`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let asked = AskedSides::read(&visit, "compare", |language| language.say("compare-title"))?;
    let asked = match asked {
        Ok(asked) => asked,
        Err(empty) => return Ok(empty.show_empty()),
    };
    let (of, range, now) = (asked.account.clone(), asked.days.range.clone(), asked.now);
    let found = visit.report(&asked.account.name, move |store| {
        compare(store, &of, range, now)
    });
    let view = match found.await? {
        Err(CompareError::Store(error)) => return Err(error.into()),
        Err(error) => refused(&asked, &error),
        Ok(found) => view(&asked, &found),
    };
    Ok(asked.show(view))
}

fn refused(asked: &AskedSides, error: &CompareError) -> SidesView {
    let language = asked.language();
    let text = match error {
        CompareError::NoContract(None) => language.say("compare-no-contract"),
        CompareError::NoContract(Some(first)) => {
            let from = [("from", day(*first, language).into())];
            language.fill("compare-before-contract", from)
        }
        CompareError::TooMany => language.say("compare-too-many"),
        CompareError::Store(error) => error.to_string(),
    };
    let is_without = matches!(error, CompareError::NoContract(None));
    SidesView {
        problem: Some((text, is_without)),
        ..asked.view(None)
    }
}

fn view(asked: &AskedSides, found: &ContractComparison) -> SidesView {
    let language = asked.language();
    let priced = &found.priced;
    let months = SideMonths {
        title: language.say("compare-months"),
        drawn: |month| month.total,
        amounts: vec![|month| month.total],
        heads: Vec::new(),
        of_present: true,
    };
    let unknown = || figures::UNKNOWN.to_owned();
    let rows = asked.rows(priced, &months, |bill, offer, side| {
        let money = |amount: Decimal| bill.amount(amount).shown;
        let name = match offer {
            Some(name) => name.to_string(),
            None => language.say("compare-present"),
        };
        let difference = match found.difference(side) {
            Some(more) if more > Decimal::ZERO => format!("+{}", money(more)),
            Some(less) => money(less),
            None => unknown(),
        };
        // The header of the table names the unit.
        let mean = side.statement.mean_price().map_or_else(unknown, |price| {
            let sign = figures::currency_sign(bill.currency);
            with_unit(price.to_f64(), 4, sign, language)
        });
        SideText {
            name,
            lines: offer.as_ref().map(|name| ("offer", name.to_string())),
            cells: vec![difference, mean],
            facts: Vec::new(),
        }
    });
    let names: Vec<&str> = found.left_out.iter().map(Label::as_str).collect();
    let left_out = (!names.is_empty())
        .then(|| language.fill("compare-left-out", [("names", names.join(", ").into())]));
    let statements = priced.sides.iter().map(|(_, side)| &side.statement);
    let coverage = asked.bill(&priced.currency).coverage(statements);
    let next = || {
        let new = asked.may_change().then(|| language.say("offer-new"));
        let account = [("account", asked.account.name.as_str())];
        let to = address("costs/offer", &account);
        [language.say("compare-none"), new.unwrap_or_default(), to]
    };
    SidesView {
        columns: vec![
            language.say("compare-contract"),
            language.say("statement-total"),
            language.say("compare-difference"),
            language.say("compare-mean"),
        ],
        next: (rows.len() == 1).then(next),
        rows,
        assumes: format!("{} {coverage}", language.say("compare-assumes")),
        warnings: left_out.into_iter().collect(),
        ..asked.view(Some(priced.range.end()))
    }
}
