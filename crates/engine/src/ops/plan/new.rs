//! `plan new`: creates a plan with the next free number.

use heirloom_core::name;
use heirloom_store::files::ARCHIVE;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::CreatedDocument;
use crate::workspace::inherit;
use crate::workspace::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PlanNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Title of the plan, or its folder name with a number (0042-knowledge-graph).
    name: String,
    /// Project it belongs to.
    #[serde(default)]
    project: Option<String>,
    /// What the plan delivers.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for PlanNew {
    type Request = Request;
    type Response = CreatedDocument;
    const SPEC: Spec = Spec {
        name: "plan_new",
        usage: "plan new <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a plan with the next free number.",
    };

    fn run(session: &Session, request: Request) -> Result<CreatedDocument, Error> {
        let title_or_name = scaffold::one_line("plan", &request.name)?;
        let _lock = heirloom_store::journal::lock(session.root())?;
        let config = session.config()?;
        let plans = inherit::level(config, "plan")?;
        let project = match &request.project {
            Some(input) => {
                let projects = inherit::level(config, "project")?;
                Some(layout::find_name(session.root(), &projects, &Default::default(), input)?)
            }
            None => None,
        };
        let names = layout::list_names(session.root(), &plans, &Default::default())?;
        // The number of an archived plan is not reused, since references to it remain.
        let archived = session.root().list(&format!("{ARCHIVE}/plans"))?.into_iter();
        let archived = archived.filter(|item| item.is_folder).map(|item| item.name);
        let used_names: Vec<String> = names.iter().cloned().chain(archived).collect();
        let folder = scaffold::numbered_name("plan", &title_or_name, &used_names, 4, 1)?;
        let title = scaffold::title_of(&title_or_name);
        let text = scaffold::plan(
            &title,
            project.as_deref(),
            request.description.as_deref(),
            session.today(),
        );
        let number = |name: &str| name::leading_number(name).and_then(|n| n.parse::<u32>().ok());
        if let Some(taken) = used_names.iter().find(|name| number(name) == number(&folder)) {
            return Err(Error::bad_input(format!(
                "the number of `{folder}` is already used by `{taken}`{}",
                if names.contains(taken) { "" } else { ", which is in the archive" }
            ))
            .hint("omit the number to use the next free one"));
        }
        let path = format!("plans/{folder}/{folder}-plan.md");
        CreatedDocument::write(session, "plan", folder, path, &text)
    }
}
