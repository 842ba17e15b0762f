//! `memory promote`: hands what an agent found or decided to every agent of its plan.

use heirloom_core::memory::{self, Counters, EntryKind, Field, NewEntry, Which};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryQuery, WriteTransaction, lifecycle, unique_entry_id};
use crate::ops::answers::Kept;
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
    /// The finding, decision or lesson: finding-3, or its id.
    entry: String,
    /// Take it out of the agent's memory, instead of leaving it there with a link.
    #[serde(default, rename = "move")]
    moves: bool,
    /// Agents that it concerns.
    #[serde(default)]
    affects: Vec<String>,
}

impl Operation for MemoryPromote {
    type Request = Request;
    type Response = Kept;
    const SPEC: Spec = Spec {
        name: "memory_promote",
        usage: "memory promote <planId> <agentId> <entry>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Copy a finding or decision of an agent into its plan's memory, with who found it; the two are linked.",
    };

    fn run(session: &Session, request: Request) -> Result<Kept, Error> {
        let mut transaction = WriteTransaction::begin(session, true)?;
        let agent = MemoryFile::open(session, &request.plan_id, Some(&request.agent_id))?;
        let plan = MemoryFile::open(session, &request.plan_id, None)?;
        let entry = agent.find(&request.entry)?;
        if !matches!(entry.kind, EntryKind::Finding | EntryKind::Decision | EntryKind::Lesson) {
            return Err(Error::bad_input(format!(
                "{} is a {}; findings, decisions and lessons are promoted",
                entry.name(),
                entry.kind.word()
            )));
        }
        if let Some(there) = entry.marks.get("promoted")
            && let Which::One(own) = plan.notebook.find(there)
        {
            return Err(Error::bad_input(format!(
                "{} was promoted already, as {} of {}",
                entry.name(),
                own.name(),
                plan.path
            )));
        }
        let ids = [entry.id.clone(), unique_entry_id(&entry.id, &agent.path)];
        let promoted = ids.map(|id| promoted_id(&id, &plan.path));
        let known = MemoryQuery::new().new_entries(&plan.path, &promoted).read(session)?;
        let agent_noted = known.with_edit(&agent, agent.text.clone().unwrap_or_default());
        let from = transaction.mark(&known, &agent_noted, entry)?;
        let who = agent.agent.clone().unwrap_or_default();
        let mut fields = entry.fields.clone();
        fields.insert(Field::FoundBy, who.clone());
        if !request.affects.is_empty() {
            fields.insert(Field::Affects, request.affects.join(", "));
        }
        let mut marks = IndexMap::from_iter([
            ("id".to_owned(), promoted_id(&from, &plan.path)),
            ("from".to_owned(), from.clone()),
        ]);
        if !fields.contains_key(&Field::Date) {
            // The copy is as old as the entry: it was learnt then, not when it was handed on.
            let found = entry.own_date().or_else(|| agent_noted.date_to_keep(entry));
            marks.extend([memory::added_mark(found.unwrap_or_else(|| session.today()))]);
        }
        let to = marks["id"].clone();
        let new = NewEntry { kind: entry.kind, text: &entry.text, fields, resolved: false, marks };
        let (after, _) = memory::add(&plan.text_or_new(session)?, plan.owner, &new)
            .map_err(|refusal| plan.refused(&refusal))?;
        transaction.edit(&plan.path, plan.text.as_deref(), after.clone());
        link_back(&mut transaction, &agent, &from, &to, request.moves)?;
        let plan_noted = known.with_edit(&plan, after);
        let Which::One(written) = plan_noted.notebook.find(&to) else {
            return Err(Error::system(format!("{}: the entry was not written", plan.path)));
        };
        let (_, fact) = lifecycle::ingest_entry(&mut transaction, &known, &plan_noted, written)?;
        let today = Some(session.today());
        let agents = plan.agents(session);
        let contributor = Some(who.as_str());
        let counters = Counters { updated: today, sessions: None, contributor, agents: &agents };
        transaction.count(&plan.path, &counters)?;
        transaction.count(&agent.path, &Counters { updated: today, ..Counters::default() })?;
        transaction.commit()?;
        Ok(Kept {
            done: if request.moves { "moved" } else { "promoted" },
            kind: written.kind,
            name: written.name(),
            id: to,
            text: written.sentence(),
            source: plan.path.clone(),
            fact: fact.map(|id| id.to_string()),
            from: Some(format!("{} of {who}", entry.name())),
        })
    }
}

/// The id of the copy: always the same for one entry, and another than its own.
fn promoted_id(from: &str, path: &str) -> String {
    heirloom_core::words::digest(&format!("promoted\n{from}\n{path}"))
}

/// Links the agent's entry to the plan's, or takes it out.
fn link_back(
    transaction: &mut WriteTransaction<'_>,
    agent: &MemoryFile,
    from: &str,
    to: &str,
    moves: bool,
) -> Result<(), Error> {
    let now =
        transaction.text_of(&agent.path, agent.text.as_deref().unwrap_or_default()).to_owned();
    let notebook = memory::read(&agent.path, &now);
    let Which::One(entry) = notebook.find(from) else {
        return Err(Error::system(format!("{}: {from} is not there once", agent.path)));
    };
    let after = if moves {
        memory::remove(&now, entry)
    } else {
        let marks = IndexMap::from_iter([("promoted".to_owned(), to.to_owned())]);
        memory::mark(&now, entry, &marks)
    };
    transaction.edit(
        &agent.path,
        agent.text.as_deref(),
        after.map_err(|refusal| agent.refused(&refusal))?,
    );
    Ok(())
}
