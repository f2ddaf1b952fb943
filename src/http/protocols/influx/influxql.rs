//! The few statements of InfluxQL that writers send: `SELECT LAST(..)`, `SHOW DATABASES`, `CREATE
//! DATABASE`.

use thiserror::Error;

use crate::http::protocols::influx::last::FieldSeries;
use crate::http::protocols::influx::lexer::{Lexeme, Lexemes, lexemes};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// `SELECT LAST(field) FROM measurement WHERE tag = 'value' AND ..`.
    Last(FieldSeries),
    /// `SHOW DATABASES`.
    ShowDatabases,
    /// `CREATE DATABASE name`: accepted without effect.
    CreateDatabase,
}

/// Why a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum InfluxqlError {
    /// A quote has no end.
    #[error("error parsing query: unbalanced quotes")]
    Quotes,
    /// It is not one of these statements.
    #[error(
        "error parsing query: wattkeeper supports only SELECT LAST(field) FROM measurement WHERE tag = 'value' AND .., SHOW DATABASES and \
         CREATE DATABASE name"
    )]
    Unknown,
    /// There are too many statements.
    #[error("error parsing query: expected at most {STATEMENTS_AT_MOST} statements")]
    TooMany,
}

/// The most statements of one query.
// Each statement may read the disk, so a short query could otherwise cause much work.
const STATEMENTS_AT_MOST: usize = 100;

/// The statements of a query.
pub(crate) fn statements(query: &str) -> Result<Vec<Statement>, InfluxqlError> {
    let all = lexemes(query, is_of_word).ok_or(InfluxqlError::Quotes)?;
    let statements: Result<Vec<_>, _> = all
        .split(|lexeme| *lexeme == Lexeme::Mark(';'))
        .filter(|lexemes| !lexemes.is_empty())
        // One more than allowed, to notice the excess; the rest need not be parsed.
        .take(STATEMENTS_AT_MOST + 1)
        .map(|lexemes| statement(lexemes).ok_or(InfluxqlError::Unknown))
        .collect();
    let statements = statements?;
    if statements.len() > STATEMENTS_AT_MOST {
        return Err(InfluxqlError::TooMany);
    }
    if statements.is_empty() {
        return Err(InfluxqlError::Unknown);
    }
    Ok(statements)
}

fn is_of_word(c: char) -> bool {
    !c.is_whitespace() && !"(),;='\"".contains(c)
}

fn statement(lexemes: &[Lexeme<'_>]) -> Option<Statement> {
    let mut rest = Lexemes { rest: lexemes };
    let statement = if is_keyword(&mut rest, "SHOW") {
        is_keyword(&mut rest, "DATABASES").then_some(Statement::ShowDatabases)?
    } else if is_keyword(&mut rest, "CREATE") {
        let _name = is_keyword(&mut rest, "DATABASE").then(|| name(&mut rest))??;
        // A retention policy may follow. It has no effect, because readings are kept forever.
        return Some(Statement::CreateDatabase);
    } else {
        Statement::Last(select_last(&mut rest)?)
    };
    rest.rest.is_empty().then_some(statement)
}

fn select_last(rest: &mut Lexemes<'_, '_>) -> Option<FieldSeries> {
    let begins = is_keyword(rest, "SELECT") && is_keyword(rest, "LAST") && rest.marks("(");
    let field = begins.then(|| name(rest))??;
    let goes_on = rest.marks(")") && is_keyword(rest, "FROM");
    let measurement = goes_on.then(|| measurement(rest))??;
    let mut tags = Vec::new();
    if is_keyword(rest, "WHERE") {
        loop {
            let key = name(rest)?;
            let value = rest.marks("=").then(|| rest.quoted('\''))??;
            tags.push((key, value));
            if !is_keyword(rest, "AND") {
                break;
            }
        }
    }
    Some(FieldSeries {
        measurement,
        tags,
        field,
    })
}

/// A measurement. It may be preceded by database and retention policy, separated by dots; two dots
/// leave out the policy. A single dot inside a bare word belongs to the name: IoTaWatt writes names
/// without quotes.
fn measurement(rest: &mut Lexemes<'_, '_>) -> Option<String> {
    let mut found = rest.quoted('"');
    loop {
        // The bare text up to the next quoted name, such as `db..`, `.` or `.rp.`.
        let Some(bare) = rest.word_if(|word| found.is_none() || word.starts_with('.')) else {
            return found;
        };
        found = if bare.ends_with('.') {
            Some(rest.quoted('"')?)
        } else {
            let after_policy = bare.rsplit_once("..").map_or(bare, |(_, name)| name);
            Some(after_policy.trim_start_matches('.').to_owned())
        };
    }
}

fn is_keyword(rest: &mut Lexemes<'_, '_>, keyword: &str) -> bool {
    let found = rest.word_if(|word| word.eq_ignore_ascii_case(keyword));
    found.is_some()
}

/// A name, bare or in double quotes.
fn name(rest: &mut Lexemes<'_, '_>) -> Option<String> {
    let bare = rest.word_if(|_| true).map(str::to_owned);
    bare.or_else(|| rest.quoted('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(measurement: &str, tags: &[(&str, &str)], field: &str) -> Statement {
        let own = |text: &str| text.to_owned();
        Statement::Last(FieldSeries {
            measurement: own(measurement),
            tags: tags.iter().map(|(k, v)| (own(k), own(v))).collect(),
            field: own(field),
        })
    }

    #[test]
    fn the_last_value_is_asked_for() {
        // As IoTaWatt writes it, including the spaces.
        let query =
            " SELECT LAST(\"Watts\") FROM power  WHERE device='IotaWatt' AND sensor='main house'";
        let tags = [("device", "IotaWatt"), ("sensor", "main house")];
        assert_eq!(statements(query), Ok(vec![series("power", &tags, "Watts")]));
        assert_eq!(
            statements("select last(watts) from \"db\".\"rp\".\"my power\";"),
            Ok(vec![series("my power", &[], "watts")])
        );
        assert_eq!(
            statements(r#"SELECT LAST("a\"b") FROM Main-1.x WHERE "t" = 'it\'s'"#),
            Ok(vec![series("Main-1.x", &[("t", "it's")], "a\"b")])
        );
    }

    #[test]
    fn a_database_may_stand_before_the_measurement() {
        for from in [
            "power",
            "db..power",
            "\"db\"..power",
            "db..\"power\"",
            "\"db\"..\"power\"",
            "\"db\".power",
            "\"d.b\".\"r..p\".\"power\"",
            "\"db\".rp.\"power\"",
        ] {
            let query = format!("SELECT LAST(watts) FROM {from} WHERE t = 'v'");
            let expected = series("power", &[("t", "v")], "watts");
            assert_eq!(statements(&query), Ok(vec![expected]), "{from}");
        }
    }

    #[test]
    fn databases_are_shown_and_created() {
        assert_eq!(
            statements("SHOW DATABASES; CREATE DATABASE \"home\" WITH DURATION 1d"),
            Ok(vec![Statement::ShowDatabases, Statement::CreateDatabase])
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for query in [
            "",
            ";",
            "SELECT * FROM x",
            "SELECT LAST(a), LAST(b) FROM x",
            "SELECT LAST(a) FROM x WHERE t > 'b'",
            "SELECT LAST(a) FROM x WHERE t = b",
            "SELECT LAST(a) FROM x WHERE",
            "SELECT LAST(a) FROM x GROUP BY t",
            "DROP DATABASE home",
            "SHOW DATABASES x",
            "CREATE DATABASE",
            "SHOW DATABASES; DELETE FROM x",
        ] {
            assert_eq!(statements(query), Err(InfluxqlError::Unknown), "{query:?}");
        }
        let unbalanced = statements("SELECT LAST(\"a) FROM x");
        assert_eq!(unbalanced, Err(InfluxqlError::Quotes));
        let many = "SHOW DATABASES;".repeat(101);
        assert_eq!(statements(&many), Err(InfluxqlError::TooMany));
    }
}
