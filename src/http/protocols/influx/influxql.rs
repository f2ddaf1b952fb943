//! The few statements of InfluxQL that writers send: `SELECT LAST(..)`, `SHOW DATABASES`, `CREATE DATABASE`.

use thiserror::Error;

use crate::http::protocols::influx::last::FieldSeries;

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
const STATEMENTS_AT_MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Lexeme {
    /// A bare word or a number.
    Word(String),
    /// `"name"`.
    Name(String),
    /// `'text'`.
    Text(String),
    /// One of `(),;=`.
    Mark(char),
}

/// The statements of a query.
pub(crate) fn statements(query: &str) -> Result<Vec<Statement>, InfluxqlError> {
    let tokens = tokens(query)?;
    let statements: Result<Vec<_>, _> = tokens
        .split(|token| *token == Lexeme::Mark(';'))
        .filter(|tokens| !tokens.is_empty())
        .take(STATEMENTS_AT_MOST + 1)
        .map(|tokens| statement(tokens).ok_or(InfluxqlError::Unknown))
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

fn tokens(query: &str) -> Result<Vec<Lexeme>, InfluxqlError> {
    let mut tokens = Vec::new();
    let mut characters = query.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '(' | ')' | ',' | ';' | '=' => tokens.push(Lexeme::Mark(character)),
            '"' | '\'' => {
                let mut text = String::new();
                loop {
                    match characters.next().ok_or(InfluxqlError::Quotes)? {
                        '\\' => text.push(characters.next().ok_or(InfluxqlError::Quotes)?),
                        end if end == character => break,
                        other => text.push(other),
                    }
                }
                tokens.push(match character {
                    '"' => Lexeme::Name(text),
                    _ => Lexeme::Text(text),
                });
            }
            space if space.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                let is_of_word = |c: &char| !c.is_whitespace() && !"(),;='\"".contains(*c);
                while let Some(next) = characters.next_if(is_of_word) {
                    word.push(next);
                }
                tokens.push(Lexeme::Word(word));
            }
        }
    }
    Ok(tokens)
}

fn statement(tokens: &[Lexeme]) -> Option<Statement> {
    let mut rest = Tokens { rest: tokens };
    let statement = if rest.word("SHOW") {
        rest.word("DATABASES").then_some(Statement::ShowDatabases)?
    } else if rest.word("CREATE") {
        let _name = rest.word("DATABASE").then(|| rest.name()).flatten()?;
        // A retention policy may follow. It has no effect: readings are kept for ever.
        return Some(Statement::CreateDatabase);
    } else {
        Statement::Last(rest.select_last()?)
    };
    rest.rest.is_empty().then_some(statement)
}

/// The rest of a statement.
struct Tokens<'t> {
    rest: &'t [Lexeme],
}

impl Tokens<'_> {
    fn select_last(&mut self) -> Option<FieldSeries> {
        let begins = self.word("SELECT") && self.word("LAST") && self.mark('(');
        let field = begins.then(|| self.name()).flatten()?;
        let goes_on = self.mark(')') && self.word("FROM");
        let mut measurement = goes_on.then(|| self.name()).flatten()?;
        // Database and retention policy may stand before it, with dots between them.
        while self.dot() {
            measurement = self.name()?;
        }
        let mut tags = Vec::new();
        if self.word("WHERE") {
            loop {
                let key = self.name()?;
                let value = self.mark('=').then(|| self.text()).flatten()?;
                tags.push((key, value));
                if !self.word("AND") {
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

    fn next_if<T>(&mut self, wanted: impl Fn(&Lexeme) -> Option<T>) -> Option<T> {
        let (first, rest) = self.rest.split_first()?;
        let found = wanted(first)?;
        self.rest = rest;
        Some(found)
    }

    fn word(&mut self, keyword: &str) -> bool {
        let is_it = |token: &Lexeme| match token {
            Lexeme::Word(word) => word.eq_ignore_ascii_case(keyword).then_some(()),
            _ => None,
        };
        self.next_if(is_it).is_some()
    }

    fn mark(&mut self, mark: char) -> bool {
        let is_it = |token: &Lexeme| (*token == Lexeme::Mark(mark)).then_some(());
        self.next_if(is_it).is_some()
    }

    fn dot(&mut self) -> bool {
        let is_dot = |token: &Lexeme| match token {
            Lexeme::Word(word) => word.bytes().all(|byte| byte == b'.').then_some(()),
            _ => None,
        };
        self.next_if(is_dot).is_some()
    }

    fn name(&mut self) -> Option<String> {
        self.next_if(|token| match token {
            Lexeme::Word(name) | Lexeme::Name(name) => Some(name.clone()),
            _ => None,
        })
    }

    fn text(&mut self) -> Option<String> {
        self.next_if(|token| match token {
            Lexeme::Text(text) => Some(text.clone()),
            _ => None,
        })
    }
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
        // As IoTaWatt writes it, spaces and all.
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
