//! Limits for files and functions, and the reason of an ignored test.

use crate::source::{Kind, Problem, Source, Token, tokens_of};

const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 70;

/// A file with too many lines, its unit tests aside.
pub(crate) fn file_length(source: &Source) -> Option<Problem> {
    let production = source.production();
    let lines = if production.len() == source.tokens.len() {
        source.text.lines().count()
    } else {
        production.last().map_or(0, |token| token.line)
    };
    (lines > LONGEST_FILE).then(|| {
        source.problem(
            1,
            format!("{lines} lines before its tests, {LONGEST_FILE} at most: two concepts?"),
        )
    })
}

/// Functions with too many lines.
pub(crate) fn function_length(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, pair) in source.tokens.windows(2).enumerate() {
        let [keyword, name] = pair else { continue };
        // `fn(` is a type.
        let Some(name) = name.word().filter(|_| keyword.is_word("fn")) else {
            continue;
        };
        let Some(end) = end_of_function(&source.tokens[index..]) else {
            continue;
        };
        let lines = end + 1 - keyword.line;
        if lines > LONGEST_FUNCTION {
            problems.push(source.problem(
                keyword.line,
                format!("`{name}` has {lines} lines, {LONGEST_FUNCTION} at most"),
            ));
        }
    }
    problems
}

/// The line of the brace that closes a function's body; `None` where it has no body.
fn end_of_function(tokens: &[Token]) -> Option<usize> {
    let (mut brackets, mut braces) = (0_usize, 0_usize);
    for token in tokens {
        match token.kind {
            Kind::Mark('(' | '[') => brackets += 1,
            Kind::Mark(')' | ']') => brackets -= 1,
            Kind::Mark('{') => braces += 1,
            Kind::Mark('}') => {
                braces -= 1;
                if braces == 0 && brackets == 0 {
                    return Some(token.line);
                }
            }
            Kind::Mark(';') if braces == 0 && brackets == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Tests that are left out without saying what they need.
pub(crate) fn ignored_tests(source: &Source) -> Vec<Problem> {
    source
        .find(&tokens_of("[ignore"))
        .filter(|&index| {
            let reason = match source.tokens.get(index + 2..index + 4) {
                Some([equals, reason]) if equals.is_mark('=') => &reason.kind,
                _ => return true,
            };
            !matches!(reason, Kind::Text(text) if text.starts_with("needs "))
        })
        .map(|index| {
            source.problem(
                source.tokens[index].line,
                "an ignored test says what it needs: #[ignore = \"needs ..\"]",
            )
        })
        .collect()
}

/// Lines of a list of tests that name none of them, nor a module, or give no reason.
pub(crate) fn lost_tests(path: &str, list: &str, tests: &[Source]) -> Vec<Problem> {
    let is_file = |source: &Source, name: &str| {
        let inner = source.path.strip_prefix("tests/blackbox/");
        inner.is_some_and(|inner| inner.trim_end_matches("/mod.rs").trim_end_matches(".rs") == name)
    };
    let is_test = |name: &str| {
        let name = name.replace("::", "/");
        let (module, function) = name.rsplit_once('/').unwrap_or_default();
        let function = format!("fn {function}()");
        tests.iter().any(|source| {
            is_file(source, &name) || is_file(source, module) && source.text.contains(&function)
        })
    };
    let lines = list.lines().zip(1..);
    let lines = lines.filter(|(line, _)| !line.starts_with('#'));
    lines
        .filter(|(line, _)| !line.split_once(' ').is_some_and(|(name, _)| is_test(name)))
        .map(|(line, number)| Problem {
            path: path.to_owned(),
            line: number,
            what: format!("there is no such test, or no reason: {line:?}"),
        })
        .collect()
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::source::breaches;

    #[test]
    fn files_are_short() {
        let long = "const A: u8 = 1;\n".repeat(LONGEST_FILE + 1);
        assert!(file_length(&Source::new("src/a.rs", &*long)).is_some());
        let short = "const A: u8 = 1;\n".repeat(LONGEST_FILE);
        let tests = "#[cfg(test)]\nmod tests {\n".to_owned() + &long + "}\n";
        assert!(file_length(&Source::new("src/a.rs", &*short)).is_none());
        assert!(file_length(&Source::new("src/a.rs", short + &tests)).is_none());
        assert!(file_length(&Source::new("src/a.rs", long.clone() + &tests)).is_some());
    }

    #[test]
    fn functions_are_short() {
        let body = |lines: usize| format!("{{\n{}}}\n", "let a = '}'; // }\n".repeat(lines - 2));
        let longest = body(LONGEST_FUNCTION);
        let longer = body(LONGEST_FUNCTION + 1);
        let text = format!(
            "trait T {{ fn none(x: [u8; 2]); }}\nfn fits(f: fn(u8)) {longest}fn too_long() {longer}"
        );
        assert_eq!(
            breaches("src/a.rs", &text, function_length),
            [format!(
                "{}: `too_long` has {} lines, {LONGEST_FUNCTION} at most",
                LONGEST_FUNCTION + 2,
                LONGEST_FUNCTION + 1
            )]
        );
    }

    #[test]
    fn listed_tests_are_there() {
        let tests = [Source::new("tests/blackbox/a/b.rs", "fn c() {}")];
        let lost = |list: &str| lost_tests("list", list, &tests).len();
        assert_eq!(lost("# why\na::b::c it is\na::b all of it"), 0);
        assert_eq!(lost("a::b::d is gone\na::c too\na::b::c"), 3);
    }

    #[test]
    fn ignored_tests_have_a_reason() {
        let text = "#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n#[ignore = \"needs curl\"]\nfn c() {}";
        let lines: Vec<String> = breaches("tests/a.rs", text, ignored_tests);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("1: ") && lines[1].starts_with("3: "));
    }
}
