//! The table of operations. A new operation is a file beside these and a line here.

mod adr_history;
mod adr_list;
mod adr_new;
mod adr_show;
mod adr_status;
mod adr_supersede;
mod agent_list;
mod agent_new;
mod context_archive;
mod context_conflicts;
mod context_health;
mod context_refresh;
mod context_resolve;
mod context_restore;
mod context_validate;
mod graph_export;
mod graph_health;
mod graph_show;
mod plan_list;
mod plan_new;
mod project_list;
mod project_new;
mod workspace_show;

use crate::Op;

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
    Op::of::<agent_new::AgentNew>(),
    Op::of::<agent_list::AgentList>(),
    Op::of::<adr_new::AdrNew>(),
    Op::of::<adr_list::AdrList>(),
    Op::of::<adr_show::AdrShow>(),
    Op::of::<adr_status::AdrStatus>(),
    Op::of::<adr_supersede::AdrSupersede>(),
    Op::of::<adr_history::AdrHistory>(),
    Op::of::<graph_show::GraphShow>(),
    Op::of::<graph_health::GraphHealth>(),
    Op::of::<graph_export::GraphExport>(),
];

/// Returns the operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == name)
}
