//! What the commands that put rules where clients read them share: the choice of clients, and the answer.

use heirloom_core::Problem;
use heirloom_core::hot::clients::{self, CLIENTS, Client};
use heirloom_core::hot::placement::{ClientTree, FoundPath, PlacementPlan};
use heirloom_core::hot::reconcile::{PlacedForm, Step, StepKind};
use heirloom_core::name;
use schemars::JsonSchema;
use serde::Serialize;

use crate::hot::RootTree;
use crate::view::{Role, View, present, span};
use crate::{Answer, Error, Session};

/// The name that stands for every client.
const ALL: &str = "all";

/// Returns the clients that were named.
pub(super) fn named_clients(typed: &[String]) -> Result<Vec<&'static Client>, Error> {
    if typed.iter().any(|name| name.trim().eq_ignore_ascii_case(ALL)) {
        return Ok(CLIENTS.iter().collect());
    }
    typed.iter().map(|typed| named_client(typed)).collect()
}

fn named_client(typed: &str) -> Result<&'static Client, Error> {
    let plain = |text: &str| text.to_lowercase().replace([' ', '_', '-'], "");
    let typed_plain = plain(typed.trim());
    let is_it = |client: &&Client| [plain(client.id), plain(client.name)].contains(&typed_plain);
    CLIENTS.iter().find(is_it).ok_or_else(|| {
        let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).chain([ALL]).collect();
        let near = name::nearest(typed, ids.iter().copied(), 3);
        let candidates =
            if near.is_empty() { ids.iter().map(|&id| id.to_owned()).collect() } else { near };
        Error::not_found(format!("there is no client `{}`", typed.escape_default()), candidates)
    })
}

/// Returns the clients that the repository has files of.
pub(super) fn detected_clients(session: &Session) -> Vec<&'static Client> {
    let tree = RootTree(session.root());
    let exists = |path: &&str| tree.look(path) != FoundPath::Missing;
    CLIENTS.iter().filter(|client| client.detected_by.iter().any(&exists)).collect()
}

/// What was put where, or taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkReport {
    /// Clients that the rules are linked to.
    pub(super) clients: Vec<String>,
    /// Files, by path.
    pub(super) files: Vec<LinkedFile>,
    /// Clients that need no file of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) served: Vec<ServedClient>,
    /// Clients to which the rules cannot be given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unserved: Vec<UnservedClient>,
    /// What should be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<String>,
    /// Rules and commands that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) problems: Vec<Problem>,
    /// Whether something is not as it should be.
    pub(super) is_out_of_date: bool,
    /// Whether nothing was changed.
    pub(super) is_preview: bool,
    /// Whether it was asked what is out of date.
    #[serde(skip)]
    pub(super) is_check: bool,
}

/// A file where clients read it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LinkedFile {
    /// Path.
    path: String,
    /// What was done, or would be.
    done: StepKind,
    /// Form.
    form: PlacedForm,
    /// Source.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Clients that read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clients: Vec<&'static str>,
    /// Why it was kept as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A client that reads the rules somewhere else.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ServedClient {
    /// Client.
    client: &'static str,
    /// File or folder that it reads.
    by: String,
}

/// A client to which the rules cannot be given.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UnservedClient {
    /// Client.
    client: &'static str,
    /// Why.
    reason: String,
    /// What to do.
    hint: String,
}

impl LinkReport {
    pub(super) fn new(clients: Vec<String>, plan: PlacementPlan, steps: Vec<Step>) -> Self {
        let served = plan.served.into_iter();
        let unserved = plan.unserved.into_iter();
        LinkReport {
            clients,
            files: steps.into_iter().map(LinkedFile::new).collect(),
            served: served.map(|it| ServedClient { client: it.client, by: it.by }).collect(),
            unserved: unserved
                .map(|it| UnservedClient { client: it.client, reason: it.reason, hint: it.hint })
                .collect(),
            notices: plan.notices,
            problems: vec![],
            is_out_of_date: false,
            is_preview: false,
            is_check: false,
        }
    }
}

impl LinkedFile {
    fn new(step: Step) -> Self {
        let Step { path, kind, form, source, clients, reason, .. } = step;
        LinkedFile { path, done: kind, form, source, clients, reason }
    }
}

impl Answer for LinkReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let rows =
            self.files.iter().filter(|file| !self.is_check || file.done != StepKind::Current);
        let rows: Vec<_> = rows
            .map(|file| {
                let (word, role) = verb(file.done, self.is_check);
                let detail = match (&file.reason, &file.source) {
                    (Some(reason), _) => reason.clone(),
                    (None, Some(source)) => format!("{} {source}", form_word(file.form)),
                    (None, None) if file.form == PlacedForm::Block => "its block".to_owned(),
                    (None, None) => String::new(),
                };
                vec![
                    span(role, word),
                    span(Role::Source, &file.path),
                    detail.into(),
                    span(Role::Dim, file.clients.join(", ")),
                ]
            })
            .collect();
        let has_rows = !rows.is_empty();
        view.table(&[], rows);
        if !self.is_check {
            for ServedClient { client, by } in &self.served {
                let name = clients::find(client).map_or(*client, |client| client.name);
                view.line([span(Role::Dim, format!("{name} reads {by}"))]);
            }
        }
        for UnservedClient { client, reason, hint } in &self.unserved {
            let name = clients::find(client).map_or(*client, |client| client.name);
            view.line([span(Role::Warning, format!("⚠️ {name} is not linked: {reason}"))]);
            view.line([span(Role::Dim, format!("   {hint}"))]);
        }
        for notice in &self.notices {
            view.line([span(Role::Warning, format!("⚠️ {notice}"))]);
        }
        present::problems(&mut view, &self.problems);
        if !has_rows && !self.is_out_of_date {
            let is_served = |id: &&String| !self.unserved.iter().any(|it| it.client == **id);
            let clients: Vec<&str> =
                self.clients.iter().filter(is_served).map(String::as_str).collect();
            let line = match clients.as_slice() {
                [] => "linked to no client".to_owned(),
                clients => format!("up to date for {}", clients.join(", ")),
            };
            view.line([span(Role::Good, line)]);
        }
        if self.is_preview && !self.is_check {
            view.line([span(Role::Dim, "nothing was changed")]);
        }
        view
    }

    fn has_findings(&self) -> bool {
        self.is_check && self.is_out_of_date
    }
}

fn verb(kind: StepKind, is_check: bool) -> (&'static str, Role) {
    match (kind, is_check) {
        (StepKind::Current, _) => ("current", Role::Dim),
        (StepKind::Created, false) => ("created", Role::Good),
        (StepKind::Created, true) => ("missing", Role::Bad),
        (StepKind::Updated, false) => ("updated", Role::Good),
        (StepKind::Updated, true) => ("outdated", Role::Bad),
        (StepKind::Removed, false) => ("removed", Role::Good),
        (StepKind::Removed, true) => ("unneeded", Role::Bad),
        (StepKind::Kept, _) => ("kept", Role::Warning),
    }
}

fn form_word(form: PlacedForm) -> &'static str {
    match form {
        PlacedForm::Link => "→",
        PlacedForm::File => "made from",
        PlacedForm::Block => "block of",
    }
}
