//! The table `line_problem`: problems that appear when the lines of the log are folded together.

use heirloom_core::Problem;
use heirloom_core::fold::LineLocation;
use rusqlite::{Connection, params};

use crate::IndexError;

pub(super) const SCHEMA: &str = "
CREATE TABLE line_problem(path TEXT NOT NULL, line INTEGER NOT NULL, problem TEXT NOT NULL,
    PRIMARY KEY(path, line)) WITHOUT ROWID;
";

/// Reads all problems.
pub(crate) fn all(db: &Connection) -> Result<Vec<Problem>, IndexError> {
    let mut query = db.prepare_cached("SELECT problem FROM line_problem")?;
    let rows = query.query_map([], |row| row.get::<_, String>(0))?;
    let mut problems = Vec::new();
    for json in rows {
        let problem = serde_json::from_str(&json?)
            .map_err(|_| IndexError::damaged("a stored problem of the log cannot be parsed"))?;
        problems.push(problem);
    }
    Ok(problems)
}

/// Writes problems.
pub(crate) fn insert(db: &Connection, problems: &[Problem]) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO line_problem VALUES(?, ?, ?)")?;
    for problem in problems {
        let json = serde_json::to_string(problem)
            .map_err(|error| IndexError::damaged(error.to_string()))?;
        insert.execute(params![problem.path, to_sql(problem.line), json])?;
    }
    Ok(())
}

/// Removes the problems of some lines.
pub(crate) fn delete<'p>(
    db: &Connection,
    places: impl Iterator<Item = &'p LineLocation>,
) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM line_problem WHERE path = ? AND line = ?")?;
    for place in places {
        delete.execute(params![place.path, to_sql(place.line)])?;
    }
    Ok(())
}

fn to_sql(line: usize) -> i64 {
    i64::try_from(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IndexErrorKind, sqlite};

    #[test]
    fn a_stored_problem_that_cannot_be_parsed_is_damage() {
        let db = sqlite::open_in_memory().unwrap();
        db.execute_batch(SCHEMA).unwrap();
        let problem = Problem::at("a.jsonl", 3, "broken");
        insert(&db, std::slice::from_ref(&problem)).unwrap();
        assert_eq!(all(&db).unwrap(), [problem]);
        db.execute("UPDATE line_problem SET problem = '{'", []).unwrap();
        assert_eq!(all(&db).unwrap_err().kind, IndexErrorKind::Damaged);
    }
}
