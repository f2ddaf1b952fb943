//! Messages of grid operators without readings: the meaning of each kind, and the remedy.

/// Why an EDIFACT message of this kind is not read.
pub(super) fn not_readings(kind: &str) -> String {
    let what = match kind {
        "APERAK" => ", which reports errors in another message,",
        "CONTRL" => ", which is a receipt,",
        "INVOIC" => ", which is a bill,",
        "REMADV" => ", which is about a payment,",
        "UTILMD" => ", which is about contracts and meters,",
        "UTILTS" => ", which has formulas and definitions of times,",
        "ORDERS" | "ORDRSP" | "ORDCHG" => ", which is an order,",
        "PRICAT" => ", which is a list of prices,",
        "IFTSTA" | "INSRPT" => ", which is about the state of a case,",
        _ => "",
    };
    let shown: String = kind.chars().take(10).collect();
    format!(
        "it is an EDIFACT message of the kind {shown}{what} and has no readings: ask the grid operator for the load profile as MSCONS, or as CSV"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_readings_say_what_they_are() {
        for (kind, what) in [
            ("APERAK", "APERAK, which reports errors"),
            ("INVOIC", "INVOIC, which is a bill, and"),
            ("DESADV", "DESADV and has no readings"),
        ] {
            let text = not_readings(kind);
            assert!(
                text.contains(what) && text.contains("as MSCONS, or as CSV"),
                "{text}"
            );
        }
    }
}
