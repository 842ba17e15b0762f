//! `memory promote`: copies an entry of an agent's memory into the memory of its plan.

use heirloom_core::memory::{
    self, Counters, EntryField, EntryKind, EntryMatch, MemoryEntry, NewEntry,
};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_new_entry;
use crate::memory::{MemoryQuery, WriteTransaction, lifecycle, unique_entry_id};
use crate::ops::answers::WrittenEntry;
use crate::recall::read_similar_to;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryPromote;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan.
    agent_id: String,
    /// Finding, decision or lesson: finding-3, or its id.
    entry: String,
    /// Remove it from the agent's memory instead of leaving it there with a link.
    #[serde(default, rename = "move")]
    moves: bool,
    /// Agents it affects.
    #[serde(default)]
    affects: Vec<String>,
}

impl Operation for MemoryPromote {
    type Request = Request;
    type Response = WrittenEntry;
    const SPEC: Spec = Spec {
        name: "memory_promote",
        usage: "memory promote <planId> <agentId> <entry>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Copy a finding, decision or lesson of an agent into the memory of its plan. The copy names the agent, and the two are linked.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenEntry, Error> {
        let mut transaction = WriteTransaction::begin(session, true)?;
        let agent = MemoryFile::open(session, &request.plan_id, Some(&request.agent_id))?;
        let plan = MemoryFile::open(session, &request.plan_id, None)?;
        let entry = agent.find(&request.entry)?;
        let ids = [entry.id.clone(), unique_entry_id(&entry.id, &agent.path)];
        let copy_ids = ids.map(|id| promoted_id(&id, &plan.path));
        check_can_promote(entry, &copy_ids, &plan)?;
        let known = MemoryQuery::new().new_entries(&plan.path, &copy_ids).read(session)?;
        let agent_document = known.edited_document(&agent, agent.text.clone().unwrap_or_default());
        let from = transaction.write_entry_id(&known, &agent_document, entry)?;
        let agent_name = agent.name().to_owned();
        let mut fields = entry.fields.clone();
        fields.insert(EntryField::FoundBy, agent_name.clone());
        if !request.affects.is_empty() {
            fields.insert(EntryField::Affects, request.affects.join(", "));
        }
        let to = promoted_id(&from, &plan.path);
        let mut marks =
            IndexMap::from_iter([("id".to_owned(), to.clone()), ("from".to_owned(), from.clone())]);
        if !fields.contains_key(&EntryField::Date) {
            // The copy keeps the date of the original.
            let date = entry.date().or_else(|| agent_document.date_to_keep(entry));
            marks.extend([memory::added_mark(date.unwrap_or_else(|| session.today()))]);
        }
        let new = NewEntry { kind: entry.kind, text: &entry.text, fields, resolved: false, marks };
        let (after, _) = memory::add(&plan.text_or_new(session)?, plan.owner, &new)
            .map_err(|refusal| plan.refused(&refusal))?;
        transaction.edit(&plan.path, plan.text.as_deref(), after.clone());
        transaction.link_to_copy(&agent_document, &from, &to, request.moves)?;
        let plan_document = known.edited_document(&plan, after);
        let EntryMatch::One(copy) = plan_document.content.find(&to) else {
            return Err(Error::system(format!("{}: the entry was not written", plan.path)));
        };
        let (_, fact) = lifecycle::ingest_entry(&mut transaction, &known, &plan_document, copy)?;
        let similar = read_similar_to(session, &copy.full_text())?;
        let contradictions =
            check_new_entry(&mut transaction, &similar, &plan_document, copy, fact);
        update_counters(session, &mut transaction, &plan, &agent)?;
        transaction.commit()?;
        Ok(WrittenEntry {
            done: if request.moves { "moved" } else { "promoted" },
            kind: copy.kind,
            name: copy.name(),
            id: to,
            text: copy.full_text(),
            source: plan.path.clone(),
            fact: fact.map(|id| id.to_string()),
            from: Some(format!("{} of {agent_name}", entry.name())),
            contradictions,
            notices: vec![],
        })
    }
}

/// Returns an error if the entry's kind is never promoted, or if the plan has a copy of it already. The mark of the
/// copy is missing if a merge brought the copy alone.
fn check_can_promote(
    entry: &MemoryEntry,
    copy_ids: &[String],
    plan: &MemoryFile,
) -> Result<(), Error> {
    if !matches!(entry.kind, EntryKind::Finding | EntryKind::Decision | EntryKind::Lesson) {
        return Err(Error::bad_input(format!(
            "{} is a {}; only findings, decisions and lessons can be promoted",
            entry.name(),
            entry.kind.as_str()
        )));
    }
    let copy = entry.marks.get("promoted").into_iter().chain(copy_ids).find_map(|id| {
        match plan.content.find(id) {
            EntryMatch::One(copy) => Some(copy),
            _ => None,
        }
    });
    if let Some(copy) = copy {
        return Err(Error::bad_input(format!(
            "{} was already promoted, as {} of {}",
            entry.name(),
            copy.name(),
            plan.path
        )));
    }
    Ok(())
}

/// Sets the date of both documents, and adds the agent to the contributors of the plan's.
fn update_counters(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    plan: &MemoryFile,
    agent: &MemoryFile,
) -> Result<(), Error> {
    let updated = Some(session.today());
    let agents = plan.agents(session);
    let contributor = Some(agent.name());
    let counters = Counters { updated, sessions: None, contributor, agents: &agents };
    transaction.update_counters(&plan.path, &counters)?;
    transaction.update_counters(&agent.path, &Counters { updated, ..Counters::default() })
}

/// Returns the id of the copy: derived from the original's id, but different from it.
fn promoted_id(from: &str, path: &str) -> String {
    heirloom_core::words::short_hash(&format!("promoted\n{from}\n{path}"))
}
