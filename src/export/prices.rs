//! The prices of a series, in the form that `import` reads.

use std::io::Write;

use anyhow::{Context as _, Result};

use super::ExportSource;
use crate::admin::{PricePageRow, PriceRequest, Request};
use crate::ledger::contract::{PriceLine, PriceLines};

/// Writes the prices of a series of an account from one time until before another, in milliseconds
/// since 1970, in the form that `import` reads. Returns their number.
///
/// # Errors
/// Those of the store and of `out`.
pub(crate) fn write_series(
    store: &dyn ExportSource,
    (account, series): (Option<&str>, &str),
    (from_ms, end_ms): (i64, i64),
    out: &mut impl Write,
) -> Result<u64> {
    out.write_all(b"time,price\n")?;
    let (mut lines, mut count) = (PriceLines::default(), 0);
    let mut write = |(from, price): PriceLine| {
        let price = price.map(|price| price.to_string()).unwrap_or_default();
        writeln!(out, "{from},{price}")
    };
    let mut from_ms = Some(from_ms);
    while let Some(from) = from_ms {
        let request = PriceRequest::Page {
            account: account.map(str::to_owned),
            series: series.to_owned(),
            from_ms: from,
            end_ms,
        };
        let PricePageRow { prices, next_ms } = store.ask(Request::Prices(request))?;
        for row in prices {
            let price = row.price().context("a price is out of range")?;
            lines.of(&price).try_for_each(&mut write)?;
            count += 1;
        }
        from_ms = next_ms;
    }
    lines.end().try_for_each(write)?;
    Ok(count)
}
