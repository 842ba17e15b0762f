//! `used`: counts that memories were useful.

use heirloom_core::record::Referent;
use heirloom_core::usage::UsageEvent;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryItem, MemoryQuery};
use crate::ops::answers::ChangedItems;
use crate::ops::recall::expand::expand;
use crate::signals::CurrentSignals;
use crate::usage::{append_events, append_times, append_used_with};
use crate::workspace::typed_path::checked_path_in_workspace;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryUsed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of memories that were useful; documents by name or path.
    ids: Vec<String>,

    /// Files that were open meanwhile; by default those of the signals. The memories are predicted when one is open again.
    #[serde(default)]
    file: Vec<String>,
}

impl Operation for MemoryUsed {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_used",
        usage: "used <ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Count that memories were useful, so that contexts show them sooner. The end of a session counts it by itself from the conversation.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        if request.ids.is_empty() {
            return Err(Error::bad_input("no id is given"));
        }
        let files: Vec<String> = match request.file.is_empty() {
            true => CurrentSignals::read(session).files.into_iter().map(|it| it.value).collect(),
            false => {
                let paths =
                    request.file.iter().map(|it| checked_path_in_workspace(session.root(), it));
                paths.collect::<Result<_, Error>>()?
            }
        };
        let known = MemoryQuery::new().ids(&request.ids).read(session)?;
        let mut items: Vec<MemoryItem> = Vec::new();
        for typed in request.ids.iter().map(|typed| typed.trim()) {
            for details in expand(session, &known, typed)? {
                if let Some(workspace) = details.workspace {
                    let message = format!("`{typed}` is a memory of the workspace {workspace}");
                    return Err(Error::bad_input(message).hint("count it in that workspace"));
                }
                if items.iter().all(|item| item.referent != details.item.referent) {
                    items.push(details.item);
                }
            }
        }
        let cited: Vec<(&Referent, usize)> = items.iter().map(|item| (&item.referent, 0)).collect();
        append_events(session, &[(UsageEvent::Cited, cited)])?;
        let used: Vec<&Referent> = items.iter().map(|item| &item.referent).collect();
        append_used_with(session, &files, &used)?;
        append_times(session, used.into_iter().map(|memory| (memory, session.now())))?;
        Ok(ChangedItems { done: "counted as used", items, notes: vec![] })
    }
}
