//! The few statements of InfluxQL that writers send: `SELECT LAST(..)`, `SHOW DATABASES`, `CREATE DATABASE`.

use thiserror::Error;

use crate::http::protocols::influx::last::Series;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// `SELECT LAST(field) FROM measurement WHERE tag = 'value' AND ..`.
    Last(Series),
    /// `SHOW DATABASES`.
    ShowDatabases,
    /// `CREATE DATABASE name`: there is nothing to be done for it.
    CreateDatabase,
}

/// Why a query is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum QueryError {
    /// A quote has no end.
    #[error("error parsing query: unbalanced quotes")]
    Quotes,
    /// It says something else.
    #[error(
        "error parsing query: wattkeeper answers SELECT LAST(field) FROM measurement WHERE tag = 'value' AND .., SHOW DATABASES and \
         CREATE DATABASE name only"
    )]
    Unknown,
    /// There are too many statements.
    #[error("error parsing query: expected at most {STATEMENTS_AT_MOST} statements")]
    TooMany,
}

/// The most statements of one query.
const STATEMENTS_AT_MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
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
pub(crate) fn statements(query: &str) -> Result<Vec<Statement>, QueryError> {
    let tokens = tokens(query)?;
    let statements: Result<Vec<_>, _> = tokens
        .split(|token| *token == Token::Mark(';'))
        .filter(|tokens| !tokens.is_empty())
        .take(STATEMENTS_AT_MOST + 1)
        .map(|tokens| statement(tokens).ok_or(QueryError::Unknown))
        .collect();
    let statements = statements?;
    if statements.len() > STATEMENTS_AT_MOST {
        return Err(QueryError::TooMany);
    }
    if statements.is_empty() {
        return Err(QueryError::Unknown);
    }
    Ok(statements)
}

fn tokens(query: &str) -> Result<Vec<Token>, QueryError> {
    let mut tokens = Vec::new();
    let mut characters = query.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '(' | ')' | ',' | ';' | '=' => tokens.push(Token::Mark(character)),
            '"' | '\'' => {
                let mut text = String::new();
                loop {
                    match characters.next().ok_or(QueryError::Quotes)? {
                        '\\' => text.push(characters.next().ok_or(QueryError::Quotes)?),
                        end if end == character => break,
                        other => text.push(other),
                    }
                }
                tokens.push(match character {
                    '"' => Token::Name(text),
                    _ => Token::Text(text),
                });
            }
            space if space.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                let is_of_word = |c: &char| !c.is_whitespace() && !"(),;='\"".contains(*c);
                while let Some(next) = characters.next_if(is_of_word) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Ok(tokens)
}

fn statement(tokens: &[Token]) -> Option<Statement> {
    let mut rest = Tokens { rest: tokens };
    let statement = if rest.word("SHOW") {
        rest.word("DATABASES").then_some(Statement::ShowDatabases)?
    } else if rest.word("CREATE") {
        let _name = rest.word("DATABASE").then(|| rest.name()).flatten()?;
        // What follows is how long it keeps what: here it is for ever.
        return Some(Statement::CreateDatabase);
    } else {
        Statement::Last(rest.select_last()?)
    };
    rest.rest.is_empty().then_some(statement)
}

/// What is left of a statement.
struct Tokens<'t> {
    rest: &'t [Token],
}

impl Tokens<'_> {
    fn select_last(&mut self) -> Option<Series> {
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
        Some(Series {
            measurement,
            tags,
            field,
        })
    }

    fn next_if<T>(&mut self, wanted: impl Fn(&Token) -> Option<T>) -> Option<T> {
        let (first, rest) = self.rest.split_first()?;
        let found = wanted(first)?;
        self.rest = rest;
        Some(found)
    }

    fn word(&mut self, keyword: &str) -> bool {
        let is_it = |token: &Token| match token {
            Token::Word(word) => word.eq_ignore_ascii_case(keyword).then_some(()),
            _ => None,
        };
        self.next_if(is_it).is_some()
    }

    fn mark(&mut self, mark: char) -> bool {
        let is_it = |token: &Token| (*token == Token::Mark(mark)).then_some(());
        self.next_if(is_it).is_some()
    }

    fn dot(&mut self) -> bool {
        let is_dot = |token: &Token| match token {
            Token::Word(word) => word.bytes().all(|byte| byte == b'.').then_some(()),
            _ => None,
        };
        self.next_if(is_dot).is_some()
    }

    fn name(&mut self) -> Option<String> {
        self.next_if(|token| match token {
            Token::Word(name) | Token::Name(name) => Some(name.clone()),
            _ => None,
        })
    }

    fn text(&mut self) -> Option<String> {
        self.next_if(|token| match token {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(measurement: &str, tags: &[(&str, &str)], field: &str) -> Statement {
        let own = |text: &str| text.to_owned();
        Statement::Last(Series {
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
            assert_eq!(statements(query), Err(QueryError::Unknown), "{query:?}");
        }
        let unbalanced = statements("SELECT LAST(\"a) FROM x");
        assert_eq!(unbalanced, Err(QueryError::Quotes));
        let many = "SHOW DATABASES;".repeat(101);
        assert_eq!(statements(&many), Err(QueryError::TooMany));
    }
}
