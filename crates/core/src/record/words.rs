//! The words that a record may use.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a record is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One thing that is known.
    Fact,
    /// What happened in a stretch of work.
    Episode,
    /// A shape that code takes here.
    Pattern,
    /// Steps that are taken here.
    Workflow,
    /// A relation between two things.
    Edge,
    /// Something to come back to.
    Note,
    /// Something that was done to other records.
    Event,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] = [
        Kind::Fact,
        Kind::Episode,
        Kind::Pattern,
        Kind::Workflow,
        Kind::Edge,
        Kind::Note,
        Kind::Event,
    ];

    /// The kinds that say something by themselves.
    pub const REMEMBERED: [Kind; 5] =
        [Kind::Fact, Kind::Episode, Kind::Pattern, Kind::Workflow, Kind::Note];

    /// Returns its word, which is also the name of its folder.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Fact => "fact",
            Kind::Episode => "episode",
            Kind::Pattern => "pattern",
            Kind::Workflow => "workflow",
            Kind::Edge => "edge",
            Kind::Note => "note",
            Kind::Event => "event",
        }
    }

    /// Reads its word.
    pub fn from_word(word: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// What sort of knowledge a fact is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(!try_from)]
pub enum Section {
    /// How the system is built.
    Architecture,
    /// What was decided.
    Decisions,
    /// What must hold.
    Constraints,
    /// What is wrong.
    #[serde(rename = "Known Issues")]
    KnownIssues,
    /// How things are done.
    #[serde(rename = "Patterns & Conventions")]
    Patterns,
    /// What is to be built.
    Specs,
    /// What was done lately.
    #[serde(rename = "Recent Work")]
    RecentWork,
}

impl Section {
    /// Every section, in the order in which they are read.
    pub const ALL: [Section; 7] = [
        Section::Architecture,
        Section::Decisions,
        Section::Constraints,
        Section::KnownIssues,
        Section::Patterns,
        Section::Specs,
        Section::RecentWork,
    ];

    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Section::Architecture => "Architecture",
            Section::Decisions => "Decisions",
            Section::Constraints => "Constraints",
            Section::KnownIssues => "Known Issues",
            Section::Patterns => "Patterns & Conventions",
            Section::Specs => "Specs",
            Section::RecentWork => "Recent Work",
        }
    }

    /// Reads a title, whatever its case and punctuation: `known-issues`, `patterns`.
    pub fn from_title(title: &str) -> Option<Self> {
        // Every fact of a log comes through here, and nearly all have a title as it is written.
        if let Some(section) = Section::ALL.into_iter().find(|section| section.title() == title) {
            return Some(section);
        }
        let folded = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = folded(title);
        Section::ALL.into_iter().find(|section| {
            let own = folded(section.title());
            own == wanted
                || own.strip_suffix('s') == Some(&wanted)
                || (*section == Section::Patterns
                    && matches!(
                        wanted.as_str(),
                        "patterns" | "pattern" | "conventions" | "patternsandconventions"
                    ))
        })
    }
}

impl TryFrom<String> for Section {
    type Error = String;

    fn try_from(title: String) -> Result<Self, String> {
        Section::from_title(&title).ok_or_else(|| {
            let titles: Vec<&str> = Section::ALL.iter().map(|section| section.title()).collect();
            format!("there is no section `{title}`; there are {}", titles.join(", "))
        })
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// What an edge says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The first holds only with the second.
    DependsOn,
    /// Both cannot hold.
    Contradicts,
    /// The first makes the second possible.
    Enables,
    /// The first stands in the second's place.
    Replaces,
    /// The second is the reason for the first.
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

    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            Relation::DependsOn => "depends_on",
            Relation::Contradicts => "contradicts",
            Relation::Enables => "enables",
            Relation::Replaces => "replaces",
            Relation::MotivatedBy => "motivated_by",
        }
    }

    /// Reads its word.
    pub fn from_word(word: &str) -> Option<Self> {
        Relation::ALL.into_iter().find(|relation| relation.word() == word)
    }
}

/// Who may see a record.
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
    /// Only who wrote it, on this machine.
    Private,
    /// Everybody who has the repository.
    #[default]
    Shared,
    /// Everybody; written by the system itself.
    System,
}

impl Visibility {
    pub(super) fn is_shared(&self) -> bool {
        *self == Visibility::Shared
    }
}

/// What was done to records.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Taken out of what is injected.
    Archive,
    /// An archiving was undone.
    Restore,
    /// Kept in working memory.
    Pin,
    /// A pin was undone.
    Release,
    /// Learnt once more.
    Reinforce,
    /// Settled.
    Resolve,
    /// A settling was undone.
    Unresolve,
}

impl Action {
    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            Action::Archive => "archive",
            Action::Restore => "restore",
            Action::Pin => "pin",
            Action::Release => "release",
            Action::Reinforce => "reinforce",
            Action::Resolve => "resolve",
            Action::Unresolve => "unresolve",
        }
    }
}
