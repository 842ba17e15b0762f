//! `adr new`: a new decision record, with the next number.

use heirloom_core::Document;
use heirloom_core::adr::{self, Status};
use heirloom_store::{adrs, layout};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Created;
use crate::memory::{Pen, lifecycle};
use crate::setup::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec, inherit};

pub(super) struct AdrNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// What is decided, in a few words.
    title: String,
    /// The project it holds for; else the whole workspace.
    #[serde(default)]
    project: Option<String>,
    /// Its status; proposed unless you say otherwise.
    #[serde(default)]
    status: Option<Status>,
}

impl Operation for AdrNew {
    type Request = Request;
    type Response = Created;
    const SPEC: Spec = Spec {
        name: "adr_new",
        usage: "adr new <title>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a decision record with the next free number.",
    };

    fn run(session: &Session, request: Request) -> Result<Created, Error> {
        let root = session.root();
        let status = request.status.unwrap_or(Status::Proposed);
        if matches!(status, Status::Superseded | Status::Unknown) {
            return Err(Error::bad_input(format!("a new decision cannot be {status}"))
                .hint("create it, then use `heir adr supersede`"));
        }
        let title = scaffold::one_line("decision record", &request.title)?;
        let slug = scaffold::file_words("decision", &title);
        let mut pen = Pen::take(session, false)?;
        let folder = match &request.project {
            None => adrs::FOLDER.to_owned(),
            Some(typed) => {
                let projects = inherit::level(session.config()?, "project")?;
                adrs::project_folder(&layout::find_name(
                    root,
                    &projects,
                    &Default::default(),
                    typed,
                )?)
            }
        };
        let highest = adrs::highest_number(root, session.config()?, &folder);
        let id = format!("ADR-{:04}", highest + 1);
        let path = format!("{folder}/{id}-{slug}.md");
        let text = scaffold::adr(&id, &title, status.word(), session.today());
        if root.exists(&path) {
            return Err(Error::bad_input(format!("{path} is already there")));
        }
        pen.guard(&text).map_err(|error| error.hint("leave the secret out of the title"))?;
        pen.edit(&path, None, text.clone());
        if status == Status::Accepted {
            let adr = adr::read(&path, &text);
            let known = lifecycle::known_of(session, [&adr])?;
            let document = Document { path: path.clone(), ..Document::default() };
            lifecycle::ingest_adr(&mut pen, &known, &adr, &document, &[])?;
        }
        pen.finish()?;
        Ok(Created { what: "decision record", name: id, path })
    }
}
