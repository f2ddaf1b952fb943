//! The buckets of a range as stacked bars, with a legend.

use super::buckets::ShownBuckets;
use super::table::TableView;
use crate::chart::{ChartKind, Figure, FlowBar, FlowChart, Look, Picture, PictureSize};
use crate::domain::{AccountName, Interval, TimeRange};
use crate::house::EnergyColumn;
use crate::http::pages::charts::View;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::range::{RangeChoice, RangeWord};

/// The buckets of a range.
pub(super) struct BarsView {
    /// The picture in [`PictureSize::OF_PAGE`]; its texts are escaped.
    pub(super) pictures: [String; 4],
    /// The legend of the picture: class, name and sum.
    pub(super) legend: Vec<(&'static str, String, String)>,
    /// Whether part of the previous range is drawn.
    pub(super) has_before: bool,
    /// The same values as a table.
    pub(super) table: TableView,
}

impl ShownBuckets<'_> {
    pub(super) fn view(&self) -> BarsView {
        let legend = self.words().legend(&self.course.buckets);
        let bars = self.bars();
        let links: Vec<String> = bars.iter().map(|bar| self.link(bar.time)).collect();
        // The description of the picture: its sums, then its longest and its shortest bar.
        let sums = legend.iter().map(|(_, label, value)| Figure {
            label: label.clone(),
            value: value.clone(),
            time: None,
        });
        let figures: Vec<Figure> = sums.chain(self.extremes()).collect();
        let range = &self.shown.range;
        let last = range.end.saturating_add_millis(-1);
        let name = self.wording.language.say("energy-house");
        let draw = |size| {
            let picture = Picture {
                name: &name,
                wording: self.wording,
                range: TimeRange::new(range.start, last).unwrap_or(TimeRange::at(last)),
                size,
                look: Look::Inline,
                links: &links,
            };
            let chart = FlowChart {
                picture,
                interval: self.shown.interval,
                bars: &bars,
                figures: &figures,
                day: None,
            };
            chart.draw()
        };
        BarsView {
            pictures: PictureSize::OF_PAGE.map(draw),
            legend,
            has_before: bars.iter().any(|bar| bar.before.is_some()),
            table: self.table(),
        }
    }

    /// The bars with a known flow.
    fn bars(&self) -> Vec<FlowBar> {
        let words = self.words();
        let buckets = self.course.buckets.iter().zip(0..);
        let bars = buckets.filter_map(|(bucket, nth)| {
            let before = self.course.before.get(nth).and_then(|it| it.row.as_ref());
            let before = before.and_then(|row| row.value(EnergyColumn::Used));
            (bucket.row.is_some() || before.is_some()).then(|| words.bar(bucket, before))
        });
        bars.collect()
    }

    /// The address behind a bar: for a year its months, for a month its days, for a day its hours,
    /// and for an hour its power.
    fn link(&self, time: TimeRange) -> String {
        let word = match self.shown.interval {
            Interval::Year => RangeWord::Year,
            Interval::Month => RangeWord::Month,
            Interval::Day => RangeWord::Day,
            _ => {
                let view = View {
                    kind: ChartKind::Power,
                    ..self
                        .chart
                        .with_range(RangeChoice::Named(RangeWord::Hour, Some(time.start())))
                };
                return format!("chart{}", view.query_string(self.wording.zone));
            }
        };
        let account = self.chart.account.as_ref().map(AccountName::as_str);
        let there = RangeChoice::Named(word, Some(time.start()));
        let address = there.address("energy", account, self.wording.zone);
        self.chart.against.added_to(address)
    }

    /// The buckets with the most and the least use. Only finished buckets without gaps count.
    fn extremes(&self) -> Vec<Figure> {
        let known = self.course.buckets.iter().filter_map(|bucket| {
            let row = bucket
                .row
                .as_ref()
                .filter(|_| bucket.time.end() < self.now)?;
            let is_whole = row.value(EnergyColumn::Partial).is_none();
            let used = row.value(EnergyColumn::Used).filter(|_| is_whole)?;
            Some((bucket.time, used))
        });
        let known: Vec<(TimeRange, f64)> = known.collect();
        let most = known.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let least = known.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let figure = |label: String, found: Option<&(TimeRange, f64)>| {
            let (time, used) = found?;
            Some(Figure {
                label,
                value: figures::energy(*used, self.wording.language),
                time: Some(self.name(*time)),
            })
        };
        // A single bucket cannot be compared.
        let all = [
            figure(self.wording.language.say("energy-most-used"), most),
            figure(self.wording.language.say("energy-least-used"), least),
        ];
        let all = all.into_iter().flatten();
        all.filter(|_| known.len() > 1).collect()
    }
}
