//! `cold accept`: stores proposals as memories.

use std::collections::BTreeMap;

use heirloom_core::Hint;
use heirloom_core::day;
use heirloom_core::fold::Standing;
use heirloom_core::instruction::EXTRACTED_TAG;
use heirloom_core::recall::{ComponentKey, component_keys};
use heirloom_core::record::{Body, Fact, FactSection, Record, Referent, Visibility, short_id};
use heirloom_core::transcript::extraction::ProposalKind;
use heirloom_core::words;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::proposals::{Decision, PendingProposal, StoredProposals, find, record_of, settle_known};
use crate::memory::{MemoryQuery, MemorySlice, MemoryTarget, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::work_session::{latest_episodes, replaced_by_episode};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdAccept;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of proposals, or ends of ids.
    #[serde(default)]
    ids: Vec<String>,
    /// Accept all pending proposals.
    #[serde(default)]
    all: bool,
    /// With all: only those that are at least as likely worth remembering, from 0 to 1.
    #[serde(default)]
    min_confidence: Option<f64>,
    /// With all: only these kinds.
    #[serde(default)]
    kinds: Vec<ProposalKind>,
    /// Texts to store in place of those of the transcript, by the ids of the proposals.
    #[serde(default)]
    texts: BTreeMap<String, String>,
    /// Section of the facts; default: by the kind of the proposal.
    #[serde(default)]
    section: Option<FactSection>,
    /// Tags to find them by, besides the kind of the proposal.
    #[serde(default)]
    tags: Vec<String>,
    /// Keep them on this machine and out of git.
    #[serde(default)]
    private: bool,
    /// Store them even if they look like secrets.
    #[serde(default)]
    allow_secret: bool,
}

impl Operation for ColdAccept {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "cold_accept",
        usage: "cold accept [ids]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store proposals from transcripts as memories: instructions, preferences, facts, decisions and lessons as facts, episodes as episodes. All are stored, or none; what a proposal changes is superseded.",
    };

    const ALIASES: &[(&str, &str)] = &[("kind", "kinds"), ("id", "ids")];

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let (accepted, _) = StoredProposals::update(session, |stored| {
            settle_known(session, stored);
            let (proposals, mut notes) = select(stored, &request)?;
            let written = write_all(session, &mut transaction, stored, &proposals, &request)?;
            notes.extend(written.notes);
            Ok((written.records, notes))
        })?;
        let (records, notes) = accepted;
        transaction.commit()?;
        // A process that ends here has stored the records, by whose origins the next request knows that the proposals
        // were accepted.
        StoredProposals::update(session, |stored| {
            for (id, text, record) in &records {
                stored.decide(id, |mut proposal| {
                    proposal.text.clone_from(text);
                    Decision::accepted(proposal, *record)
                });
            }
            Ok(())
        })?;
        let mut referents: Vec<Referent> =
            records.into_iter().map(|(_, _, record)| Referent::Record(record)).collect();
        referents.dedup();
        let known = MemoryQuery::new().referents(referents.clone()).read(session)?;
        Ok(ChangedItems {
            done: "stored",
            items: known.describe(&referents, Standing::Active),
            notes,
        })
    }
}

/// Returns the proposals that a request accepts, and remarks on ids that need none.
fn select(
    stored: &StoredProposals,
    request: &Request,
) -> Result<(Vec<PendingProposal>, Vec<String>), Error> {
    let mut notes = vec![];
    let typed = request.ids.iter().chain(request.texts.keys());
    let mut open = vec![];
    for id in typed {
        match accepted_as(stored, id) {
            Some(record) => {
                let short = short_id(&record).to_owned();
                notes.push(format!("{id} was accepted already, as {short}"));
            }
            None => open.push(id.clone()),
        }
    }
    let mut found: Vec<PendingProposal> = find(stored, &open)?.into_iter().cloned().collect();
    let is_wanted = |proposal: &&PendingProposal| {
        request.min_confidence.is_none_or(|min| proposal.confidence >= min)
            && (request.kinds.is_empty() || request.kinds.contains(&proposal.kind))
    };
    if request.all {
        found.extend(stored.pending.iter().filter(is_wanted).cloned());
    } else if found.is_empty() && notes.is_empty() {
        return Err(Error::bad_input("no proposal is named")
            .hint(Hint::text("give ids, or accept all with ").field_set_to("all", true)));
    }
    // The order in which they were said, so that a successor comes after what it replaces.
    let position = |id: &str| stored.pending.iter().position(|proposal| proposal.id == id);
    found.sort_by_key(|proposal| position(&proposal.id));
    found.dedup_by(|a, b| a.id == b.id);
    Ok((found, notes))
}

/// Returns the id of the record that a typed id was accepted as.
fn accepted_as(stored: &StoredProposals, typed: &str) -> Option<String> {
    let wanted = typed.trim().to_lowercase();
    let is_pending = stored.pending.iter().any(|proposal| proposal.id.ends_with(&wanted));
    let found = stored.decided.iter().find(|(id, _)| id.ends_with(&wanted));
    match found.filter(|_| !is_pending && wanted.len() >= 4) {
        Some((_, Decision::Accepted { record, .. })) => Some(record.to_string()),
        _ => None,
    }
}

/// What a transaction writes.
struct Written {
    /// The id of each proposal with its text and its record.
    records: Vec<(String, String, Uuid)>,
    notes: Vec<String>,
}

fn write_all(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    stored: &StoredProposals,
    proposals: &[PendingProposal],
    request: &Request,
) -> Result<Written, Error> {
    let mut records: Vec<(&PendingProposal, Record)> = vec![];
    for proposal in proposals {
        let text = edited_text(proposal, &request.texts)?;
        records.push((proposal, new_record(transaction, proposal, text, request)));
    }
    let known = read_affected(session, stored, &records)?;
    let mut written = Written { records: vec![], notes: vec![] };
    for (proposal, mut record) in records {
        let text = record.text().into_owned();
        if let Some(existing) = record_of(&known, proposal) {
            written.records.push((proposal.id.clone(), text, existing.id));
            continue;
        }
        if proposal.episode.is_some() {
            replace_earlier_episode(&known, &mut record);
        } else if let Some(replaced) = &proposal.replaces {
            record.supersedes = superseded(transaction, &known, stored, &written, &replaced.id)?;
        }
        let same = transaction.reinforce_equal(&known, &record)?;
        if let Some(same) = same.filter(|same| same.standing == Standing::Active) {
            let short = short_id(&same.id.to_string()).to_owned();
            written.notes.push(format!("{} is known already, as {short}", short_id(&proposal.id)));
            written.records.push((proposal.id.clone(), text, same.id));
            continue;
        }
        let refused = |error: Error| Error {
            message: format!(
                "{} ({}): {}",
                short_id(&proposal.id),
                proposal.source(),
                error.message
            ),
            ..error
        };
        transaction.write(&known, &record).map_err(refused)?;
        written.records.push((proposal.id.clone(), text, record.id));
    }
    Ok(written)
}

/// Returns the text of a proposal that the request gives in place of that of the transcript.
fn edited_text<'t>(
    proposal: &'t PendingProposal,
    texts: &'t BTreeMap<String, String>,
) -> Result<&'t str, Error> {
    let edited = texts
        .iter()
        .find(|(id, _)| !id.trim().is_empty() && proposal.id.ends_with(&id.trim().to_lowercase()));
    match edited {
        Some((id, text)) if text.trim().is_empty() => {
            Err(Error::bad_input(format!("the text of {id} is empty"))
                .hint(Hint::text("to leave it out, use ").operation("cold_drop")))
        }
        Some((_, text)) => Ok(text.trim()),
        None => Ok(&proposal.text),
    }
}

fn new_record(
    transaction: &WriteTransaction<'_>,
    proposal: &PendingProposal,
    text: &str,
    request: &Request,
) -> Record {
    let body = match &proposal.episode {
        Some(episode) => {
            let mut episode = episode.clone();
            if text != proposal.text {
                let (title, content) = text.split_once('\n').unwrap_or((text, ""));
                title.trim().clone_into(&mut episode.title);
                content.trim().clone_into(&mut episode.content);
            }
            Body::Episode(episode)
        }
        None => Body::Fact(Fact {
            section: request.section.unwrap_or_else(|| section_of(proposal.kind)),
            content: text.to_owned(),
            key: None,
            value: None,
            scope: None,
        }),
    };
    let is_fact = proposal.episode.is_none();
    let mut record = transaction.new_record(body);
    record.tags = vec![EXTRACTED_TAG.to_owned()];
    if is_fact && proposal.kind != ProposalKind::Fact {
        record.tags.insert(0, proposal.kind.as_str().to_owned());
    }
    record.tags.extend(request.tags.iter().map(|tag| tag.trim().to_owned()));
    record.confidence = is_fact.then_some(proposal.confidence);
    record.source = Some(format!("transcript {}", shared_source(proposal)));
    record.origin = Some(proposal.origin());
    record.valid_from = proposal.at.filter(|_| is_fact).map(day::of_timestamp);
    if request.private {
        record.visibility = Visibility::Private;
    }
    record
}

/// Returns the place of a proposal for a memory that others read: of a file outside of the workspace, the name alone,
/// since its folder names the user.
fn shared_source(proposal: &PendingProposal) -> String {
    let source = proposal.source();
    let is_outside = source.starts_with(['/', '~', '\\']) || source.get(1..2) == Some(":");
    match is_outside {
        true => source.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        false => source,
    }
}

const fn section_of(kind: ProposalKind) -> FactSection {
    match kind {
        ProposalKind::Instruction | ProposalKind::Preference => FactSection::Patterns,
        ProposalKind::Decision => FactSection::Decisions,
        ProposalKind::Lesson => FactSection::KnownIssues,
        ProposalKind::Fact | ProposalKind::Episode => FactSection::Architecture,
    }
}

/// Reads the part of memory that new records affect: what says the same, has the same origin, or is replaced.
fn read_affected(
    session: &Session,
    stored: &StoredProposals,
    records: &[(&PendingProposal, Record)],
) -> Result<MemorySlice, Error> {
    let keys = records.iter().flat_map(|(_, record)| component_keys(record));
    let replaced = records.iter().filter_map(|(proposal, _)| proposal.replaces.as_ref());
    let replaced = replaced.filter_map(|replaced| match stored.decided.get(&replaced.id) {
        Some(Decision::Accepted { record, .. }) => Some(Referent::Record(*record)),
        _ => None,
    });
    let keys: Vec<ComponentKey<'static>> = keys.map(ComponentKey::into_owned).collect();
    MemoryQuery::new().keys(keys).referents(replaced.collect::<Vec<_>>()).read(session)
}

/// Returns the names of the record that a proposal replaces, if the earlier statement was accepted, also in the same
/// transaction.
fn superseded(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    stored: &StoredProposals,
    written: &Written,
    replaced: &str,
) -> Result<Vec<Referent>, Error> {
    if let Some((_, _, record)) = written.records.iter().find(|(id, _, _)| id == replaced) {
        return Ok(vec![Referent::Record(*record)]);
    }
    match stored.decided.get(replaced) {
        Some(Decision::Accepted { record, .. }) if known.memory.record(*record).is_some() => {
            transaction.referents_of(known, MemoryTarget::Record(*record))
        }
        _ => Ok(vec![]),
    }
}

/// Lets an episode of a conversation that has gone on replace the earlier one.
fn replace_earlier_episode(known: &MemorySlice, record: &mut Record) {
    let Some(origin) = record.origin.clone() else { return };
    let earlier = latest_episodes(known, &origin);
    if earlier.is_empty() {
        return;
    }
    let Body::Episode(episode) = &mut record.body else { return };
    for (_, earlier) in &earlier {
        episode.add_work_of(earlier);
    }
    let hash = words::short_hash(&format!("{episode:?}"));
    record.origin = Some(origin.version(&hash));
    record.supersedes = replaced_by_episode(known, earlier.iter().map(|(record, _)| *record));
}
