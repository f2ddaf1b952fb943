//! Why a "what if" has no answer, in words.

use crate::house::WhatIfError;
use crate::ledger::scenario::ProfileError;
use crate::texts::Language;

/// Why there is no answer, as a sentence.
pub(super) fn refusal(error: &WhatIfError, language: &Language) -> String {
    match error {
        WhatIfError::Nothing => language.say("what-if-wrong-nothing"),
        WhatIfError::Number {
            from, to, example, ..
        } => {
            let number = |text: &str| language.number(text);
            let values = [
                ("from", number(from).into()),
                ("to", number(to).into()),
                ("example", number(example).into()),
            ];
            language.fill("what-if-wrong-number", values)
        }
        WhatIfError::Efficiency(_) => language.say("what-if-wrong-efficiency"),
        WhatIfError::Word { .. } => language.say("what-if-wrong-choice"),
        WhatIfError::Sizes => language.say("what-if-wrong-sizes"),
        WhatIfError::Alone { .. } => language.say("what-if-wrong-alone"),
        WhatIfError::Missing { .. } => language.say("what-if-wrong-missing"),
        WhatIfError::Profile(error) => profile(error, language),
        WhatIfError::Between => language.say("what-if-wrong-between"),
        WhatIfError::Power => language.say("what-if-wrong-power"),
        WhatIfError::BothLoads => language.say("what-if-wrong-both"),
        WhatIfError::NoSubMeter(_) | WhatIfError::NoSensor => language.say("what-if-wrong-sensor"),
        WhatIfError::NoPanels => language.say("what-if-wrong-panels"),
        WhatIfError::NoGrid => language.say("forecast-no-grid"),
        WhatIfError::TooMany => language.say("what-if-wrong-many"),
        WhatIfError::Store(error) => error.to_string(),
    }
}

fn profile(error: &ProfileError, language: &Language) -> String {
    let line = |line: &usize| [("line", i64::try_from(*line).unwrap_or_default().into())];
    match error {
        ProfileError::NoHeader => language.say("what-if-wrong-header"),
        ProfileError::Line { line: number } => language.fill("what-if-wrong-line", line(number)),
        ProfileError::Nominal { line: number } => {
            language.fill("what-if-wrong-nominal", line(number))
        }
        ProfileError::TooLong => language.say("what-if-wrong-long"),
        ProfileError::MissingHour { month, day, hour } => {
            let time = format!("{month:02}-{day:02} {hour:02}:00");
            language.fill("what-if-wrong-hour", [("time", time.into())])
        }
    }
}
