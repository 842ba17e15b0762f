//! `cold accept`: stores proposals as memories.

mod rules;
mod written;

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
use serde::{Deserialize, Serialize};

use self::written::{
    AcceptedProposal, RuleStatement, Written, edited_text, refused, replaced_records, superseded,
};
use super::proposals::{
    Decision, PendingProposal, StoredProposals, find_each, is_meant, record_of, settle_known,
};
use crate::contradictions::check_stored;
use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::view::{Role, View, span};
use crate::work_session::{latest_episodes, replaced_by_episode};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

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
    /// Where instructions and preferences go.
    #[serde(default)]
    to: Destination,
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

/// Where accepted instructions and preferences go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Destination {
    /// Facts, which contexts have where they concern the task.
    #[default]
    Facts,
    /// Hot memory: the rules that every conversation loads, within their budgets.
    Hot,
}

/// What was accepted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AcceptedProposals {
    #[serde(flatten)]
    stored: ChangedItems,
    /// Statements that were added to the rules that every conversation loads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleStatement>,
}

impl Operation for ColdAccept {
    type Request = Request;
    type Response = AcceptedProposals;
    const SPEC: Spec = Spec {
        name: "cold_accept",
        usage: "cold accept [ids]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store proposals from transcripts as memories: instructions, preferences, facts, decisions and lessons as facts, episodes as episodes. Instructions and preferences can go to the rules of hot memory instead. All are stored, or none; what a proposal changes is superseded.",
    };

    const ALIASES: &[(&str, &str)] = &[("kind", "kinds"), ("id", "ids")];

    fn run(session: &Session, request: Request) -> Result<AcceptedProposals, Error> {
        if request.private && request.to == Destination::Hot {
            let message = "what stays on this machine cannot go to the rules, which are in git";
            let hint = Hint::text("leave out ").field("private").then(" or ").field("to");
            return Err(Error::bad_input(message).hint(hint));
        }
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let (done, damage) = StoredProposals::update(session, |stored| {
            settle_known(session, stored)?;
            let (proposals, mut notes) = select(stored, &request)?;
            let (hot, others): (Vec<_>, Vec<_>) =
                proposals.into_iter().partition(|proposal| goes_to_rules(proposal, &request));
            if request.to == Destination::Hot && !request.all {
                notes.extend(others.iter().map(|proposal| {
                    let id = short_id(&proposal.id);
                    format!("{id}: only instructions and preferences go to the rules")
                }));
            }
            let mut written = Written { notes, ..Written::default() };
            rules::add(session, &mut transaction, stored, &hot, &request.texts, &mut written)?;
            write_all(session, &mut transaction, stored, &others, &request, &mut written)?;
            Ok(written)
        })?;
        let Written { accepted, rules, mut notes } = done;
        notes.extend(damage.map(|problem| problem.to_string()));
        transaction.commit()?;
        // A process that ends here has stored the records and rules, by whose origins and texts the next request knows
        // that the proposals were accepted.
        StoredProposals::update(session, |stored| {
            for AcceptedProposal { id, text, record } in &accepted {
                stored.decide(id, |mut proposal| {
                    proposal.text.clone_from(text);
                    Decision::accepted(proposal, *record)
                });
            }
            Ok(())
        })?;
        let records = accepted.into_iter().filter_map(|accepted| accepted.record);
        let mut referents: Vec<Referent> = records.map(Referent::Record).collect();
        referents.dedup();
        notes.extend(check_stored(session, &referents));
        let known = MemoryQuery::new().referents(referents.clone()).read(session)?;
        let items = known.describe(&referents, Standing::Active);
        Ok(AcceptedProposals { stored: ChangedItems { done: "stored", items, notes }, rules })
    }
}

impl Answer for AcceptedProposals {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.rules.is_empty() {
            view.append(self.stored.view());
            return view;
        }
        view.line([span(Role::Good, "added to the rules that every conversation loads")]);
        for RuleStatement { path, line, text } in &self.rules {
            let source = span(Role::Source, format!("{path}:{line}"));
            view.line([source, "  ".into(), span(Role::Value, text)]);
        }
        if !self.stored.items.is_empty() {
            view.append(self.stored.view());
            return view;
        }
        for note in &self.stored.notes {
            view.line([span(Role::Dim, note)]);
        }
        view
    }
}

/// Returns whether a proposal becomes a statement of a rule.
fn goes_to_rules(proposal: &PendingProposal, request: &Request) -> bool {
    request.to == Destination::Hot && proposal.kind.is_standing()
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
            Some(accepted) => notes.push(format!("{id} was accepted already, as {accepted}")),
            None => open.push(id.clone()),
        }
    }
    let found = find_each(&open, |typed| stored.find(typed))?;
    let mut found: Vec<PendingProposal> = found.into_iter().cloned().collect();
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

/// Returns what a typed id was accepted as: the short id of a record, or a rule.
fn accepted_as(stored: &StoredProposals, typed: &str) -> Option<String> {
    let is_pending = stored.pending.iter().any(|proposal| is_meant(typed, &proposal.id));
    let found = stored.decided.iter().find(|(id, _)| is_meant(typed, id));
    match found.filter(|_| !is_pending) {
        Some((_, Decision::Accepted { record: Some(record), .. })) => {
            Some(short_id(&record.to_string()).to_owned())
        }
        Some((_, Decision::Accepted { record: None, .. })) => Some("a rule".to_owned()),
        _ => None,
    }
}

fn write_all(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    stored: &StoredProposals,
    proposals: &[PendingProposal],
    request: &Request,
    written: &mut Written,
) -> Result<(), Error> {
    let mut records: Vec<(&PendingProposal, Record)> = vec![];
    for proposal in proposals {
        let text = edited_text(proposal, &request.texts)?;
        records.push((proposal, new_record(transaction, proposal, text, request)));
    }
    let known = read_affected(session, stored, &records)?;
    for (proposal, mut record) in records {
        let text = record.text().into_owned();
        if let Some(existing) = record_of(&known, proposal) {
            written.accept(proposal, text, Some(existing.id));
            continue;
        }
        if proposal.episode.is_some() {
            replace_earlier_episode(&known, &mut record);
        } else if let Some(replaced) = &proposal.replaces {
            record.supersedes =
                superseded(transaction, &known, stored, &written.accepted, &replaced.id)?;
            if is_rule(stored, &replaced.id) {
                let (id, text) = (short_id(&proposal.id), &replaced.text);
                written.notes.push(format!("{id} changes a rule, which has to be edited: {text}"));
            }
        }
        let same = transaction.reinforce_equal(&known, &record)?;
        if let Some(same) = same.filter(|same| same.standing == Standing::Active) {
            let short = short_id(&same.id.to_string()).to_owned();
            written.notes.push(format!("{} is known already, as {short}", short_id(&proposal.id)));
            written.accept(proposal, text, Some(same.id));
            continue;
        }
        transaction.write(&known, &record).map_err(|error| refused(proposal, error))?;
        written.accept(proposal, text, Some(record.id));
    }
    Ok(())
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
    let replaced = replaced_records(stored, records.iter().map(|(proposal, _)| *proposal));
    let keys: Vec<ComponentKey<'static>> = keys.map(ComponentKey::into_owned).collect();
    MemoryQuery::new().keys(keys).referents(replaced).read(session)
}

/// Returns whether a proposal was accepted as a rule.
fn is_rule(stored: &StoredProposals, id: &str) -> bool {
    matches!(stored.decided.get(id), Some(Decision::Accepted { record: None, .. }))
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
