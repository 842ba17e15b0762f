//! The enumerations of the record format.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The section that a fact belongs to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(!try_from)]
pub enum FactSection {
    /// The structure of the system.
    Architecture,
    /// Decisions and their reasons.
    Decisions,
    /// Requirements that must be met.
    Constraints,
    /// Known defects and limitations.
    #[serde(rename = "Known Issues")]
    KnownIssues,
    /// Patterns and conventions of the project.
    #[serde(rename = "Patterns & Conventions")]
    Patterns,
    /// Specifications of planned work.
    Specs,
    /// Work that was done recently.
    #[serde(rename = "Recent Work")]
    RecentWork,
}

impl FactSection {
    /// Every section, in reading order.
    pub const ALL: [FactSection; 7] = [
        FactSection::Architecture,
        FactSection::Decisions,
        FactSection::Constraints,
        FactSection::KnownIssues,
        FactSection::Patterns,
        FactSection::Specs,
        FactSection::RecentWork,
    ];

    /// Returns its title.
    pub const fn title(self) -> &'static str {
        match self {
            FactSection::Architecture => "Architecture",
            FactSection::Decisions => "Decisions",
            FactSection::Constraints => "Constraints",
            FactSection::KnownIssues => "Known Issues",
            FactSection::Patterns => "Patterns & Conventions",
            FactSection::Specs => "Specs",
            FactSection::RecentWork => "Recent Work",
        }
    }

    /// Parses a title, ignoring case and punctuation: `known-issues`, `patterns`.
    pub fn from_title(title: &str) -> Option<Self> {
        // Fast path: nearly all facts of a log have the exact title.
        if let Some(section) = FactSection::ALL.into_iter().find(|section| section.title() == title)
        {
            return Some(section);
        }
        let fold_case = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let typed = fold_case(title);
        FactSection::ALL.into_iter().find(|section| {
            let folded = fold_case(section.title());
            folded == typed
                || folded.strip_suffix('s') == Some(&typed)
                || (*section == FactSection::Patterns
                    && matches!(
                        typed.as_str(),
                        "patterns" | "pattern" | "conventions" | "patternsandconventions"
                    ))
        })
    }
}

impl TryFrom<String> for FactSection {
    type Error = String;

    fn try_from(title: String) -> Result<Self, String> {
        FactSection::from_title(&title).ok_or_else(|| {
            let titles: Vec<&str> =
                FactSection::ALL.iter().map(|section| section.title()).collect();
            format!("there is no section `{title}`; it must be one of {}", titles.join(", "))
        })
    }
}

impl fmt::Display for FactSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// The relation that an edge states between its source and its target.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The source is valid only with the target.
    DependsOn,
    /// Source and target cannot both be valid.
    Contradicts,
    /// The source makes the target possible.
    Enables,
    /// The source replaces the target.
    Replaces,
    /// The target is the reason for the source.
    MotivatedBy,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Relation; 5] = [
        Relation::DependsOn,
        Relation::Contradicts,
        Relation::Enables,
        Relation::Replaces,
        Relation::MotivatedBy,
    ];

    /// Returns its name in the format.
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::DependsOn => "depends_on",
            Relation::Contradicts => "contradicts",
            Relation::Enables => "enables",
            Relation::Replaces => "replaces",
            Relation::MotivatedBy => "motivated_by",
        }
    }

    /// Parses its name in the format.
    pub fn parse(word: &str) -> Option<Self> {
        Relation::ALL.into_iter().find(|relation| relation.as_str() == word)
    }
}

/// How a contradiction between two memories was resolved.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The first memory replaces the second.
    AWins,
    /// The second memory replaces the first.
    BWins,
    /// Both hold: they do not contradict each other.
    BothValid,
    /// A new memory replaces both.
    Merged,
}

impl Resolution {
    /// Every resolution.
    pub const ALL: [Resolution; 4] =
        [Resolution::AWins, Resolution::BWins, Resolution::BothValid, Resolution::Merged];

    /// Returns its name in the format.
    pub fn as_str(self) -> &'static str {
        match self {
            Resolution::AWins => "a_wins",
            Resolution::BWins => "b_wins",
            Resolution::BothValid => "both_valid",
            Resolution::Merged => "merged",
        }
    }

    /// Parses its name in the format.
    pub fn parse(word: &str) -> Option<Self> {
        Resolution::ALL.into_iter().find(|resolution| resolution.as_str() == word)
    }
}

/// The audience of a record.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Its writer on this machine only.
    Private,
    /// Everyone with access to the repository.
    #[default]
    Shared,
    /// Everyone; written by the program itself.
    System,
}

impl Visibility {
    pub(super) fn is_shared(&self) -> bool {
        *self == Visibility::Shared
    }
}

/// An action on records.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EventAction {
    /// Hides records from results.
    Archive,
    /// Undoes an archive.
    Restore,
    /// Keeps records in working memory.
    Pin,
    /// Undoes a pin.
    Release,
    /// States that records were learnt again.
    Reinforce,
    /// Marks records as resolved.
    Resolve,
    /// Undoes a resolve.
    Unresolve,
    /// Withdraws records that replaced others by mistake, so that what they replaced is current again.
    Undo,
}

impl EventAction {
    /// Returns its name in the format.
    pub fn as_str(self) -> &'static str {
        match self {
            EventAction::Archive => "archive",
            EventAction::Restore => "restore",
            EventAction::Pin => "pin",
            EventAction::Release => "release",
            EventAction::Reinforce => "reinforce",
            EventAction::Resolve => "resolve",
            EventAction::Unresolve => "unresolve",
            EventAction::Undo => "undo",
        }
    }
}
