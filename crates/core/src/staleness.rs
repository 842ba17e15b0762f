//! How old a document is, and what that means.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interval for which the thresholds are written; a document with another one scales them.
const USUAL_INTERVAL: f64 = 30.0;

/// After how many days a document needs attention.
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

/// How fresh a document is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// Nothing to do.
    Fresh,
    /// Its date cannot be known, so it is never called fresh.
    Unknown,
    /// Past the warning threshold.
    Warning,
    /// Past the critical threshold.
    Critical,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing.
    None,
    /// Read it again and refresh it.
    Review,
    /// Take it out of the cascade.
    Archive,
}

/// A document's staleness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Staleness {
    /// The verdict.
    pub status: Freshness,
    /// Whole days since its date.
    pub days_old: Option<i64>,
    /// Days since its date over its refresh interval; 1 is due, and it is not clamped.
    pub score: Option<f64>,
    /// What to do.
    pub recommended_action: Action,
    /// The threshold it is past, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

impl Staleness {
    /// Recommends a review in the place of the archive, for what holds however old it is.
    #[must_use]
    pub fn review_at_most(self) -> Self {
        let recommended_action = match self.recommended_action {
            Action::Archive => Action::Review,
            other => other,
        };
        Staleness { recommended_action, ..self }
    }
}

/// Judges a document by its date. `interval` is its `refresh_interval` in days.
pub fn judge(
    updated: Option<Date>,
    today: Date,
    interval: Option<f64>,
    thresholds: &Thresholds,
) -> Staleness {
    let interval = interval.unwrap_or(USUAL_INTERVAL);
    let Some(updated) = updated else {
        return Staleness {
            status: Freshness::Unknown,
            days_old: None,
            score: None,
            recommended_action: Action::Review,
            threshold: None,
        };
    };
    let days_old = days_between(updated, today).max(0);
    let days = days_old as f64;
    let scale = interval / USUAL_INTERVAL;
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
        _ if days > archive => Action::Archive,
        Freshness::Fresh => Action::None,
        _ => Action::Review,
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

    fn at(days: i64, interval: Option<f64>) -> Staleness {
        let today = date(2026, 2, 22);
        judge(Some(today - jiff::Span::new().days(days)), today, interval, &Thresholds::default())
    }

    #[test]
    fn thresholds_are_crossed_and_not_met() {
        assert_eq!(
            (at(14, None).status, at(15, None).status),
            (Freshness::Fresh, Freshness::Warning)
        );
        assert_eq!(
            (at(30, None).status, at(31, None).status),
            (Freshness::Warning, Freshness::Critical)
        );
        assert_eq!(
            (
                at(0, None).recommended_action,
                at(20, None).recommended_action,
                at(91, None).recommended_action
            ),
            (Action::None, Action::Review, Action::Archive)
        );
    }

    #[test]
    fn what_holds_at_any_age_is_reviewed_and_not_archived() {
        let old = at(400, None).review_at_most();
        assert_eq!((old.status, old.recommended_action), (Freshness::Critical, Action::Review));
        assert_eq!(at(0, None).review_at_most().recommended_action, Action::None);
    }

    #[test]
    fn the_score_is_days_over_the_interval() {
        assert_eq!(at(45, None).score, Some(1.5));
        assert_eq!(at(45, Some(90.0)).score, Some(0.5));
        assert_eq!(at(45, Some(90.0)).status, Freshness::Warning);
        assert_eq!(at(4, Some(7.0)).status, Freshness::Warning);
    }

    #[test]
    fn an_unknown_date_is_not_fresh_and_the_future_is_today() {
        assert_eq!(
            judge(None, date(2026, 2, 22), None, &Thresholds::default()).status,
            Freshness::Unknown
        );
        assert_eq!(at(-5, None).days_old, Some(0));
    }
}
