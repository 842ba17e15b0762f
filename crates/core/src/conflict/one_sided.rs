//! Supersessions that are stated by only one of the two records.

use std::collections::HashSet;

use super::{Conflict, ConflictKind, Severity};
use crate::Hint;
use crate::adr::{self, Adr, Status};
use crate::supersession::{Supersession, SupersessionLink};

/// Returns the supersessions that one of the two records does not state, or contradicts.
///
/// A replaced record whose status is still open is a warning, since it misleads its readers. A new
/// record that does not name the replaced one is information: it does not mislead, and many teams only
/// write `Superseded by`.
pub fn find_one_sided_supersessions(adrs: &[Adr], relation: &Supersession<'_>) -> Vec<Conflict> {
    let cycles = relation.cycles();
    let in_cycle: HashSet<usize> = cycles.iter().flatten().copied().collect();
    // Cycles are reported by `supersession`; stating them on both sides would not fix them.
    let links = relation
        .links()
        .filter(|link| !(in_cycle.contains(&link.new) && in_cycle.contains(&link.old)));
    links.filter_map(|link| check_link(adrs, relation, link)).collect()
}

fn check_link(
    adrs: &[Adr],
    relation: &Supersession<'_>,
    link: SupersessionLink,
) -> Option<Conflict> {
    let (new, old) = (&adrs[link.new], &adrs[link.old]);
    let is_open =
        matches!(old.status, Status::Accepted | Status::Proposed | Status::Draft | Status::Unknown);
    let (to_fix, severity, message) = if old.is_partly_superseded {
        return None;
    } else if is_open && new.status.has_taken_effect() {
        let statement = match (link.is_stated_by_old, old.status) {
            (_, Status::Unknown) => "which states no known status".to_owned(),
            (true, status) => format!("which names its successor but is still {status}"),
            (false, status) => format!("which is still {status}"),
        };
        (old, Severity::Warning, format!("{} supersedes {}, {statement}", new.id, old.id))
    } else if !link.is_stated_by_new {
        let message = format!(
            "{} is superseded by {}, which does not state that it supersedes {0}",
            old.id, new.id
        );
        (new, Severity::Information, message)
    } else {
        return None;
    };
    Some(conflict(adrs, relation, link, to_fix, severity, message))
}

fn conflict(
    adrs: &[Adr],
    relation: &Supersession<'_>,
    link: SupersessionLink,
    to_fix: &Adr,
    severity: Severity,
    message: String,
) -> Conflict {
    let name = |index: usize| unique_name(adrs, relation, index);
    let metadata = adr::metadata_path(&to_fix.path);
    let place = match &metadata {
        Some(metadata) => (metadata.clone(), 1),
        None => (to_fix.path.clone(), to_fix.status_line),
    };
    let hint = match metadata {
        Some(metadata) if to_fix.path == adrs[link.old].path => {
            format!("write `status: replaced` and `superseded-by` into {metadata}").into()
        }
        Some(metadata) => format!("write `replaces` into {metadata}").into(),
        None => Hint::text("run ")
            .call("adr_supersede", [("old", name(link.old)), ("new", name(link.new))])
            .then(", which updates both records"),
    };
    Conflict::at(ConflictKind::OneSidedSupersession, severity, place, message, hint)
}

/// Returns an unambiguous name of a record: its id, or its path if its number is not unique.
fn unique_name<'a>(adrs: &'a [Adr], relation: &Supersession<'_>, index: usize) -> &'a str {
    let adr = &adrs[index];
    let is_unique = adr
        .number
        .is_some_and(|number| relation.indexes_with_number(number).all(|other| other == index));
    if is_unique { &adr.id } else { &adr.path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adr;

    fn check(records: &[(&str, &str)]) -> Vec<(Severity, String)> {
        let adrs: Vec<Adr> = records
            .iter()
            .map(|(number, yaml)| {
                adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{yaml}\n---\n# T\n"))
            })
            .collect();
        find_one_sided_supersessions(&adrs, &Supersession::new(&adrs))
            .into_iter()
            .map(|conflict| (conflict.severity, format!("{}: {}", conflict.path, conflict.message)))
            .collect()
    }

    #[test]
    fn a_replaced_record_that_is_still_accepted_is_a_warning() {
        assert_eq!(
            check(&[("1", "status: accepted"), ("2", "status: accepted\nsupersedes: [ADR-1]")]),
            [(
                Severity::Warning,
                "adrs/ADR-1-x.md: ADR-2 supersedes ADR-1, which is still accepted".to_owned()
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
                "adrs/ADR-2-x.md: ADR-1 is superseded by ADR-2, which does not state that it supersedes ADR-1"
                    .to_owned()
            )]
        );
    }

    #[test]
    fn consistent_partial_and_circular_supersessions_are_not_reported() {
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
