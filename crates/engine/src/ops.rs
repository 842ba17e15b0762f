//! The table of operations. To add an operation, write a file in the folder of its command group and add
//! a line to `OPS`.

mod adr;
mod agent;
pub(crate) mod answers;
mod assembly;
mod cold;
mod consolidation;
mod context;
mod contradictions;
mod exchange;
mod graph;
mod health;
mod hot;
mod index;
mod learn;
mod links;
mod memory;
mod migrate;
mod note;
mod plan;
mod prediction;
mod project;
mod prompt;
mod recall;
mod record;
mod request_parts;
mod retrieve;
mod session;
mod signal;
mod sprint;
mod stage;
mod workspace;

use serde_json::Value;

use crate::{Error, Op, Operation, Reply, Session, work_session};
pub use cold::review_file::ReviewFile;
use learn::add::{Decisions, Learn, Lessons};
use record::edit::RecordEdit;
use record::kinds::{Episodes, Facts, Patterns, Workflows};
use record::list::RecordList;
use record::show::RecordShow;

/// Every operation, in the order of the help and the reference.
pub const OPS: &[Op] = &[
    Op::new::<context::resolve::ContextResolve>(),
    Op::new::<assembly::assemble::ContextAssemble>(),
    Op::new::<assembly::why::ContextWhy>(),
    Op::new::<prediction::predict::ContextPredict>(),
    Op::new::<signal::file::SignalFile>(),
    Op::new::<signal::branch::SignalBranch>(),
    Op::new::<signal::error::SignalError>(),
    Op::new::<signal::user::SignalUser>(),
    Op::new::<signal::list::SignalList>(),
    Op::new::<signal::clear::SignalClear>(),
    Op::new::<context::load::ContextLoad>(),
    Op::new::<prompt::build::PromptBuild>(),
    Op::new::<retrieve::context::RetrieveContext>(),
    Op::new::<retrieve::plans::RetrievePlans>(),
    Op::new::<retrieve::overview::RetrieveOverview>(),
    Op::new::<retrieve::learnings::RetrieveLearnings>(),
    Op::new::<context::health::ContextHealth>(),
    Op::new::<context::refresh::ContextRefresh>(),
    Op::new::<context::archive::ContextArchive>(),
    Op::new::<context::restore::ContextRestore>(),
    Op::new::<context::conflicts::ContextConflicts>(),
    Op::new::<context::validate::ContextValidate>(),
    Op::new::<migrate::Migrate>(),
    Op::new::<workspace::show::WorkspaceShow>(),
    Op::new::<project::new::ProjectNew>(),
    Op::new::<project::list::ProjectList>(),
    Op::new::<plan::new::PlanNew>(),
    Op::new::<plan::list::PlanList>(),
    Op::new::<plan::status::PlanStatusChange>(),
    Op::new::<plan::renumber::PlanRenumber>(),
    Op::new::<agent::new::AgentNew>(),
    Op::new::<agent::list::AgentList>(),
    Op::new::<stage::complete::StageComplete>(),
    Op::new::<sprint::complete::SprintComplete>(),
    Op::new::<adr::new::AdrNew>(),
    Op::new::<adr::list::AdrList>(),
    Op::new::<adr::show::AdrShow>(),
    Op::new::<adr::status::AdrStatus>(),
    Op::new::<adr::supersede::AdrSupersede>(),
    Op::new::<adr::history::AdrHistory>(),
    Op::new::<adr::renumber::AdrRenumber>(),
    Op::new::<memory::show::MemoryShow>(),
    Op::new::<memory::add::MemoryAdd>(),
    Op::new::<memory::session::MemorySession>(),
    Op::new::<memory::resolve::MemoryResolve>(),
    Op::new::<memory::promote::MemoryPromote>(),
    Op::new::<memory::clear::MemoryClear>(),
    Op::new::<Learn<Decisions>>(),
    Op::new::<Learn<Lessons>>(),
    Op::new::<learn::promote::LearnPromote>(),
    Op::new::<learn::archive::LearnArchive>(),
    Op::new::<recall::ask::Recall>(),
    Op::new::<recall::show::MemoryExpand>(),
    Op::new::<recall::eval::Eval>(),
    Op::new::<memory::used::MemoryUsed>(),
    Op::new::<memory::usage::MemoryUsage>(),
    Op::new::<record::fact_add::FactAdd>(),
    Op::new::<RecordShow<Facts>>(),
    Op::new::<RecordList<Facts>>(),
    Op::new::<record::fact_edit::FactEdit>(),
    Op::new::<record::episode_add::EpisodeAdd>(),
    Op::new::<RecordShow<Episodes>>(),
    Op::new::<RecordList<Episodes>>(),
    Op::new::<RecordEdit<Episodes>>(),
    Op::new::<record::pattern_add::PatternAdd>(),
    Op::new::<RecordShow<Patterns>>(),
    Op::new::<RecordList<Patterns>>(),
    Op::new::<RecordEdit<Patterns>>(),
    Op::new::<record::workflow_add::WorkflowAdd>(),
    Op::new::<RecordShow<Workflows>>(),
    Op::new::<RecordList<Workflows>>(),
    Op::new::<RecordEdit<Workflows>>(),
    Op::new::<hot::status::HotStatus>(),
    Op::new::<hot::check::HotCheck>(),
    Op::new::<hot::reviewed::HotReviewed>(),
    Op::new::<hot::demote::HotDemote>(),
    Op::new::<hot::promote::HotPromote>(),
    Op::new::<hot::link::HotLink>(),
    Op::new::<hot::unlink::HotUnlink>(),
    Op::new::<hot::init::HotInit>(),
    Op::new::<memory::archive::MemoryArchive>(),
    Op::new::<memory::restore::MemoryRestore>(),
    Op::new::<memory::undo::MemoryUndo>(),
    Op::new::<memory::purge::MemoryPurge>(),
    Op::new::<memory::search_archive::MemorySearchArchive>(),
    Op::new::<memory::focus::MemoryFocus>(),
    Op::new::<memory::release::MemoryRelease>(),
    Op::new::<memory::connect::MemoryConnect>(),
    Op::new::<links::list::LinksList>(),
    Op::new::<links::accept::LinksAccept>(),
    Op::new::<links::drop::LinksDrop>(),
    Op::new::<contradictions::list::ContradictionsList>(),
    Op::new::<contradictions::show::ContradictionsShow>(),
    Op::new::<contradictions::scan::ContradictionsScan>(),
    Op::new::<contradictions::check::ContradictionsCheck>(),
    Op::new::<contradictions::resolve::ContradictionsResolve>(),
    Op::new::<consolidation::consolidate::Consolidate>(),
    Op::new::<consolidation::undo::UndoRun>(),
    Op::new::<memory::ingest::MemoryIngest>(),
    Op::new::<memory::stats::Stats>(),
    Op::new::<health::overview::Health>(),
    Op::new::<index::status::IndexStatus>(),
    Op::new::<index::rebuild::IndexRebuild>(),
    Op::new::<cold::search::ColdSearchOperation>(),
    Op::new::<cold::index::ColdIndexUpdate>(),
    Op::new::<cold::status::ColdStatus>(),
    Op::new::<note::add::NoteAdd>(),
    Op::new::<note::done::NoteDone>(),
    Op::new::<note::promote::NotePromote>(),
    Op::new::<note::list::NoteList>(),
    Op::new::<session::start::SessionStart>(),
    Op::new::<session::end::SessionEnd>(),
    Op::new::<session::list::SessionList>(),
    Op::new::<session::compact::Compact>(),
    Op::new::<cold::extract::ColdExtract>(),
    Op::new::<cold::accept::ColdAccept>(),
    Op::new::<cold::drop::ColdDrop>(),
    Op::new::<exchange::export::Export>(),
    Op::new::<exchange::import::Import>(),
    Op::new::<graph::show::GraphShow>(),
    Op::new::<graph::health::GraphHealth>(),
    Op::new::<graph::export::GraphExport>(),
];

/// Runs an operation for a person or a program. Sessions that were left open end first, and the call counts for the
/// open one.
pub fn run(op: &Op, session: &Session, request: Value) -> Result<Reply, Error> {
    // `session end` may end a session that was left open, with what its request states.
    if op.spec.name != session::end::SessionEnd::SPEC.name {
        work_session::before_operation(session);
    }
    op.call(session, request)
}

/// Returns the operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == name)
}
