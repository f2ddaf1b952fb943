//! Splits a query into words, quoted texts and marks, for the parsers of InfluxQL and Flux.

use std::str::Chars;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lexeme<'q> {
    /// A bare word or a number.
    Word(&'q str),
    /// A quoted text, after its quote character.
    Quoted(char, String),
    /// Any other character except white space.
    Mark(char),
}

/// Splits a query; `None` if a quote has no end. Word characters depend on the language.
pub(super) fn lexemes(query: &str, is_of_word: fn(char) -> bool) -> Option<Vec<Lexeme<'_>>> {
    let mut lexemes = Vec::new();
    let mut characters = query.chars();
    loop {
        let rest = characters.as_str();
        let Some(first) = characters.next() else {
            return Some(lexemes);
        };
        if first.is_whitespace() {
            continue;
        }
        lexemes.push(if is_of_word(first) {
            let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(end)?;
            characters = after.chars();
            Lexeme::Word(word)
        } else if matches!(first, '"' | '\'') {
            Lexeme::Quoted(first, text(&mut characters, first)?)
        } else {
            Lexeme::Mark(first)
        });
    }
}

/// Reads a text up to and including its closing quote.
fn text(characters: &mut Chars<'_>, quote: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            // A backslash makes the next character literal: `\n` is an n.
            '\\' => text.push(characters.next()?),
            end if end == quote => return Some(text),
            other => text.push(other),
        }
    }
}

/// The rest of a query. Each method takes the lexemes it asks for from the front, or nothing.
pub(super) struct Lexemes<'t, 'q> {
    pub(super) rest: &'t [Lexeme<'q>],
}

impl<'q> Lexemes<'_, 'q> {
    fn next_if<T>(&mut self, wanted: impl Fn(&Lexeme<'q>) -> Option<T>) -> Option<T> {
        let (first, rest) = self.rest.split_first()?;
        let found = wanted(first)?;
        self.rest = rest;
        Some(found)
    }

    pub(super) fn word_if(&mut self, fits: impl Fn(&str) -> bool) -> Option<&'q str> {
        self.next_if(|lexeme| match lexeme {
            Lexeme::Word(word) if fits(word) => Some(*word),
            _ => None,
        })
    }

    pub(super) fn quoted(&mut self, wanted: char) -> Option<String> {
        self.next_if(|lexeme| match lexeme {
            Lexeme::Quoted(quote, text) if *quote == wanted => Some(text.clone()),
            _ => None,
        })
    }

    /// Takes these characters if all follow. On a mismatch the ones before it are lost: callers
    /// give up on the query then.
    pub(super) fn marks(&mut self, marks: &str) -> bool {
        marks.chars().all(|mark| {
            let is_it = |lexeme: &Lexeme<'_>| (*lexeme == Lexeme::Mark(mark)).then_some(());
            self.next_if(is_it).is_some()
        })
    }
}
