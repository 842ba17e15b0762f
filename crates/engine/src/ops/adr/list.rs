//! `adr list`: lists the decision records.

use heirloom_core::Problem;
use heirloom_core::adr::Status;
use heirloom_core::supersession::Supersession;
use heirloom_store::adrs::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::documents::Documents;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only records with this status.
    #[serde(default)]
    status: Option<Status>,
    /// Only records that apply to this project: its own and the workspace's.
    #[serde(default)]
    project: Option<String>,
    /// Only decisions in force.
    #[serde(default)]
    in_force: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdrListing {
    adrs: Vec<ListedAdr>,
    /// Ids of records without a known status, which are not in force.
    without_status: Vec<String>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedAdr {
    /// Id of the record.
    id: String,
    /// Title.
    title: String,
    /// Status.
    status: Status,
    /// The stated status, if it is not a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_status: Option<String>,
    /// Whether it is accepted and not replaced.
    in_force: bool,
    /// Date, as written.
    date: Option<String>,
    /// Ids of the records that it replaced.
    supersedes: Vec<String>,
    /// Ids of the records that replaced it.
    superseded_by: Vec<String>,
    /// Project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Path of the file.
    source: String,
}

impl Operation for AdrList {
    type Request = Request;
    type Response = AdrListing;
    const SPEC: Spec = Spec {
        name: "adr_list",
        usage: "adr list",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the decision records with their status and what replaced them.",
    };

    fn run(session: &Session, request: Request) -> Result<AdrListing, Error> {
        let scope = request.project.as_deref().map_or(Scope::AllProjects, Scope::Project);
        if let Some(project) = &request.project {
            crate::workspace::scaffold::safe_name("project", project)?;
        }
        let (records, problems) = Documents::records(session, scope)?;
        let all: Vec<_> = records.iter().map(|record| record.adr.clone()).collect();
        let supersession = Supersession::new(&all);
        let id = |at: usize| all[at].id.clone();
        let items = records.iter().enumerate().map(|(at, record)| ListedAdr {
            id: record.adr.id.clone(),
            title: record.adr.title.clone(),
            status: record.adr.status,
            unknown_status: record.adr.unknown_status.clone(),
            in_force: supersession.is_in_force(at),
            date: record.adr.date.clone(),
            supersedes: supersession.predecessors(at).map(id).collect(),
            superseded_by: supersession.successors(at).map(id).collect(),
            project: record.project.clone(),
            source: record.adr.path.clone(),
        });
        let adrs = items
            .filter(|item| {
                request.status.is_none_or(|status| item.status == status)
                    && (!request.in_force || item.in_force)
            })
            .collect();
        let without_status = supersession.indexes_without_status().map(id).collect();
        Ok(AdrListing { adrs, without_status, problems })
    }
}

impl Answer for AdrListing {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.adrs.is_empty() {
            view.line([span(Role::Dim, "none")]);
        }
        let rows = self.adrs.iter().map(|item| {
            let role = match item.status {
                _ if item.in_force => Role::Good,
                Status::Deprecated | Status::Superseded | Status::Rejected | Status::Withdrawn => {
                    Role::Dim
                }
                _ => Role::Warning,
            };
            let more = match &item.unknown_status {
                Some(stated) => format!("“{stated}”"),
                None if item.superseded_by.is_empty() => String::new(),
                None => format!("by {}", item.superseded_by.join(", ")),
            };
            vec![
                span(Role::Key, &item.id),
                span(role, item.status.as_str()),
                span(Role::Dim, more),
                item.title.as_str().into(),
                span(Role::Source, &item.source),
            ]
        });
        view.table(&["id", "status", "", "title", "source"], rows.collect());
        if let Some(sentence) = present::missing_status_warning(&self.without_status) {
            view.blank();
            view.line([span(Role::Warning, format!("⚠️ {sentence}"))]);
        }
        if !self.problems.is_empty() {
            view.title("Problems");
            present::problems(&mut view, &self.problems);
        }
        view
    }
}
