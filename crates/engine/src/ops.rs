//! The table of operations. A new operation is a file beside these and a line here.

mod adr_history;
mod adr_list;
mod adr_new;
mod adr_renumber;
mod adr_show;
mod adr_status;
mod adr_supersede;
mod agent_list;
mod agent_new;
mod compact;
mod context_archive;
mod context_conflicts;
mod context_health;
mod context_refresh;
mod context_resolve;
mod context_restore;
mod context_validate;
mod episode_add;
mod eval;
mod export;
mod fact_add;
mod fact_edit;
mod given;
mod graph_export;
mod graph_health;
mod graph_show;
mod import;
mod index_rebuild;
mod index_status;
mod memory_add;
mod memory_archive;
mod memory_clear;
mod memory_connect;
mod memory_focus;
mod memory_ingest;
mod memory_promote;
mod memory_release;
mod memory_resolve;
mod memory_restore;
mod memory_search_archive;
mod memory_session;
mod memory_show;
mod note_add;
mod note_done;
mod note_list;
mod note_promote;
mod pattern_add;
mod plan_list;
mod plan_new;
mod plan_renumber;
mod project_list;
mod project_new;
mod recall;
mod record_add;
mod record_edit;
mod record_kinds;
mod record_list;
mod record_show;
mod session_end;
mod session_list;
mod session_start;
mod stats;
mod workflow_add;
mod workspace_show;

use crate::Op;
use record_edit::RecordEdit;
use record_kinds::{Episodes, Facts, Patterns, Workflows};
use record_list::RecordList;
use record_show::RecordShow;

/// Every operation, in the order in which people read about them.
pub const OPS: &[Op] = &[
    Op::of::<context_resolve::ContextResolve>(),
    Op::of::<context_health::ContextHealth>(),
    Op::of::<context_refresh::ContextRefresh>(),
    Op::of::<context_archive::ContextArchive>(),
    Op::of::<context_restore::ContextRestore>(),
    Op::of::<context_conflicts::ContextConflicts>(),
    Op::of::<context_validate::ContextValidate>(),
    Op::of::<workspace_show::WorkspaceShow>(),
    Op::of::<project_new::ProjectNew>(),
    Op::of::<project_list::ProjectList>(),
    Op::of::<plan_new::PlanNew>(),
    Op::of::<plan_list::PlanList>(),
    Op::of::<plan_renumber::PlanRenumber>(),
    Op::of::<agent_new::AgentNew>(),
    Op::of::<agent_list::AgentList>(),
    Op::of::<adr_new::AdrNew>(),
    Op::of::<adr_list::AdrList>(),
    Op::of::<adr_show::AdrShow>(),
    Op::of::<adr_status::AdrStatus>(),
    Op::of::<adr_supersede::AdrSupersede>(),
    Op::of::<adr_history::AdrHistory>(),
    Op::of::<adr_renumber::AdrRenumber>(),
    Op::of::<memory_show::MemoryShow>(),
    Op::of::<memory_add::MemoryAdd>(),
    Op::of::<memory_session::MemorySession>(),
    Op::of::<memory_resolve::MemoryResolve>(),
    Op::of::<memory_promote::MemoryPromote>(),
    Op::of::<memory_clear::MemoryClear>(),
    Op::of::<recall::Recall>(),
    Op::of::<eval::Eval>(),
    Op::of::<fact_add::FactAdd>(),
    Op::of::<RecordShow<Facts>>(),
    Op::of::<RecordList<Facts>>(),
    Op::of::<fact_edit::FactEdit>(),
    Op::of::<episode_add::EpisodeAdd>(),
    Op::of::<RecordShow<Episodes>>(),
    Op::of::<RecordList<Episodes>>(),
    Op::of::<RecordEdit<Episodes>>(),
    Op::of::<pattern_add::PatternAdd>(),
    Op::of::<RecordShow<Patterns>>(),
    Op::of::<RecordList<Patterns>>(),
    Op::of::<RecordEdit<Patterns>>(),
    Op::of::<workflow_add::WorkflowAdd>(),
    Op::of::<RecordShow<Workflows>>(),
    Op::of::<RecordList<Workflows>>(),
    Op::of::<RecordEdit<Workflows>>(),
    Op::of::<memory_archive::MemoryArchive>(),
    Op::of::<memory_restore::MemoryRestore>(),
    Op::of::<memory_search_archive::MemorySearchArchive>(),
    Op::of::<memory_focus::MemoryFocus>(),
    Op::of::<memory_release::MemoryRelease>(),
    Op::of::<memory_connect::MemoryConnect>(),
    Op::of::<memory_ingest::MemoryIngest>(),
    Op::of::<stats::Stats>(),
    Op::of::<index_status::IndexStatus>(),
    Op::of::<index_rebuild::IndexRebuild>(),
    Op::of::<note_add::NoteAdd>(),
    Op::of::<note_done::NoteDone>(),
    Op::of::<note_promote::NotePromote>(),
    Op::of::<note_list::NoteList>(),
    Op::of::<session_start::SessionStart>(),
    Op::of::<session_end::SessionEnd>(),
    Op::of::<session_list::SessionList>(),
    Op::of::<compact::Compact>(),
    Op::of::<export::Export>(),
    Op::of::<import::Import>(),
    Op::of::<graph_show::GraphShow>(),
    Op::of::<graph_health::GraphHealth>(),
    Op::of::<graph_export::GraphExport>(),
];

/// Returns the operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == name)
}
