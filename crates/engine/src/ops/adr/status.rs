//! `adr status`: shows or changes the status of a decision record.

use heirloom_core::Hint;
use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::frontmatter::{self, FrontMatterLocation};
use heirloom_core::record::{Referent, short_id};
use heirloom_core::supersession::Supersession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::contradictions::check_stored;
use crate::memory::{WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Decision record: ADR-0003, 3, or a path.
    id: String,
    /// New status; without it, the current one is shown with the allowed next ones.
    #[serde(default)]
    status: Option<Status>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusChange {
    id: String,
    /// Path of the file.
    source: String,
    /// Previous status.
    before: Status,
    /// Current status.
    status: Status,
    /// Allowed next statuses.
    next: Vec<Status>,
    /// Id of the fact that was stored for an accepted decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    /// Warnings.
    warnings: Vec<Hint>,
}

impl Operation for AdrStatus {
    type Request = Request;
    type Response = StatusChange;
    const SPEC: Spec = Spec {
        name: "adr_status",
        usage: "adr status <id> [status]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Show or change the status of a decision record: proposed → accepted → deprecated → superseded, or accepted → superseded.",
    };

    fn run(session: &Session, request: Request) -> Result<StatusChange, Error> {
        // The lock must be held before the catalog is read, but showing the status needs none.
        let transaction = request
            .status
            .is_some()
            .then(|| WriteTransaction::begin(session, false))
            .transpose()?;
        let catalog = Catalog::read(session)?;
        let (catalog_entry, adr) = catalog.find_adr(&request.id)?;
        let before = adr.status;
        let status = request.status.unwrap_or(before);
        let mut change = StatusChange {
            id: adr.id.clone(),
            source: adr.path.clone(),
            before,
            status,
            next: status.allowed_next().to_vec(),
            fact: None,
            warnings: vec![],
        };
        if let Some(mut transaction) = transaction.filter(|_| status != before) {
            check_transition(adr, status)?;
            if status == Status::Superseded && adr.superseded_by.is_empty() {
                let reason = format!("no record states that it replaces {}", adr.id);
                change.warnings.push(
                    Hint::text(reason)
                        .then("; name one with ")
                        .call("adr_supersede", [("old", adr.id.as_str()), ("new", "NEW")]),
                );
            }
            catalog_entry.check_is_file(session.root())?;
            let after = edit_text(session, catalog_entry, adr, status)?;
            transaction.edit(&adr.path, Some(&catalog_entry.text), after);
            update_facts(session, &mut transaction, &catalog, (catalog_entry, adr), &mut change)?;
            transaction.commit()?;
            let stored: Vec<Referent> =
                change.fact.as_deref().map(Referent::from).into_iter().collect();
            change.warnings.extend(check_stored(session, &stored).into_iter().map(Hint::from));
        }
        Ok(change)
    }
}

/// Returns an error if a record cannot go from its status to the new one.
fn check_transition(adr: &Adr, status: Status) -> Result<(), Error> {
    let next = adr.status.allowed_next();
    if next.contains(&status) {
        return Ok(());
    }
    let next: Vec<&str> = next.iter().map(|status| status.as_str()).collect();
    let hint = match next.is_empty() {
        true => "create a new decision record instead".to_owned(),
        false => format!("it may become {}", next.join(" or ")),
    };
    Err(Error::bad_input(format!("{} is {} and cannot become {status}", adr.id, adr.status))
        .hint(hint))
}

/// Returns the text of a record with the new status, and with today's date if its front matter states one.
fn edit_text(
    session: &Session,
    catalog_entry: &CatalogEntry,
    adr: &Adr,
    status: Status,
) -> Result<String, Error> {
    let after = adr::set_status(&adr.path, &catalog_entry.text, status)?;
    let has_date =
        matches!(frontmatter::split(&catalog_entry.text), FrontMatterLocation::Block { .. })
            && catalog_entry.document.fields.contains_key("updated");
    if !has_date {
        return Ok(after);
    }
    let today = json!(session.today().to_string());
    Ok(frontmatter::set(&adr.path, &after, "updated", &today)?)
}

/// Archives the fact of a decision that is no longer accepted, and stores one for a decision that now is.
fn update_facts(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    catalog: &Catalog,
    (catalog_entry, adr): (&CatalogEntry, &Adr),
    change: &mut StatusChange,
) -> Result<(), Error> {
    let supersession = Supersession::new(&catalog.adrs);
    let position = supersession.index_of_path(&adr.path).into_iter();
    let replaced: Vec<&Adr> = position
        .flat_map(|at| supersession.predecessors(at).collect::<Vec<_>>())
        .map(|old| &catalog.adrs[old])
        .collect();
    let known = lifecycle::read_ingested(session, replaced.iter().copied().chain([adr]))?;
    if change.before == Status::Accepted {
        lifecycle::retire_adr(transaction, &known, adr, change.status.as_str())?;
    }
    if change.status == Status::Accepted {
        match lifecycle::ingest_adr(transaction, &known, adr, &catalog_entry.document, &replaced) {
            Ok(stored) => change.fact = stored.map(|id| id.to_string()),
            Err(error) => change.warnings.push(lifecycle::not_stored_warning(adr, &error).into()),
        }
    }
    Ok(())
}

impl Answer for StatusChange {
    fn view(&self) -> View {
        let mut view = View::new();
        let change = if self.before == self.status {
            self.status.to_string()
        } else {
            format!("{} → {}", self.before, self.status)
        };
        view.line([
            span(Role::Key, &self.id),
            format!(" {change}  ").into(),
            span(Role::Source, &self.source),
        ]);
        let next: Vec<&str> = self.next.iter().map(|status| status.as_str()).collect();
        view.line([span(
            Role::Dim,
            if next.is_empty() {
                "the status is final".to_owned()
            } else {
                format!("may become {}", next.join(", "))
            },
        )]);
        if let Some(fact) = &self.fact {
            view.line([span(Role::Dim, format!("also stored as fact {}", short_id(fact)))]);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, Hint::text("⚠️ ").then_hint(warning))]);
        }
        view
    }
}
