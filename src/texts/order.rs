//! The order of names, as people expect it: 2 before 10, ä beside a.

/// The key to sort names by: numbers by their value, letters without case and accents. Names that
/// differ in nothing else are in the order of their characters.
#[must_use]
pub fn sort_key(name: &str) -> impl Ord + use<> {
    let letters: Vec<char> = name.trim().chars().flat_map(char::to_lowercase).collect();
    let runs = letters.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let parts = runs.map(|run| {
        let text: String = run.iter().collect();
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let digits = text.trim_start_matches('0').to_owned();
            // Of two numbers without zeros at the front, the longer one is greater.
            Part::Number(digits.len(), digits)
        } else {
            Part::Letters(without_accents(&text))
        }
    });
    (parts.collect::<Vec<Part>>(), name.to_owned())
}

/// Numbers come before letters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(usize, String),
    Letters(String),
}

/// Latin letters as their base letters; all others as they are.
fn without_accents(lower: &str) -> String {
    const BASES: [(&str, &str); 16] = [
        ("àáâãäåāăą", "a"),
        ("æ", "ae"),
        ("çćčĉċ", "c"),
        ("ďđð", "d"),
        ("èéêëēĕėęě", "e"),
        ("ìíîïĩīĭįı", "i"),
        ("łľĺļ", "l"),
        ("ñńňņ", "n"),
        ("òóôõöøōŏő", "o"),
        ("œ", "oe"),
        ("ŕřŗ", "r"),
        ("śšşș", "s"),
        ("ß", "ss"),
        ("ùúûüũūŭůűų", "u"),
        ("ýÿ", "y"),
        ("źżž", "z"),
    ];
    let mut plain = String::with_capacity(lower.len());
    for letter in lower.chars() {
        match BASES.iter().find(|(of, _)| of.contains(letter)) {
            Some((_, base)) => plain.push_str(base),
            None => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_people() {
        let sorted = [
            "2 Ofen",
            "10 Ofen",
            "Äpfel",
            "Apfelbaum",
            "Auto",
            "dose 2",
            "Dose 09",
            "Dose 10",
            "Dose 10a",
            "Straße",
            "Strassenlampe",
            "Zähler",
            "Zahlung",
            "電力",
        ];
        let mut names = sorted.to_vec();
        names.reverse();
        names.sort_by_cached_key(|name| sort_key(name));
        assert_eq!(names, sorted);
        let long = "9".repeat(1_000);
        assert!(sort_key(&long) < sort_key(&format!("1{long}")));
    }
}
