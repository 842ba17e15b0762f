//! The table of operations. To add an operation, write a file in the folder of its command group and add
//! a line to `OPS`.

mod adr;
mod agent;
pub(crate) mod answers;
mod context;
mod exchange;
mod graph;
mod index;
mod memory;
mod note;
mod plan;
mod project;
mod recall;
mod record;
mod request_parts;
mod session;
mod workspace;

use crate::Op;
use record::edit::RecordEdit;
use record::kinds::{Episodes, Facts, Patterns, Workflows};
use record::list::RecordList;
use record::show::RecordShow;

/// Every operation, in the order of the help and the reference.
pub const OPS: &[Op] = &[
    Op::of::<context::resolve::ContextResolve>(),
    Op::of::<context::health::ContextHealth>(),
    Op::of::<context::refresh::ContextRefresh>(),
    Op::of::<context::archive::ContextArchive>(),
    Op::of::<context::restore::ContextRestore>(),
    Op::of::<context::conflicts::ContextConflicts>(),
    Op::of::<context::validate::ContextValidate>(),
    Op::of::<workspace::show::WorkspaceShow>(),
    Op::of::<project::new::ProjectNew>(),
    Op::of::<project::list::ProjectList>(),
    Op::of::<plan::new::PlanNew>(),
    Op::of::<plan::list::PlanList>(),
    Op::of::<plan::renumber::PlanRenumber>(),
    Op::of::<agent::new::AgentNew>(),
    Op::of::<agent::list::AgentList>(),
    Op::of::<adr::new::AdrNew>(),
    Op::of::<adr::list::AdrList>(),
    Op::of::<adr::show::AdrShow>(),
    Op::of::<adr::status::AdrStatus>(),
    Op::of::<adr::supersede::AdrSupersede>(),
    Op::of::<adr::history::AdrHistory>(),
    Op::of::<adr::renumber::AdrRenumber>(),
    Op::of::<memory::show::MemoryShow>(),
    Op::of::<memory::add::MemoryAdd>(),
    Op::of::<memory::session::MemorySession>(),
    Op::of::<memory::resolve::MemoryResolve>(),
    Op::of::<memory::promote::MemoryPromote>(),
    Op::of::<memory::clear::MemoryClear>(),
    Op::of::<recall::ask::Recall>(),
    Op::of::<recall::eval::Eval>(),
    Op::of::<record::fact_add::FactAdd>(),
    Op::of::<RecordShow<Facts>>(),
    Op::of::<RecordList<Facts>>(),
    Op::of::<record::fact_edit::FactEdit>(),
    Op::of::<record::episode_add::EpisodeAdd>(),
    Op::of::<RecordShow<Episodes>>(),
    Op::of::<RecordList<Episodes>>(),
    Op::of::<RecordEdit<Episodes>>(),
    Op::of::<record::pattern_add::PatternAdd>(),
    Op::of::<RecordShow<Patterns>>(),
    Op::of::<RecordList<Patterns>>(),
    Op::of::<RecordEdit<Patterns>>(),
    Op::of::<record::workflow_add::WorkflowAdd>(),
    Op::of::<RecordShow<Workflows>>(),
    Op::of::<RecordList<Workflows>>(),
    Op::of::<RecordEdit<Workflows>>(),
    Op::of::<memory::archive::MemoryArchive>(),
    Op::of::<memory::restore::MemoryRestore>(),
    Op::of::<memory::search_archive::MemorySearchArchive>(),
    Op::of::<memory::focus::MemoryFocus>(),
    Op::of::<memory::release::MemoryRelease>(),
    Op::of::<memory::connect::MemoryConnect>(),
    Op::of::<memory::ingest::MemoryIngest>(),
    Op::of::<memory::stats::Stats>(),
    Op::of::<index::status::IndexStatus>(),
    Op::of::<index::rebuild::IndexRebuild>(),
    Op::of::<note::add::NoteAdd>(),
    Op::of::<note::done::NoteDone>(),
    Op::of::<note::promote::NotePromote>(),
    Op::of::<note::list::NoteList>(),
    Op::of::<session::start::SessionStart>(),
    Op::of::<session::end::SessionEnd>(),
    Op::of::<session::list::SessionList>(),
    Op::of::<session::compact::Compact>(),
    Op::of::<exchange::export::Export>(),
    Op::of::<exchange::import::Import>(),
    Op::of::<graph::show::GraphShow>(),
    Op::of::<graph::health::GraphHealth>(),
    Op::of::<graph::export::GraphExport>(),
];

/// Returns the operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == name)
}
