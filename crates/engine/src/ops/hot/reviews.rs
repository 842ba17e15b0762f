//! The list of reviews: a markdown file in git, which people read and which merges by union.

use heirloom_core::hot::review::{self, Review};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, Span, present, span};
use crate::{Error, Session};

/// The path of the list. `.gitattributes` merges `*.memory.md` by union.
pub(super) const PATH: &str = ".heirloom/hot-reviews.memory.md";

/// The last review.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LastReview {
    /// Day.
    date: String,
    /// Person.
    by: String,
    /// Days since then.
    days_ago: i64,
    /// Whether the rules should be reviewed again.
    pub(crate) is_due: bool,
}

impl LastReview {
    /// Reads the last review.
    pub(crate) fn read(session: &Session) -> Result<Option<Self>, Error> {
        let text = session.root().read(PATH)?.unwrap_or_default();
        let due_days = i64::from(session.config()?.hot.review_days);
        Ok(review::latest(&text).map(|Review { date, by }| {
            let days_ago = i64::from((session.today() - date).get_days());
            let is_due = days_ago >= due_days;
            LastReview { date: date.to_string(), by, days_ago, is_due }
        }))
    }
}

/// Describes the last review.
pub(crate) fn describe(last: Option<&LastReview>) -> Vec<Span> {
    let Some(LastReview { date, by, days_ago, is_due }) = last else {
        let hint = heirloom_core::Hint::text("never reviewed; ").operation("hot_reviewed");
        return vec![span(Role::Warning, hint.then(" records a review of all rules"))];
    };
    let ago = match days_ago {
        0 => "today".to_owned(),
        days => format!("{} ago", present::count(usize::try_from(*days).unwrap_or(0), "day")),
    };
    let by = if by.is_empty() { String::new() } else { format!(" by {by}") };
    let role = if *is_due { Role::Warning } else { Role::Dim };
    let due = if *is_due { "; it is time for the next review" } else { "" };
    vec![span(role, format!("last review {ago}, on {date}{by}{due}"))]
}
