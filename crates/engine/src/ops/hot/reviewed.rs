//! `hot reviewed`: records a review of all rules, with its day and its person.

use heirloom_core::hot::{Size, review};
use heirloom_store::journal::{self, FileChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measure::HotMeasure;
use super::reviews::PATH;
use crate::view::bar::thousands;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotReviewed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewReport {
    /// Day.
    date: String,
    /// Person.
    by: String,
    /// Number of rules.
    files: usize,
    #[serde(flatten)]
    size: Size,
    /// List of all reviews.
    path: &'static str,
}

impl Operation for HotReviewed {
    type Request = Request;
    type Response = ReviewReport;
    const SPEC: Spec = Spec {
        name: "hot_reviewed",
        usage: "hot reviewed",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Note that you have read all rules of hot memory today. The list of reviews is a file in git; the rules do not change.",
    };

    fn run(session: &Session, _request: Request) -> Result<ReviewReport, Error> {
        let measure = HotMeasure::of(session)?;
        if measure.files.is_empty() {
            let message = format!("there are no rules in {}", measure.folder);
            let hint = heirloom_core::Hint::text("make the first ones with ");
            return Err(Error::bad_input(message).hint(hint.operation("hot_init")));
        }
        let (by, size) = (session.author(), measure.rules_size());
        let root = session.root();
        let lock = journal::lock(root)?;
        let before = root.read(PATH)?;
        let files = measure.files.len();
        let text = before.as_deref().unwrap_or_default();
        let after = review::add(text, session.today(), &by, files, size);
        lock.apply_changes(root, &[FileChange { path: PATH.to_owned(), before, after }])?;
        Ok(ReviewReport { date: session.today().to_string(), by, files, size, path: PATH })
    }
}

impl Answer for ReviewReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let rules = present::count(self.files, "rule");
        let (lines, tokens) = (thousands(self.size.lines), thousands(self.size.tokens));
        view.line([
            span(Role::Good, "reviewed "),
            format!(
                "{rules} of {lines} lines and {tokens} tokens, on {} by {}",
                self.date, self.by
            )
            .into(),
            span(Role::Source, format!("  {}", self.path)),
        ]);
        view
    }
}
