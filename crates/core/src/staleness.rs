//! The staleness of documents, by their age and refresh interval.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The refresh interval that the thresholds assume; another interval scales them.
const DEFAULT_INTERVAL_DAYS: f64 = 30.0;

/// The ages in days after which a document needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Days after which a document is a warning.
    pub warning: f64,
    /// Days after which it is critical.
    pub critical: f64,
    /// Days after which it should be archived.
    pub archive: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { warning: 14.0, critical: 30.0, archive: 90.0 }
    }
}

/// The freshness of a document.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// Below the warning threshold.
    Fresh,
    /// The date is not known.
    Unknown,
    /// Older than the warning threshold.
    Warning,
    /// Older than the critical threshold.
    Critical,
}

/// The recommended action for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecommendedAction {
    /// Nothing.
    None,
    /// Review and refresh the document.
    Review,
    /// Move the document to the archive.
    Archive,
}

/// The staleness of a document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Staleness {
    /// The freshness.
    pub status: Freshness,
    /// Whole days since the date of the document.
    pub days_old: Option<i64>,
    /// Age divided by the refresh interval; from 1 on, a refresh is due.
    pub score: Option<f64>,
    /// The recommended action.
    pub recommended_action: RecommendedAction,
    /// The exceeded threshold, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

impl Staleness {
    /// Recommends a review instead of archiving, for documents that remain valid at any age.
    #[must_use]
    pub fn without_archiving(self) -> Self {
        let recommended_action = match self.recommended_action {
            RecommendedAction::Archive => RecommendedAction::Review,
            other => other,
        };
        Staleness { recommended_action, ..self }
    }
}

/// Computes the staleness of a document from its date; `interval` is its `refresh_interval` in days.
pub fn evaluate(
    updated: Option<Date>,
    today: Date,
    interval: Option<f64>,
    thresholds: &Thresholds,
) -> Staleness {
    let interval = interval.unwrap_or(DEFAULT_INTERVAL_DAYS);
    let Some(updated) = updated else {
        return Staleness {
            status: Freshness::Unknown,
            days_old: None,
            score: None,
            recommended_action: RecommendedAction::Review,
            threshold: None,
        };
    };
    let days_old = days_between(updated, today).max(0);
    let days = days_old as f64;
    let scale = interval / DEFAULT_INTERVAL_DAYS;
    let (warning, critical, archive) =
        (thresholds.warning * scale, thresholds.critical * scale, thresholds.archive * scale);
    let (status, threshold) = if days > critical {
        (Freshness::Critical, Some(critical))
    } else if days > warning {
        (Freshness::Warning, Some(warning))
    } else {
        (Freshness::Fresh, None)
    };
    let recommended_action = match status {
        _ if days > archive => RecommendedAction::Archive,
        Freshness::Fresh => RecommendedAction::None,
        _ => RecommendedAction::Review,
    };
    Staleness {
        status,
        days_old: Some(days_old),
        score: Some(days / interval),
        recommended_action,
        threshold,
    }
}

/// Returns the whole days from one date to another.
pub fn days_between(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn at_age(days: i64, interval: Option<f64>) -> Staleness {
        let today = date(2026, 2, 22);
        evaluate(
            Some(today - jiff::Span::new().days(days)),
            today,
            interval,
            &Thresholds::default(),
        )
    }

    #[test]
    fn a_threshold_itself_is_not_exceeded() {
        assert_eq!(
            (at_age(14, None).status, at_age(15, None).status),
            (Freshness::Fresh, Freshness::Warning)
        );
        assert_eq!(
            (at_age(30, None).status, at_age(31, None).status),
            (Freshness::Warning, Freshness::Critical)
        );
        assert_eq!(
            (
                at_age(0, None).recommended_action,
                at_age(20, None).recommended_action,
                at_age(91, None).recommended_action
            ),
            (RecommendedAction::None, RecommendedAction::Review, RecommendedAction::Archive)
        );
    }

    #[test]
    fn review_at_most_replaces_archiving_by_a_review() {
        let old = at_age(400, None).without_archiving();
        assert_eq!(
            (old.status, old.recommended_action),
            (Freshness::Critical, RecommendedAction::Review)
        );
        assert_eq!(at_age(0, None).without_archiving().recommended_action, RecommendedAction::None);
    }

    #[test]
    fn the_score_is_age_divided_by_interval() {
        assert_eq!(at_age(45, None).score, Some(1.5));
        assert_eq!(at_age(45, Some(90.0)).score, Some(0.5));
        assert_eq!(at_age(45, Some(90.0)).status, Freshness::Warning);
        assert_eq!(at_age(4, Some(7.0)).status, Freshness::Warning);
    }

    #[test]
    fn an_unknown_date_is_not_fresh_and_a_future_date_counts_as_today() {
        assert_eq!(
            evaluate(None, date(2026, 2, 22), None, &Thresholds::default()).status,
            Freshness::Unknown
        );
        assert_eq!(at_age(-5, None).days_old, Some(0));
    }
}
