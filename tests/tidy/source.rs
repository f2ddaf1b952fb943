//! A source file as the rules see it: tokens with their lines, comments left out.

use std::fmt;

/// A piece of Rust source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, a keyword or a number.
    Word(String),
    /// The text between the quotes of a string literal.
    Text(String),
    /// Any other character.
    Mark(char),
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// From 1.
    pub(crate) line: usize,
}

impl Token {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own == word)
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// A breach of a rule.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A Rust file of the project.
pub(crate) struct Source {
    /// Relative to the project's folder, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
}

impl Source {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            path: path.into(),
            tokens: tokens_of(&text),
            text,
        }
    }

    pub(crate) fn problem(&self, line: usize, what: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone(),
            line,
            what: what.into(),
        }
    }

    /// The tokens before the unit tests at the file's end: what runs in the service.
    pub(crate) fn production(&self) -> &[Token] {
        if self.path.ends_with("/tests.rs") {
            return &[];
        }
        let tests = tokens_of("#[cfg(test)] mod tests {");
        let start = self.find(&tests).next().unwrap_or(self.tokens.len());
        &self.tokens[..start]
    }

    /// Where `pattern` stands among the tokens, as indices of its first one.
    pub(crate) fn find<'a>(&'a self, pattern: &'a [Token]) -> impl Iterator<Item = usize> + 'a {
        let same = |(a, b): (&Token, &Token)| a.kind == b.kind;
        self.tokens
            .windows(pattern.len())
            .enumerate()
            .filter(move |(_, window)| window.iter().zip(pattern).all(same))
            .map(|(index, _)| index)
    }

    /// The modules that lead to this file: `src/store/hot.rs` is `store::hot`, `src/lib.rs` the
    /// root.
    pub(crate) fn module(&self) -> Vec<&str> {
        let inner = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let inner = inner.strip_suffix(".rs").unwrap_or(inner);
        inner
            .split('/')
            .filter(|part| !matches!(*part, "mod" | "lib"))
            .collect()
    }
}

/// The tokens of Rust source.
pub(crate) fn tokens_of(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        at: 0,
        line: 1,
    };
    std::iter::from_fn(|| lexer.next_token()).collect()
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(next == '\n');
        Some(next)
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.bump();
        }
    }

    fn next_token(&mut self) -> Option<Token> {
        self.skip_space_and_comments();
        let line = self.line;
        let first = self.peek(0)?;
        let kind = if first == '"' {
            self.quoted()
        } else if let Some(kind) = self.prefixed_literal() {
            kind
        } else if first == '\'' && self.is_char_literal() {
            self.char_literal()
        } else if is_word_char(first) {
            self.word()
        } else {
            self.bump();
            Kind::Mark(first)
        };
        Some(Token { kind, line })
    }

    fn skip_space_and_comments(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(space), _) if space.is_whitespace() => self.skip(1),
                (Some('/'), Some('/')) => while self.bump().is_some_and(|c| c != '\n') {},
                (Some('/'), Some('*')) => self.skip_block_comment(),
                _ => return,
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => (depth += 1, self.skip(2)),
                (Some('*'), Some('/')) => (depth -= 1, self.skip(2)),
                (Some(_), _) => ((), self.skip(1)),
                (None, _) => return,
            };
            if depth == 0 {
                return;
            }
        }
    }

    /// A string or character with a letter before it: `b".."`, `r#".."#`, `b'x'`.
    fn prefixed_literal(&mut self) -> Option<Kind> {
        let prefix: String = (0..2)
            .map_while(|ahead| self.peek(ahead).filter(char::is_ascii_lowercase))
            .collect();
        let raw = match prefix.as_str() {
            "r" | "br" | "cr" => true,
            "b" | "c" => false,
            _ => return None,
        };
        let mut hashes = 0;
        while raw && self.peek(prefix.len() + hashes) == Some('#') {
            hashes += 1;
        }
        match self.peek(prefix.len() + hashes)? {
            '"' if raw => {
                self.skip(prefix.len() + hashes + 1);
                Some(self.raw_until(hashes))
            }
            '"' => {
                self.skip(prefix.len());
                Some(self.quoted())
            }
            '\'' if prefix == "b" => {
                self.skip(1);
                Some(self.char_literal())
            }
            _ => None,
        }
    }

    fn raw_until(&mut self, hashes: usize) -> Kind {
        let mut text = String::new();
        while let Some(next) = self.bump() {
            if next == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                self.skip(hashes);
                break;
            }
            text.push(next);
        }
        Kind::Text(text)
    }

    fn quoted(&mut self) -> Kind {
        self.bump();
        let mut text = String::new();
        while let Some(next) = self.bump() {
            match next {
                '"' => break,
                '\\' => text.extend(self.bump()),
                other => text.push(other),
            }
        }
        Kind::Text(text)
    }

    /// Whether a quote opens a character, not a lifetime.
    fn is_char_literal(&self) -> bool {
        self.peek(1) == Some('\\') || self.peek(2) == Some('\'')
    }

    fn char_literal(&mut self) -> Kind {
        self.bump();
        if self.bump() == Some('\\') {
            self.bump();
        }
        while self.bump().is_some_and(|c| c != '\'') {}
        Kind::Mark('\'')
    }

    fn word(&mut self) -> Kind {
        let mut word = String::new();
        while let Some(next) = self.peek(0).filter(|&c| is_word_char(c)) {
            word.push(next);
            self.bump();
        }
        Kind::Word(word)
    }
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The problems of a sample, as `line: what`.
pub(crate) fn breaches(
    path: &str,
    text: &str,
    rule: impl Fn(&Source) -> Vec<Problem>,
) -> Vec<String> {
    rule(&Source::new(path, text))
        .into_iter()
        .map(|problem| format!("{}: {}", problem.line, problem.what))
        .collect()
}

#[test]
fn comments_are_no_tokens_and_literals_are_whole() {
    let text = r##"
        // a comment "with quotes
        /* one /* nested */ still */ fn name<'a>(x: &'a str) { // end
            let c = ['"', '\'', '\\', b'"', '{'];
            let s = "say \"hi\" {"; let r = r#"raw " }"#; let b = b"bytes";
        }
    "##;
    let source = Source::new("src/sample.rs", text);
    let texts: Vec<&Kind> = source
        .tokens
        .iter()
        .map(|token| &token.kind)
        .filter(|kind| matches!(kind, Kind::Text(_)))
        .collect();
    let text = |text: &str| Kind::Text(text.into());
    assert_eq!(
        texts,
        [&text("say \"hi\" {"), &text("raw \" }"), &text("bytes")]
    );
    let words: Vec<&str> = source.tokens.iter().filter_map(Token::word).collect();
    assert_eq!(
        words,
        [
            "fn", "name", "a", "x", "a", "str", "let", "c", "let", "s", "let", "r", "let", "b"
        ]
    );
    let braces = |mark| source.tokens.iter().filter(|t| t.is_mark(mark)).count();
    assert_eq!((braces('{'), braces('}')), (1, 1));
    assert_eq!(source.tokens.last().map(|token| token.line), Some(6));
}

#[test]
fn unit_tests_are_not_production() {
    let source = Source::new(
        "src/store/hot.rs",
        "fn kept() {}\n#[cfg(test)]\nmod tests { fn left_out() {} }",
    );
    let words: Vec<&str> = source.production().iter().filter_map(Token::word).collect();
    assert_eq!(words, ["fn", "kept"]);
    assert_eq!(source.module(), ["store", "hot"]);
    assert_eq!(Source::new("src/store/mod.rs", "").module(), ["store"]);
    assert!(Source::new("src/lib.rs", "").module().is_empty());
}
