//! `adr status`: moves a decision from one state to the next.

use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::frontmatter::{self, Split};
use heirloom_core::record::short;
use heirloom_core::supersession::Supersession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::memory::{WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The record: ADR-0003, 3, or a path.
    id: String,
    /// Its new status; left out, the present one is shown with what may follow.
    #[serde(default)]
    status: Option<Status>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Moved {
    id: String,
    /// Its file.
    source: String,
    /// Its status before.
    before: Status,
    /// Its status now.
    status: Status,
    /// What may follow.
    next: Vec<Status>,
    /// The fact that an accepted decision was stored as.
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    /// What to think of.
    warnings: Vec<String>,
}

impl Operation for AdrStatus {
    type Request = Request;
    type Response = Moved;
    const SPEC: Spec = Spec {
        name: "adr_status",
        usage: "adr status <id> [status]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Show or change a decision's status: proposed → accepted → deprecated → superseded, or accepted → superseded.",
    };

    fn run(session: &Session, request: Request) -> Result<Moved, Error> {
        let transaction = request
            .status
            .is_some()
            .then(|| WriteTransaction::begin(session, false))
            .transpose()?;
        let catalog = Catalog::read(session)?;
        let (filed, adr) = catalog.find_adr(&request.id)?;
        let before = adr.status;
        let status = request.status.unwrap_or(before);
        let mut warnings = Vec::new();
        let mut fact = None;
        if let Some(mut transaction) = transaction.filter(|_| status != before) {
            if !before.next().contains(&status) {
                let next: Vec<&str> = before.next().iter().map(|status| status.word()).collect();
                let hint = if next.is_empty() {
                    "write a new decision".to_owned()
                } else {
                    format!("it may become {}", next.join(" or "))
                };
                return Err(Error::bad_input(format!(
                    "{} is {before} and cannot become {status}",
                    adr.id
                ))
                .hint(hint));
            }
            if status == Status::Superseded && adr.superseded_by.is_empty() {
                warnings.push(format!(
                    "nothing is named that replaces {0}; `heir adr supersede {0} NEW` does",
                    adr.id
                ));
            }
            filed.check_is_file(session.root())?;
            let mut after = adr::set_status(&adr.path, &filed.text, status)?;
            if matches!(frontmatter::split(&filed.text), Split::Block { .. })
                && filed.document.fields.contains_key("updated")
            {
                after = frontmatter::set(
                    &adr.path,
                    &after,
                    "updated",
                    &json!(session.today().to_string()),
                )?;
            }
            transaction.edit(&adr.path, Some(&filed.text), after);
            let supersession = Supersession::new(&catalog.adrs);
            let own = supersession.at_path(&adr.path).into_iter();
            let replaced: Vec<&Adr> = own
                .flat_map(|at| supersession.predecessors(at).collect::<Vec<_>>())
                .map(|old| &catalog.adrs[old])
                .collect();
            let concerned = replaced.iter().copied().chain([adr]);
            let known = lifecycle::known_of(session, concerned)?;
            if before == Status::Accepted {
                lifecycle::retire_adr(&mut transaction, &known, adr, status.word())?;
            }
            if status == Status::Accepted {
                match lifecycle::ingest_adr(
                    &mut transaction,
                    &known,
                    adr,
                    &filed.document,
                    &replaced,
                ) {
                    Ok(stored) => fact = stored,
                    Err(error) => warnings.push(lifecycle::not_a_fact(adr, &error)),
                }
            }
            transaction.commit()?;
        }
        Ok(Moved {
            id: adr.id.clone(),
            source: adr.path.clone(),
            before,
            status,
            next: status.next().to_vec(),
            fact: fact.map(|id| id.to_string()),
            warnings,
        })
    }
}

impl Answer for Moved {
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
        let next: Vec<&str> = self.next.iter().map(|status| status.word()).collect();
        view.line([span(
            Role::Dim,
            if next.is_empty() {
                "nothing may follow".to_owned()
            } else {
                format!("may become {}", next.join(", "))
            },
        )]);
        if let Some(fact) = &self.fact {
            view.line([span(Role::Dim, format!("also stored as the fact {}", short(fact)))]);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
        }
        view
    }
}
