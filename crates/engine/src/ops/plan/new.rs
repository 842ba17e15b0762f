//! `plan new`: a new plan, with the next number.

use heirloom_core::name;
use heirloom_store::files::ARCHIVE;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::Created;
use crate::workspace::inherit;
use crate::workspace::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PlanNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Its title; or its folder's name with a number in front (0042-knowledge-graph).
    name: String,
    /// The project it belongs to.
    #[serde(default)]
    project: Option<String>,
    /// What it delivers.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for PlanNew {
    type Request = Request;
    type Response = Created;
    const SPEC: Spec = Spec {
        name: "plan_new",
        usage: "plan new <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a plan with the next free number.",
    };

    fn run(session: &Session, request: Request) -> Result<Created, Error> {
        let typed = scaffold::one_line("plan", &request.name)?;
        let _lock = heirloom_store::journal::lock(session.root())?;
        let config = session.config()?;
        let plans = inherit::level(config, "plan")?;
        let project = match &request.project {
            Some(typed) => {
                let projects = inherit::level(config, "project")?;
                Some(layout::find_name(session.root(), &projects, &Default::default(), typed)?)
            }
            None => None,
        };
        let names = layout::names(session.root(), &plans, &Default::default())?;
        // A number that was given once should not come to mean another plan.
        let archived = session.root().list(&format!("{ARCHIVE}/plans"))?.into_iter();
        let archived = archived.filter(|item| item.is_folder).map(|item| item.name);
        let given: Vec<String> = names.iter().cloned().chain(archived).collect();
        let folder = scaffold::numbered("plan", &typed, &given, 4, 1)?;
        let title = scaffold::title_of(&typed);
        let text = scaffold::plan(
            &title,
            project.as_deref(),
            request.description.as_deref(),
            session.today(),
        );
        if let Some(taken) = given.iter().find(|taken| {
            name::leading_number(taken).and_then(|n| n.parse::<u32>().ok())
                == name::leading_number(&folder).and_then(|n| n.parse().ok())
        }) {
            return Err(Error::bad_input(format!(
                "the number of `{folder}` is taken by `{taken}`{}",
                if names.contains(taken) { "" } else { ", which is in the archive" }
            ))
            .hint("leave the number out to get the next one"));
        }
        let path = format!("plans/{folder}/{folder}-plan.md");
        Created::write(session, "plan", folder, path, &text)
    }
}
