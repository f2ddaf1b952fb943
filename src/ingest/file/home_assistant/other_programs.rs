//! Databases of other programs: their names, and how their readings become a table.

use anyhow::Result;
use rusqlite::Connection;

/// The maximum number of tables that are named, and of characters of a name.
const NAMED: usize = 8;
const NAME_CHARS: usize = 40;

/// A program with a database of its own.
struct OtherProgram {
    name: &'static str,
    /// Tables that only it has together.
    tables: &'static [&'static str],
    /// The statement that prints the readings of one device.
    statement: &'static str,
}

const PROGRAMS: [OtherProgram; 5] = [
    OtherProgram {
        name: "Domoticz",
        tables: &["DeviceStatus", "Meter", "MultiMeter"],
        statement: "SELECT Date, Value FROM Meter WHERE DeviceRowID = ID",
    },
    OtherProgram {
        name: "SBFspot",
        tables: &["DayData", "Inverters"],
        statement: "SELECT TimeStamp, TotalYield FROM DayData WHERE Serial = ID",
    },
    OtherProgram {
        name: "ioBroker",
        tables: &["datapoints", "ts_number"],
        statement: "SELECT ts, val FROM ts_number WHERE id = ID",
    },
    OtherProgram {
        name: "FHEM",
        tables: &["current", "history"],
        statement: "SELECT TIMESTAMP, VALUE FROM history WHERE DEVICE = 'NAME' AND READING = 'NAME'",
    },
    OtherProgram {
        name: "openHAB",
        tables: &["Items"],
        statement: "SELECT time, value FROM item0001",
    },
];

/// The program of a database, and how to export from it, in words.
///
/// # Errors
/// If it cannot be read.
pub(super) fn whose(connection: &Connection) -> Result<String> {
    let names = table_names(connection)?;
    let has = |table: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(table));
    let mut programs = PROGRAMS.iter();
    if let Some(program) = programs.find(|program| program.tables.iter().all(has)) {
        return Ok(format!(
            "it is a database of {}, which is not read: export the readings of a device as CSV, such as with sqlite3 -header -csv FILE \"{}\" >readings.csv, and import that",
            program.name, program.statement
        ));
    }
    let shown = names.iter().take(NAMED);
    let shown: Vec<String> = shown
        .map(|name| name.chars().take(NAME_CHARS).collect())
        .collect();
    let tables = if shown.is_empty() {
        "no table".to_owned()
    } else {
        format!("the tables {}", shown.join(", "))
    };
    Ok(format!(
        "it is a database of another program than Home Assistant, with {tables}: export the readings there as CSV, or with sqlite3 -header -csv FILE \"SELECT * FROM TABLE\" >readings.csv, and import that"
    ))
}

/// The names of the first tables.
fn table_names(connection: &Connection) -> Result<Vec<String>> {
    /// Bounds memory; programs have some dozens.
    const MOST: u32 = 1_000;
    let sql = "SELECT substr(name, 1, 100) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT ?1";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([MOST], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose(schema: &str) -> String {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(schema).unwrap();
        super::whose(&connection).unwrap()
    }

    #[test]
    fn databases_name_their_program_and_the_way_out() {
        for (schema, expected) in [
            (
                "CREATE TABLE DeviceStatus (ID); CREATE TABLE Meter (DeviceRowID, Value, Date); CREATE TABLE MultiMeter (DeviceRowID)",
                "a database of Domoticz, which is not read: export the readings of a device as CSV, such as with sqlite3",
            ),
            (
                "CREATE TABLE history (x); CREATE TABLE current (x)",
                "a database of FHEM",
            ),
            ("CREATE TABLE rrd (x)", "with the tables rrd: export"),
            ("", "with no table"),
        ] {
            let text = whose(schema);
            assert!(text.contains(expected), "{text}");
        }
        let tables = (0..100).map(|n| format!("CREATE TABLE {}{n} (x);", "t".repeat(200)));
        let many: Vec<_> = tables.collect();
        assert!(whose(&many.concat()).len() < 800);
    }

    /// The statements are right for the columns that the programs have.
    #[test]
    fn the_statements_run() {
        let schema = "CREATE TABLE Meter (DeviceRowID, Value, Usage, Price, Date); CREATE TABLE DayData (TimeStamp, Serial, TotalYield, Power, PVoutput); \
            CREATE TABLE ts_number (id, ts, val, ack, _from, q); CREATE TABLE history (TIMESTAMP, DEVICE, TYPE, EVENT, READING, VALUE, UNIT); \
            CREATE TABLE item0001 (time, value)";
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(schema).unwrap();
        for program in PROGRAMS {
            let statement = program.statement.replace("= ID", "= 1");
            connection.prepare(&statement).unwrap();
        }
    }
}
