//! `project new`: a new project.

use heirloom_core::name;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Created;
use crate::setup::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec, inherit};

pub(super) struct ProjectNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Its name, which plans use in `project:`.
    name: String,
    /// What it is to achieve.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for ProjectNew {
    type Request = Request;
    type Response = Created;
    const SPEC: Spec = Spec {
        name: "project_new",
        usage: "project new <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a project. A plan joins it with `project: NAME` in its front matter.",
    };

    fn run(session: &Session, request: Request) -> Result<Created, Error> {
        inherit::level(session.config()?, "project")?;
        let title = request.name.trim();
        let folder = if name::unsafe_reason(title).is_none() && !title.contains(' ') {
            title.to_owned()
        } else {
            scaffold::slug_of("project", title)?
        };
        let path = format!(".heirloom/projects/{folder}/project.md");
        let text = scaffold::project(title, request.description.as_deref(), session.today());
        Created::write(session, "project", folder, path, &text)
    }
}
