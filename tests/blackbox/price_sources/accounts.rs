//! Sources and the accounts that they are for.

use super::market::{house, list, market, section, url};
use crate::mqtt::house::eventually;

#[test]
fn a_source_without_its_account_says_so() {
    let source = market();
    let place = house(&[
        section(&url(&source), "spot", "account = \"nobody\""),
        section(&url(&source), "other", ""),
    ]);
    place.ok(&["account", "add", "second"]);
    let serving = place.serve(&[]);
    serving.wait_for("for spot: there is no account \"nobody\"; set account to one that exists");
    serving.wait_for("for other: there is more than one account, or none; set account");
    drop(serving.stop());
    assert!(source.requests().is_empty());
}

#[test]
fn a_removed_account_gets_no_more_prices() {
    let source = market();
    let place = house(&[section(&url(&source), "spot", "account = \"gone\"")]);
    place.ok(&["account", "add", "gone"]);
    let serving = place.serve(&[]);
    let prices = ["--account", "gone"];
    eventually("prices", || {
        let rows = place.json(&[&["prices", "list"][..], &prices].concat());
        (!rows.as_array().unwrap().is_empty()).then_some(())
    });
    let refused = place.error(&["account", "remove", "gone"]);
    assert!(refused.contains("price"), "{refused}");
    drop(serving.stop());
    place.ok(&[&["prices", "remove", "spot"][..], &prices].concat());
    place.ok(&["account", "remove", "gone"]);
    let serving = place.serve(&[]);
    serving.wait_for("for spot: there is no account \"gone\"");
    drop(serving.stop());
    assert!(list(&place).is_empty());
}

#[test]
fn two_accounts_have_series_of_the_same_name() {
    let source = market();
    let sections = ["home", "second"]
        .map(|name| section(&url(&source), "spot", &format!("account = \"{name}\"")));
    let place = house(&sections);
    place.ok(&["account", "add", "second"]);
    let serving = place.serve(&[]);
    for account in ["home", "second"] {
        eventually(account, || {
            let rows = place.json(&["prices", "list", "--account", account]);
            (!rows.as_array().unwrap().is_empty()).then_some(())
        });
    }
    drop(serving.stop());
}
