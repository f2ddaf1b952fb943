//! Answers to requests, as a server sends them to a command of the same version.

use serde::{Deserialize, Serialize};

use super::as_json;
use super::events::EventPage;
use super::home_assistant::HomeAssistantRow;
use super::money_rows::{DayListRow, DayRow, PricePageRow, SeriesRow};
use super::people_rows::{LinkedUserRow, PersonRow, WallRow};
use super::price_sources::{PriceSourceRow, SourceTrialRow};
use super::rows::{
    AccountRow, CorrectionRow, FindingsRow, KeyRow, NoticeRow, ReadingRow, SensorRow,
};
use crate::home_assistant::{HomeComparison, HouseProposal};
use crate::house::{
    CheapestAnswer, ComparisonAnswer, ForecastAnswer, PaybackAnswer, PeakAnswer, SavingsAnswer,
    SensorStatementAnswer, StatementAnswer, TenanciesAnswer, UtilityAnswer, WhatIfAnswer,
};
use crate::store::BackupPage;

/// An answer of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// Accounts.
    Accounts(Vec<AccountRow>),
    /// Credentials.
    Keys(Vec<KeyRow>),
    /// Sensors.
    Sensors(Vec<SensorRow>),
    /// Corrections.
    Corrections(Vec<CorrectionRow>),
    /// Price series.
    Series(Vec<SeriesRow>),
    /// Prices.
    Prices(PricePageRow),
    /// Price sources.
    PriceSources(Vec<PriceSourceRow>),
    /// The prices that a price source would store.
    SourceTrial(SourceTrialRow),
    /// Home Assistants.
    HomeAssistants(Vec<HomeAssistantRow>),
    /// The house, as its Home Assistant knows it.
    House(Box<HouseProposal>),
    /// The energy that a Home Assistant counted, beside that of the ledger.
    Counted(Box<HomeComparison>),
    /// Day lists.
    DayLists(Vec<DayListRow>),
    /// Days of a list.
    Days(Vec<DayRow>),
    /// Contracts, bills, formats of files, offers, purchases or tenancies, as JSON.
    Rows(Vec<String>),
    /// Events.
    Events(EventPage),
    /// Notices.
    Notices(Vec<NoticeRow>),
    /// People.
    People(Vec<PersonRow>),
    /// Linked users of Home Assistant.
    LinkedUsers(Vec<LinkedUserRow>),
    /// Wall tablets.
    Walls(Vec<WallRow>),
    /// Readings.
    Readings(Vec<ReadingRow>),
    /// A piece of a backup, and the cursor of the next.
    BackupPage(BackupPage),
    /// JSON.
    Text(String),
    /// The utility's readings and bills, compared with the ledger.
    Utility(UtilityAnswer),
    /// A statement.
    Statement(Box<StatementAnswer>),
    /// A forecast.
    Forecast(#[serde(with = "as_json")] Box<ForecastAnswer>),
    /// The running span of each demand charge.
    Peak(Box<PeakAnswer>),
    /// A house as it would have been.
    WhatIf(Box<WhatIfAnswer>),
    /// The cheapest time.
    Cheapest(Box<CheapestAnswer>),
    /// A comparison of contracts.
    Comparison(#[serde(with = "as_json")] ComparisonAnswer),
    /// The savings by panels and battery.
    Savings(#[serde(with = "as_json")] Box<SavingsAnswer>),
    /// How far purchases have paid for themselves.
    Payback(PaybackAnswer),
    /// The statement of a sub-meter.
    SensorStatement(Box<SensorStatementAnswer>),
    /// The statements of tenancies.
    Tenancies(Box<TenanciesAnswer>),
    /// A number of readings, sensors or days.
    Count(u64),
    /// The findings of a check.
    Findings(FindingsRow),
    /// Done; there is nothing to show.
    Done,
}

/// The error for an answer of another kind than requested.
#[derive(Debug, thiserror::Error)]
#[error("the server's answer does not match the request")]
pub struct UnexpectedResponse;

macro_rules! answers {
    ($($answer:ty: $pattern:pat => $value:expr;)*) => {$(
        impl TryFrom<Response> for $answer {
            type Error = UnexpectedResponse;

            fn try_from(response: Response) -> Result<Self, UnexpectedResponse> {
                match response {
                    $pattern => Ok($value),
                    _ => Err(UnexpectedResponse),
                }
            }
        }
    )*};
}

answers! {
    Vec<AccountRow>: Response::Accounts(rows) => rows;
    Vec<LinkedUserRow>: Response::LinkedUsers(rows) => rows;
    Vec<KeyRow>: Response::Keys(rows) => rows;
    Vec<SensorRow>: Response::Sensors(rows) => rows;
    Vec<CorrectionRow>: Response::Corrections(rows) => rows;
    Vec<SeriesRow>: Response::Series(rows) => rows;
    PricePageRow: Response::Prices(page) => page;
    Vec<PriceSourceRow>: Response::PriceSources(rows) => rows;
    SourceTrialRow: Response::SourceTrial(row) => row;
    Vec<HomeAssistantRow>: Response::HomeAssistants(rows) => rows;
    Box<HouseProposal>: Response::House(house) => house;
    Box<HomeComparison>: Response::Counted(compared) => compared;
    Vec<DayListRow>: Response::DayLists(rows) => rows;
    Vec<DayRow>: Response::Days(rows) => rows;
    Vec<String>: Response::Rows(rows) => rows;
    EventPage: Response::Events(page) => page;
    Vec<NoticeRow>: Response::Notices(rows) => rows;
    Vec<PersonRow>: Response::People(rows) => rows;
    Vec<WallRow>: Response::Walls(rows) => rows;
    Vec<ReadingRow>: Response::Readings(rows) => rows;
    BackupPage: Response::BackupPage(page) => page;
    String: Response::Text(text) => text;
    UtilityAnswer: Response::Utility(answer) => answer;
    Box<StatementAnswer>: Response::Statement(statement) => statement;
    Box<ForecastAnswer>: Response::Forecast(forecast) => forecast;
    Box<PeakAnswer>: Response::Peak(answer) => answer;
    Box<WhatIfAnswer>: Response::WhatIf(answer) => answer;
    Box<CheapestAnswer>: Response::Cheapest(answer) => answer;
    ComparisonAnswer: Response::Comparison(answer) => answer;
    Box<SavingsAnswer>: Response::Savings(answer) => answer;
    PaybackAnswer: Response::Payback(answer) => answer;
    Box<SensorStatementAnswer>: Response::SensorStatement(statement) => statement;
    Box<TenanciesAnswer>: Response::Tenancies(found) => found;
    u64: Response::Count(count) => count;
    FindingsRow: Response::Findings(findings) => findings;
    (): Response::Done => ();
}
