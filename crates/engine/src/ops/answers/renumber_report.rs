//! The response of `adr renumber` and `plan renumber`.

use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::WriteTransaction;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::RenumberEdit;

/// The renames and edits that renumbering needs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RenumberReport {
    /// Old name.
    before: String,
    /// New name.
    after: String,
    /// Renamed files and folders, in order.
    renamed: Vec<RenamedPath>,
    /// Documents with rewritten references.
    edited: Vec<EditedDocument>,
    /// References that may mean something else with the same number. They were not changed; check
    /// each of them.
    left_alone: Vec<AmbiguousReference>,
    /// Number of relations in the log that were moved to the new name.
    #[serde(skip_serializing_if = "is_zero")]
    relations: usize,
    /// Whether this is only a preview: nothing was changed.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RenamedPath {
    from: String,
    to: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EditedDocument {
    /// Path before the renames.
    path: String,
    /// Number of rewritten references.
    replaced: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AmbiguousReference {
    /// Path before the renames.
    path: String,
    /// Line number.
    line: usize,
    /// Text of the reference.
    written: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl RenumberReport {
    /// Describes renames and edits, and adds them to the transaction; without one it is a dry run.
    pub(crate) fn prepare(
        names: [String; 2],
        renames: Vec<Rename>,
        edits: Vec<RenumberEdit<'_>>,
        transaction: Option<&mut WriteTransaction<'_>>,
    ) -> Self {
        let [before, after] = names;
        let mut report = RenumberReport {
            before,
            after,
            renamed: vec![],
            edited: vec![],
            left_alone: vec![],
            relations: 0,
            dry_run: transaction.is_none(),
        };
        for edit in &edits {
            let path = &edit.catalog_entry.document.path;
            if edit.replaced > 0 {
                report.edited.push(EditedDocument { path: path.clone(), replaced: edit.replaced });
            }
            report.left_alone.extend(edit.unclear.iter().map(|left| AmbiguousReference {
                path: path.clone(),
                line: left.line,
                written: left.written.clone(),
            }));
        }
        let renamed =
            |rename: &Rename| RenamedPath { from: rename.from.clone(), to: rename.to.clone() };
        report.renamed = renames.iter().map(renamed).collect();
        if let Some(transaction) = transaction {
            for edit in edits.into_iter().filter(|edit| edit.replaced > 0) {
                transaction.edit(
                    &edit.catalog_entry.document.path,
                    Some(&edit.catalog_entry.text),
                    edit.after,
                );
            }
            renames.into_iter().for_each(|rename| transaction.rename(rename));
        }
        report
    }

    /// Sets the number of moved relations.
    pub(crate) fn with_relations(self, relations: usize) -> Self {
        RenumberReport { relations, ..self }
    }
}

impl Answer for RenumberReport {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Key, &self.before),
            (if self.dry_run { " would become " } else { " is now " }).into(),
            span(Role::Key, &self.after),
            span(Role::Dim, if self.dry_run { "  (dry run: nothing was changed)" } else { "" }),
        ]);
        let verb =
            |done: &'static str, would: &'static str| if self.dry_run { would } else { done };
        for renamed in &self.renamed {
            view.line([
                span(Role::Good, verb("  renamed ", "  would rename ")),
                span(Role::Source, &renamed.from),
                " → ".into(),
                span(Role::Source, &renamed.to),
            ]);
        }
        for edited in &self.edited {
            view.line([
                span(Role::Good, verb("  edited ", "  would edit ")),
                span(Role::Source, &edited.path),
                format!(" ({})", present::count(edited.replaced, "place")).into(),
            ]);
        }
        if self.relations > 0 {
            view.line([span(
                Role::Good,
                format!("  moved {}", present::count(self.relations, "relation")),
            )]);
        }
        if !self.left_alone.is_empty() {
            view.line([span(
                Role::Warning,
                format!("⚠️ not changed, because {} may mean something else there:", self.before),
            )]);
            for place in &self.left_alone {
                view.line([
                    span(Role::Source, format!("     {}:{}", place.path, place.line)),
                    format!("  {}", place.written).into(),
                ]);
            }
        }
        view
    }
}
