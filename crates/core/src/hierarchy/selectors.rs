//! The names that are selected for levels.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The selected names by level, in order: `plan` → `0042-graph`.
///
/// Clones are copy-on-write, since every document of a workspace has selectors and many are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selectors {
    names: Arc<Vec<(String, String)>>,
}

impl Selectors {
    /// Makes empty selectors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the name selected for a level.
    pub fn get(&self, level: &str) -> Option<&String> {
        self.iter().find(|(other, _)| *other == level).map(|(_, name)| name)
    }

    /// Returns whether a name is selected for a level.
    pub fn contains_key(&self, level: &str) -> bool {
        self.get(level).is_some()
    }

    /// Selects a name for a level; a new level is added at the end.
    pub fn insert(&mut self, level: String, name: String) {
        let names = Arc::make_mut(&mut self.names);
        match names.iter_mut().find(|(other, _)| *other == level) {
            Some((_, selected)) => *selected = name,
            None => names.push((level, name)),
        }
    }

    /// Keeps the levels for which the condition holds.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        if !self.iter().all(|(level, _)| is_kept(level)) {
            Arc::make_mut(&mut self.names).retain(|(level, _)| is_kept(level));
        }
    }

    /// Sorts the levels by a key.
    pub fn sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&str) -> K) {
        Arc::make_mut(&mut self.names).sort_by_key(|(level, _)| key(level));
    }

    /// Returns the levels with their names, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&String, &String)> + ExactSizeIterator {
        self.names.iter().map(|(level, name)| (level, name))
    }

    /// Returns the names, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator {
        self.iter().map(|(_, name)| name)
    }

    /// Returns the last level with its name.
    pub fn last(&self) -> Option<(&String, &String)> {
        self.iter().next_back()
    }

    /// Returns the number of selected names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether no name is selected.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl Extend<(String, String)> for Selectors {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, more: I) {
        more.into_iter().for_each(|(level, name)| self.insert(level, name));
    }
}

impl FromIterator<(String, String)> for Selectors {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(names: I) -> Self {
        let mut selectors = Self::new();
        selectors.extend(names);
        selectors
    }
}

impl Serialize for Selectors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Selectors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IndexMap::<String, String>::deserialize(deserializer).map(Self::from_iter)
    }
}

impl JsonSchema for Selectors {
    fn schema_name() -> Cow<'static, str> {
        IndexMap::<String, String>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        IndexMap::<String, String>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        IndexMap::<String, String>::inline_schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selectors(names: &[(&str, &str)]) -> Selectors {
        names.iter().map(|(level, name)| ((*level).to_owned(), (*name).to_owned())).collect()
    }

    #[test]
    fn changing_a_clone_keeps_the_original() {
        let plan = selectors(&[("plan", "0042-graph")]);
        let mut agent = plan.clone();
        agent.insert("agent".to_owned(), "001-schema".to_owned());
        assert_eq!(plan, selectors(&[("plan", "0042-graph")]));
        assert_eq!(agent, selectors(&[("plan", "0042-graph"), ("agent", "001-schema")]));
        assert_eq!(agent.last(), Some((&"agent".to_owned(), &"001-schema".to_owned())));
        agent.retain(|level| level == "plan");
        assert_eq!(agent, plan);
    }

    #[test]
    fn a_level_has_one_name() {
        let mut selected = selectors(&[("plan", "a"), ("agent", "b"), ("plan", "c")]);
        assert_eq!(selected, selectors(&[("plan", "c"), ("agent", "b")]));
        selected.sort_by_key(str::to_owned);
        assert_eq!(selected, selectors(&[("agent", "b"), ("plan", "c")]));
        assert_eq!(
            serde_json::to_string(&selected).ok(),
            Some(r#"{"agent":"b","plan":"c"}"#.to_owned())
        );
    }
}
