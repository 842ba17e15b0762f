//! `project new`: creates a project.

use heirloom_core::name;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::CreatedDocument;
use crate::workspace::inherit;
use crate::workspace::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ProjectNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Name of the project, as plans state it in `project:`.
    name: String,
    /// Goal of the project.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for ProjectNew {
    type Request = Request;
    type Response = CreatedDocument;
    const SPEC: Spec = Spec {
        name: "project_new",
        usage: "project new <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a project. A plan joins it with `project: NAME` in its front matter.",
    };

    fn run(session: &Session, request: Request) -> Result<CreatedDocument, Error> {
        inherit::level(session.config()?, "project")?;
        let title = scaffold::one_line("project", &request.name)?;
        let folder = folder_for(session, &title);
        let path = format!(".heirloom/projects/{folder}/project.md");
        let text = scaffold::project(&title, request.description.as_deref(), session.today());
        CreatedDocument::write(session, "project", folder, path, &text)
    }
}

/// Returns the folder name of a new project: its name if that is a safe folder name, else a slug. A name
/// without letters or digits (an emoji) gets `project` or the next free `project-N`.
fn folder_for(session: &Session, title: &str) -> String {
    let is_usable = |name: &str| name::unsafe_reason(name).is_none();
    if is_usable(title) && !title.contains(' ') {
        return title.to_owned();
    }
    let slug = name::slug(title);
    if !slug.is_empty() {
        return if is_usable(&slug) { slug } else { format!("{slug}-project") };
    }
    let names = (2..).map(|number| format!("project-{number}"));
    std::iter::once("project".to_owned())
        .chain(names)
        .find(|name| !session.root().exists(&format!(".heirloom/projects/{name}")))
        .unwrap_or_default()
}
