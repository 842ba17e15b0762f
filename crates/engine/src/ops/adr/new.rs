//! `adr new`: creates a decision record with the next free number.

use heirloom_core::adr::{self, Status};
use heirloom_core::record::Referent;
use heirloom_core::{Document, Hint};
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_stored;
use crate::memory::{WriteTransaction, lifecycle};
use crate::ops::answers::CreatedDocument;
use crate::workspace::inherit;
use crate::workspace::new_adr::AdrFolder;
use crate::workspace::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Title: the decision in a few words.
    title: String,
    /// Project it applies to; default: the whole workspace.
    #[serde(default)]
    project: Option<String>,
    /// Folder for the file; default: `.heirloom/adrs`, or the adopted folder of existing records.
    #[serde(default)]
    folder: Option<String>,
    /// Status; default: proposed.
    #[serde(default)]
    status: Option<Status>,
}

impl Operation for AdrNew {
    type Request = Request;
    type Response = CreatedDocument;
    const SPEC: Spec = Spec {
        name: "adr_new",
        usage: "adr new <title>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create a decision record with the next free number, in the style of the records beside it.",
    };

    fn run(session: &Session, request: Request) -> Result<CreatedDocument, Error> {
        let root = session.root();
        if let Some(status @ (Status::Superseded | Status::Unknown)) = request.status {
            return Err(Error::bad_input(format!("a new decision record cannot be {status}"))
                .hint(Hint::text("create it first, then use ").operation("adr_supersede")));
        }
        let title = scaffold::one_line("decision record", &request.title)?;
        let mut transaction = WriteTransaction::begin(session, false)?;
        let folder = match (&request.project, &request.folder) {
            (Some(_), Some(_)) => {
                return Err(Error::bad_input(
                    "the records of a project have a folder of their own",
                )
                .hint(Hint::text("use either ").field("folder").then(" or ").field("project")));
            }
            (None, folder) => AdrFolder::choose(session, folder.as_deref())?,
            (Some(input), None) => {
                let projects = inherit::level(session.config()?, "project")?;
                let project = layout::find_name(root, &projects, &Default::default(), input)?;
                AdrFolder::of_project(session, &project)?
            }
        };
        let (path, text) = folder.record(session, &title, request.status)?;
        if root.exists(&path) {
            return Err(Error::bad_input(format!("{path} already exists")));
        }
        transaction
            .reject_secret(&text)
            .map_err(|error| error.hint("remove the secret from the title"))?;
        transaction.edit(&path, None, text.clone());
        let mut stored = None;
        if request.status == Some(Status::Accepted) {
            let adr = adr::read(&path, &text);
            let known = lifecycle::read_ingested(session, [&adr])?;
            let document = Document { path: path.clone(), ..Document::default() };
            stored = lifecycle::ingest_adr(&mut transaction, &known, &adr, &document, &[])?;
        }
        transaction.commit()?;
        let stored: Vec<Referent> = stored.map(Referent::Record).into_iter().collect();
        let notes = check_stored(session, &stored);
        let name = adr::derive_id(&path).0;
        Ok(CreatedDocument { kind: "decision record", name, path, notes })
    }
}
