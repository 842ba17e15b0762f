//! Supersessions that only one of the two records states.

use std::collections::HashSet;

use super::{Conflict, Kind, Severity};
use crate::adr::{self, Adr, Status};
use crate::shell;
use crate::supersession::{Link, Supersession};

/// Returns the supersessions of which one record tells a reader nothing, or the opposite.
///
/// A replaced record that still reads as accepted is a warning. A new record that does not name what
/// it replaced does not mislead about what is in force, and many teams write only `Superseded by`, so
/// it is information.
pub fn one_sided(adrs: &[Adr], relation: &Supersession<'_>) -> Vec<Conflict> {
    let cycles = relation.cycles();
    let in_cycle: HashSet<usize> = cycles.iter().flatten().copied().collect();
    // A cycle is reported as a cycle; stating it on both sides would not mend it.
    let links = relation
        .links()
        .filter(|link| !(in_cycle.contains(&link.new) && in_cycle.contains(&link.old)));
    links.filter_map(|link| judge(adrs, relation, link)).collect()
}

fn judge(adrs: &[Adr], relation: &Supersession<'_>, link: Link) -> Option<Conflict> {
    let (new, old) = (&adrs[link.new], &adrs[link.old]);
    let is_open =
        matches!(old.status, Status::Accepted | Status::Proposed | Status::Draft | Status::Unknown);
    let (to_mend, severity, message) = if old.is_partly_superseded {
        return None;
    } else if is_open && new.status.took_effect() {
        let says = match (link.is_stated_by_old, old.status) {
            (_, Status::Unknown) => "which has no status that says so".to_owned(),
            (true, status) => format!("which names it and still says that it is {status}"),
            (false, status) => format!("which still says that it is {status}"),
        };
        (old, Severity::Warning, format!("{} supersedes {}, {says}", new.id, old.id))
    } else if !link.is_stated_by_new {
        let message = format!(
            "{} is superseded by {}, which does not say that it supersedes it",
            old.id, new.id
        );
        (new, Severity::Information, message)
    } else {
        return None;
    };
    Some(conflict(adrs, relation, link, to_mend, severity, message))
}

fn conflict(
    adrs: &[Adr],
    relation: &Supersession<'_>,
    link: Link,
    to_mend: &Adr,
    severity: Severity,
    message: String,
) -> Conflict {
    let argument = |at: usize| shell::word(typed_name(adrs, relation, at));
    let beside = adr::metadata_path(&to_mend.path);
    let (path, line) = match &beside {
        Some(beside) => (beside.clone(), 1),
        None => (to_mend.path.clone(), to_mend.status_line),
    };
    let hint = match beside {
        Some(beside) if to_mend.path == adrs[link.old].path => {
            format!("write `status: replaced` and `superseded-by` into {beside}")
        }
        Some(beside) => format!("write `replaces` into {beside}"),
        None => format!(
            "run `heir adr supersede {} {}`, which writes it into both records",
            argument(link.old),
            argument(link.new)
        ),
    };
    Conflict {
        kind: Kind::OneSidedSupersession,
        severity,
        key: None,
        path,
        line,
        message,
        sides: vec![],
        resolution: None,
        hint,
    }
}

/// Returns a name that means this record alone: its id, or its path where another record has the
/// same number.
fn typed_name<'a>(adrs: &'a [Adr], relation: &Supersession<'_>, at: usize) -> &'a str {
    let adr = &adrs[at];
    let is_unique =
        adr.number.is_some_and(|number| relation.numbered(number).all(|other| other == at));
    if is_unique { &adr.id } else { &adr.path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adr;

    fn check(records: &[(&str, &str)]) -> Vec<(Severity, String)> {
        let adrs: Vec<Adr> = records
            .iter()
            .map(|(number, front)| {
                adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{front}\n---\n# T\n"))
            })
            .collect();
        one_sided(&adrs, &Supersession::new(&adrs))
            .into_iter()
            .map(|conflict| (conflict.severity, format!("{}: {}", conflict.path, conflict.message)))
            .collect()
    }

    #[test]
    fn a_replaced_record_that_reads_as_accepted_is_a_warning() {
        assert_eq!(
            check(&[("1", "status: accepted"), ("2", "status: accepted\nsupersedes: [ADR-1]")]),
            [(
                Severity::Warning,
                "adrs/ADR-1-x.md: ADR-2 supersedes ADR-1, which still says that it is accepted"
                    .to_owned()
            )]
        );
        assert_eq!(
            check(&[("1", "status: accepted\nsuperseded_by: ADR-2"), ("2", "status: accepted")])[0]
                .0,
            Severity::Warning
        );
    }

    #[test]
    fn a_new_record_that_does_not_name_the_old_one_is_information() {
        assert_eq!(
            check(&[("1", "status: superseded by ADR-2"), ("2", "status: accepted")]),
            [(
                Severity::Information,
                "adrs/ADR-2-x.md: ADR-1 is superseded by ADR-2, which does not say that it supersedes it"
                    .to_owned()
            )]
        );
    }

    #[test]
    fn what_does_not_mislead_is_not_reported() {
        for records in [
            [("1", "status: accepted"), ("2", "status: proposed\nsupersedes: [ADR-1]")],
            [("1", "status: superseded"), ("2", "status: accepted\nsupersedes: [ADR-1]")],
            [("1", "status: rejected"), ("2", "status: accepted\nsupersedes: [ADR-1]")],
            [("1", "status: partially superseded by ADR-2"), ("2", "status: accepted")],
            [
                ("1", "status: accepted\nsupersedes: [ADR-2]"),
                ("2", "status: accepted\nsupersedes: [ADR-1]"),
            ],
        ] {
            assert_eq!(check(&records), [], "{records:?}");
        }
    }
}
