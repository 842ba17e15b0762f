//! `contradictions resolve`: says which of two memories holds.

use heirloom_core::Hint;
use heirloom_core::fold::{ContradictionState, Standing, StandingContradiction};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::record::{
    Body, Event, EventAction, Fact, FactSection, Origin, Record, Referent, Relation,
    RelationRecord, Resolution, ShortTexts, Visibility, short_id,
};
use heirloom_core::words::{normalise, short_hash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::find;
use crate::contradictions::{ContradictedMemory, check_new_record, show_contradicted};
use crate::memory::{
    MemoryQuery, MemorySlice, MemoryTarget, RunKind, WriteTransaction, write_relation,
};
use crate::ops::record::edit::unknown_fields;
use crate::recall::read_affected;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContradictionsResolve;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, or end of the id, of the contradiction.
    id: String,
    /// Which holds: a_wins or b_wins replaces the other memory, merged replaces both by the text, and both_valid says that
    /// there is no contradiction.
    resolution: Resolution,
    /// Why; if the memories are merged without a text, it is the text.
    #[serde(default)]
    note: Option<String>,
    /// Text of the fact that replaces both, if they are merged; the note by default.
    #[serde(default)]
    text: Option<String>,
    /// Store it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

/// How a contradiction was resolved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResolvedContradiction {
    /// Id of the contradiction.
    id: String,
    /// How it was resolved.
    resolution: Resolution,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution_note: Option<String>,
    /// Ids of the memories that hold now.
    holds: Vec<String>,
    /// Texts of the memories that hold now.
    texts: Vec<String>,
    /// Ids of the memories that were replaced.
    replaced: Vec<String>,
    /// Memories that the text contradicts which replaces both. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradictions: Vec<ContradictedMemory>,
    /// The number of the run, by which it can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u64>,
}

impl Operation for ContradictionsResolve {
    type Request = Request;
    type Response = ResolvedContradiction;
    const SPEC: Spec = Spec {
        name: "contradictions_resolve",
        usage: "contradictions resolve <id>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Resolve a contradiction: the memory that does not hold is superseded. `undo` takes it back.",
    };

    const PATHS: &[&str] = &["/contradictions/{id}/resolve"];

    fn run(session: &Session, request: Request) -> Result<ResolvedContradiction, Error> {
        let given = |text: &'_ Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (note, text) = (given(&request.note), given(&request.text));
        let text =
            text.or_else(|| note.clone().filter(|_| request.resolution == Resolution::Merged));
        let (note, text) = (note.as_deref(), text.as_deref());
        match (request.resolution, text) {
            (Resolution::Merged, None) => {
                return Err(Error::bad_input("merging needs the text that replaces both")
                    .hint(Hint::text("give it with ").field("text").then(" or ").field("note")));
            }
            (Resolution::Merged, Some(_)) | (_, None) => {}
            (other, Some(_)) => {
                let message = format!("{} takes no text", other.as_str());
                return Err(Error::bad_input(message).hint(
                    Hint::text("leave it out, or set ").field_set_to("resolution", "merged"),
                ));
            }
        }
        let transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let known = MemoryQuery::new().contradictions().read(session)?;
        let found = find(session, &known, &request.id)?;
        refuse_settled(&found, request.resolution)?;
        let mut resolving = Resolving {
            session,
            known: &known,
            transaction,
            note: note.unwrap_or_default(),
            contradictions: vec![],
        };
        let [a, b] = found.memories.clone();
        let (holds, replaced) = match (request.resolution, text) {
            (Resolution::AWins, _) => (vec![resolving.replace(&a, &b)?], vec![b]),
            (Resolution::BWins, _) => (vec![resolving.replace(&b, &a)?], vec![a]),
            (Resolution::Merged, text) => {
                let merged = resolving.merge(&a, &b, text.unwrap_or_default())?;
                (vec![merged], vec![a, b])
            }
            (Resolution::BothValid, _) => (vec![(a, None), (b, None)], vec![]),
        };
        resolving.write_resolution(&found, request.resolution)?;
        let Resolving { transaction, contradictions, .. } = resolving;
        let run = transaction.commit_as_run(RunKind::Resolution)?;
        let text_of = |(id, text): &(Referent, Option<String>)| match text {
            Some(text) => text.clone(),
            None => known.item(id).map(|item| item.text).unwrap_or_default(),
        };
        Ok(ResolvedContradiction {
            id: found.id.clone(),
            resolution: request.resolution,
            resolution_note: note.map(str::to_owned),
            texts: holds.iter().map(text_of).collect(),
            holds: holds.iter().map(|(id, _)| id_of(id)).collect(),
            replaced: replaced.iter().map(id_of).collect(),
            contradictions,
            run,
        })
    }
}

/// Returns the id of a memory as people type it.
fn id_of(memory: &Referent) -> String {
    memory.entry_id().map_or_else(|| memory.to_string(), str::to_owned)
}

/// Refuses to resolve what is resolved or closed. What was said to be no contradiction may be decided otherwise.
fn refuse_settled(found: &StandingContradiction<'_>, resolution: Resolution) -> Result<(), Error> {
    let id = short_id(&found.id);
    match found.state {
        ContradictionState::Open => Ok(()),
        ContradictionState::Resolved
            if found.is_dismissed() && resolution != Resolution::BothValid =>
        {
            Ok(())
        }
        ContradictionState::Resolved => {
            let words: Vec<&str> = found.resolutions.iter().map(|(_, it)| it.as_str()).collect();
            Err(Error::bad_input(format!("`{id}` was resolved already: {}", words.join(", ")))
                .hint(Hint::default().operation("undo").then(" takes a resolution back")))
        }
        ContradictionState::Closed => {
            let message = format!("`{id}` is closed: one of its memories was retired or reworded");
            Err(Error::bad_input(message))
        }
    }
}

struct Resolving<'s> {
    session: &'s Session,
    known: &'s MemorySlice,
    transaction: WriteTransaction<'s>,
    note: &'s str,
    /// What the memory contradicts that replaces both.
    contradictions: Vec<ContradictedMemory>,
}

impl Resolving<'_> {
    /// Lets one memory replace the other. A fact gets a version that supersedes it. An entry stays where it is written: the
    /// other memory is archived, and related to the entry. A private memory that does not hold is archived alone: a version
    /// of a shared fact that names it would be private, too. Returns the memory that holds.
    fn replace(
        &mut self,
        winner: &Referent,
        loser: &Referent,
    ) -> Result<(Referent, Option<String>), Error> {
        let losers = self.names_of(loser)?;
        let reason = match self.note {
            "" => format!("it contradicts {}, which holds", winner.short()),
            note => format!("it contradicts {}, which holds: {note}", winner.short()),
        };
        if losers.iter().any(|it| self.known.is_local(it)) && !self.known.is_local(winner) {
            self.transaction.write_local_event(EventAction::Archive, losers, &reason)?;
            return Ok((winner.clone(), None));
        }
        let Some(item) = winner.record_id().and_then(|id| self.known.memory.item(id)) else {
            let winner = self.names_of(winner)?.remove(0);
            let archive = EventAction::Archive;
            self.transaction.write_event(self.known, archive, losers, vec![], &reason)?;
            let relation = RelationRecord {
                from: winner.clone(),
                to: loser.clone(),
                relation: Relation::Replaces,
                content: self.note.to_owned(),
            };
            write_relation(&mut self.transaction, self.known, relation)?;
            return Ok((winner, None));
        };
        let unknown = unknown_fields(self.session, item.place, item.record);
        let old = item.record.clone();
        let new = self.transaction.new_record(old.body.clone());
        let aliases = self.known.memory.aliases(item.id).into_iter().map(Referent::Record);
        let mut supersedes: Vec<Referent> = aliases.chain(losers).collect();
        supersedes.sort();
        supersedes.dedup();
        let names: String = supersedes.iter().map(Referent::to_string).collect();
        let record = Record {
            id: new.id,
            at: new.at,
            by: new.by,
            origin: old.origin.as_ref().map(|origin| origin.version(&short_hash(&names))),
            supersedes,
            ..old
        };
        self.transaction.write_with(self.known, &record, unknown)?;
        Ok((winner.clone(), None))
    }

    /// Replaces both memories by a new fact.
    fn merge(
        &mut self,
        a: &Referent,
        b: &Referent,
        text: &str,
    ) -> Result<(Referent, Option<String>), Error> {
        let record_of =
            |memory: &Referent| Some(self.known.memory.item(memory.record_id()?)?.record);
        let records: Vec<&Record> = [a, b].into_iter().filter_map(record_of).collect();
        let facts: Vec<&Fact> = records
            .iter()
            .filter_map(|record| match &record.body {
                Body::Fact(fact) => Some(fact),
                _ => None,
            })
            .collect();
        let same = |field: fn(&Fact) -> &Option<String>| match facts.as_slice() {
            [a, b] if field(a) == field(b) => field(a).clone(),
            _ => None,
        };
        let fact = Fact {
            section: facts.first().map_or(FactSection::Decisions, |fact| fact.section),
            content: text.to_owned(),
            key: same(|fact| &fact.key),
            value: None,
            scope: same(|fact| &fact.scope).or_else(|| self.common_place(a, b)),
        };
        let union = |list: fn(&Record) -> &[String]| {
            let mut all: Vec<String> = Vec::new();
            for item in records.iter().flat_map(|record| list(record)) {
                if !all.contains(item) {
                    all.push(item.clone());
                }
            }
            all
        };
        let is_private = [a, b].into_iter().any(|memory| self.known.is_local(memory));
        let mut record = Record {
            tags: union(|record| &record.tags),
            artifacts: union(|record| &record.artifacts),
            visibility: if is_private { Visibility::Private } else { Visibility::Shared },
            levels: ShortTexts::default(),
            ..self.transaction.new_record(Body::Fact(fact))
        };
        let mut supersedes = self.names_of(a)?;
        supersedes.extend(self.names_of(b)?);
        supersedes.sort();
        supersedes.dedup();
        record.supersedes = supersedes;
        let similar = read_affected(self.session, &record, &[])?;
        let id = self.transaction.write(self.known, &record)?;
        self.contradictions = check_new_record(&mut self.transaction, &similar, &record);
        Ok((id.into(), Some(text.to_owned())))
    }

    /// Returns the name of the plan, agent or other scope for which two memories hold, if it is the same: what replaces them
    /// is a fact, which belongs to no document.
    fn common_place(&self, a: &Referent, b: &Referent) -> Option<String> {
        let today = self.session.today();
        let [a, b] = [a, b].map(|memory| self.known.comparable(memory, today));
        let (a, b) = (a?.selectors, b?.selectors);
        let common = a.iter().zip(b.iter()).take_while(|(one, other)| one == other);
        common.last().map(|((_, name), _)| name.clone())
    }

    /// Returns what the log refers to a memory by: all records that say the same, or the entry. Of a fact that was made of
    /// an entry, the entry is one of the names as long as it says the same.
    fn names_of(&mut self, memory: &Referent) -> Result<Vec<Referent>, Error> {
        let mut names = self.own_names_of(memory)?;
        let records: Vec<&Record> =
            names.iter().filter_map(|name| self.known.memory.record(name.record_id()?)).collect();
        let says_same = |entry: &MemoryEntry| {
            let referent = Referent::entry(&entry.id);
            self.known.memory.standing(&referent) == Standing::Active
                && records.iter().any(|record| {
                    record.origin.as_ref().and_then(Origin::referred_entry)
                        == Some(referent.clone())
                        && normalise(&record.text()) == normalise(&entry.full_text())
                })
        };
        let entries = self.known.entries().filter(|(_, entry)| says_same(entry));
        let entries: Vec<Referent> = entries.map(|(_, entry)| Referent::entry(&entry.id)).collect();
        names.extend(entries);
        Ok(names)
    }

    fn own_names_of(&mut self, memory: &Referent) -> Result<Vec<Referent>, Error> {
        let target = match memory {
            Referent::Record(id) => MemoryTarget::Record(*id),
            other => {
                let mut entries = self.known.entries();
                let found = entries.find(|(_, entry)| other.entry_id() == Some(&entry.id));
                let (document, entry) = found.ok_or_else(|| {
                    Error::not_found(format!("the entry {} is gone", other.short()), vec![])
                })?;
                MemoryTarget::Entry(document, entry)
            }
        };
        self.transaction.referents_of(self.known, target)
    }

    /// Writes the event that resolves a contradiction. An earlier one that said that both hold is undone.
    fn write_resolution(
        &mut self,
        found: &StandingContradiction<'_>,
        resolution: Resolution,
    ) -> Result<(), Error> {
        let earlier: Vec<Referent> =
            found.resolutions.iter().map(|(event, _)| Referent::Record(*event)).collect();
        if !earlier.is_empty() {
            let (action, reason) = (EventAction::Unresolve, "it was decided otherwise");
            self.transaction.write_event(self.known, action, vec![], earlier, reason)?;
        }
        let targets = found.records.iter().copied().map(Referent::Record).collect();
        let event = Event {
            reason: self.note.to_owned(),
            resolution: Some(resolution),
            ..Event::new(EventAction::Resolve, targets)
        };
        let record = self.transaction.new_record(Body::Event(event));
        self.transaction.write(self.known, &record).map(drop)
    }
}

impl Answer for ResolvedContradiction {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "resolved "),
            span(Role::Key, short_id(&self.id)),
            format!("  {}", self.resolution.as_str()).into(),
        ]);
        for (id, text) in self.holds.iter().zip(&self.texts) {
            view.line([
                span(Role::Dim, "   holds "),
                span(Role::Key, short_id(id)),
                format!("  {}", present::opening(text)).into(),
            ]);
        }
        for id in &self.replaced {
            view.line([span(Role::Dim, format!("   replaced {}", short_id(id)))]);
        }
        show_contradicted(&mut view, &self.contradictions);
        if let Some(run) = self.run {
            let hint = Hint::text(format!("   run {run}; undo it with ")).operation("undo");
            view.line([span(Role::Dim, hint)]);
        }
        view
    }
}
