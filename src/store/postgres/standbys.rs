//! The standbys that a commit waits for, in the syntax of `synchronous_standby_names`: `a`, `a, b`,
//! `FIRST 1 (a, b)`, `ANY 2 (a, "b c", *)`.

/// The number of these standbys that must confirm each commit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyncStandbys {
    number: usize,
    /// `*` matches any name.
    names: Vec<String>,
}

impl SyncStandbys {
    /// Parses the setting; `None` if its form is unknown.
    pub(crate) fn parse(setting: &str) -> Option<Self> {
        let setting = setting.trim();
        let (number, list) = match setting.strip_suffix(')') {
            None => (1, setting),
            Some(rest) => {
                let (head, list) = rest.split_once('(')?;
                let number = head.split_whitespace().last()?;
                (number.parse().ok()?, list)
            }
        };
        let names = names(list)?;
        Some(Self { number, names })
    }

    /// Whether a commit would be confirmed if servers with these names are connected.
    pub(crate) fn are_among(&self, connected: &[String]) -> bool {
        let fits = |name: &&String| {
            let mut own = self.names.iter();
            own.any(|own| own == "*" || own.eq_ignore_ascii_case(name))
        };
        connected.iter().filter(fits).count() >= self.number
    }
}

/// Splits names at commas; quoted names are kept as they are.
fn names(list: &str) -> Option<Vec<String>> {
    let (mut names, mut name, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.next_if_eq(&'"').is_some() => name.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(std::mem::take(&mut name)),
            c if c.is_whitespace() && !is_quoted => {}
            c => name.push(c),
        }
    }
    names.push(name);
    let is_whole = !is_quoted && names.iter().all(|name| !name.is_empty());
    is_whole.then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confirmed(setting: &str, connected: &[&str]) -> bool {
        let connected: Vec<String> = connected.iter().map(|&name| name.to_owned()).collect();
        SyncStandbys::parse(setting).unwrap().are_among(&connected)
    }

    #[test]
    fn a_commit_waits_for_those_of_the_setting() {
        for setting in [
            "db_b",
            " db_b , db_c ",
            "1 (db_b, db_c)",
            "first 1(db_b,db_c)",
            "ANY 1 ( DB_B, \"db c\" )",
            "*",
            "ANY 1 (*)",
        ] {
            assert!(confirmed(setting, &["db_b"]), "{setting}");
            assert!(!confirmed(setting, &[]), "{setting}");
        }
        assert!(!confirmed("db_b", &["pg_basebackup", "db_bb"]));
        assert!(!confirmed("ANY 2 (b, c)", &["c", "x"]));
        assert!(confirmed("ANY 2 (b, c)", &["c", "x", "b"]));
        assert!(confirmed("\"db \"\"b\"\", c\"", &["db \"b\", c"]));
    }

    #[test]
    fn other_forms_are_not_judged() {
        for setting in ["", "a,,b", "\"a", "ANY (a)", "a)", "ANY x (a)"] {
            assert_eq!(SyncStandbys::parse(setting), None, "{setting}");
        }
    }
}
