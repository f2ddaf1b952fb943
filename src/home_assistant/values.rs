//! The values of statistics: `recorder/statistics_during_period`, in watt-hours and watts.

use std::ops::Range;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::error::HomeAssistantError;
use super::message::StatisticsQuestion;
use crate::domain::{EntityId, Timestamp};
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};

/// The values of a statistic in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StatisticRow {
    /// The begin of the period.
    pub(super) start: Timestamp,
    /// The register at its end.
    pub(super) state: Option<f64>,
    /// The energy that Home Assistant counted until its end.
    pub(super) sum: Option<f64>,
    /// The mean power.
    pub(super) mean: Option<f64>,
}

/// The periods of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePeriod {
    FiveMinutes,
    Hour,
    Month,
}

/// Questions for values, and their answers.
pub(super) struct StatisticValues;

static ROW: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::members(["start", "state", "sum", "mean"]));

impl ValuePeriod {
    const fn as_str(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5minute",
            Self::Hour => "hour",
            Self::Month => "month",
        }
    }
}

impl StatisticValues {
    /// The most statistics in a question: an answer with a month of hours of each has 600 kB.
    pub(super) const MOST_IDS: usize = 8;
    /// The most rows of a statistic in an answer: a month of hours, or ten days of five minutes.
    const MOST_ROWS: usize = 4_096;

    /// Asks for values in a range.
    pub(super) fn ask(ids: &[EntityId], range: &Range<Timestamp>, period: ValuePeriod) -> Value {
        let by = (period.as_str(), &["state", "sum", "mean"][..]);
        let question = StatisticsQuestion::new(ids, range, by);
        json!(question.in_units(json!({"energy": "Wh", "power": "W"})))
    }

    /// The values of these statistics, each in order of time. Those without any are left out.
    pub(super) fn read(
        answer: &str,
        ids: &[EntityId],
    ) -> Result<Vec<(EntityId, Vec<StatisticRow>)>, HomeAssistantError> {
        let mut all = Vec::new();
        for id in ids {
            let list = format!(
                "/result/{}",
                id.as_str().replace('~', "~0").replace('/', "~1")
            );
            let mut rows = Vec::new();
            let walked = ROW.each(answer.as_bytes(), &list, |_, row| {
                rows.extend(row_of(&row));
                (rows.len() <= Self::MOST_ROWS).then_some(()).ok_or(())
            });
            walked.map_err(|_: StoppedWalk<()>| HomeAssistantError::OtherProtocol)?;
            rows.sort_by_key(|row| row.start);
            rows.dedup_by_key(|row| row.start);
            if !rows.is_empty() {
                all.push((id.clone(), rows));
            }
        }
        Ok(all)
    }
}

/// A row; `None` without a time.
fn row_of(row: &Value) -> Option<StatisticRow> {
    let number = |name: &str| {
        row.get(name)
            .and_then(Value::as_f64)
            .filter(|it| it.is_finite())
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`as` goes to the nearest end"
    )]
    let start = Timestamp::from_millis(number("start")? as i64)?;
    Some(StatisticRow {
        start,
        state: number("state"),
        sum: number("sum"),
        mean: number("mean"),
    })
}
