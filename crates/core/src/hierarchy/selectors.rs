//! The names that are chosen for levels.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names chosen for levels, in order: `plan` → `0042-graph`.
///
/// A workspace has one of these for each of its documents, and many of them are alike: a clone shares
/// the names until it is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selectors {
    names: Arc<Vec<(String, String)>>,
}

impl Selectors {
    /// Chooses nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the name chosen for a level.
    pub fn get(&self, level: &str) -> Option<&String> {
        self.iter().find(|(own, _)| *own == level).map(|(_, name)| name)
    }

    /// Returns whether a name is chosen for a level.
    pub fn contains_key(&self, level: &str) -> bool {
        self.get(level).is_some()
    }

    /// Chooses a name for a level. A level that is new comes last.
    pub fn insert(&mut self, level: String, name: String) {
        let names = Arc::make_mut(&mut self.names);
        match names.iter_mut().find(|(own, _)| *own == level) {
            Some((_, own)) => *own = name,
            None => names.push((level, name)),
        }
    }

    /// Keeps the levels that a condition holds for.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        if !self.iter().all(|(level, _)| is_kept(level)) {
            Arc::make_mut(&mut self.names).retain(|(level, _)| is_kept(level));
        }
    }

    /// Orders the levels.
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

    /// Returns how many names are chosen.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether no name is chosen.
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

    fn chosen(names: &[(&str, &str)]) -> Selectors {
        names.iter().map(|(level, name)| ((*level).to_owned(), (*name).to_owned())).collect()
    }

    #[test]
    fn a_clone_is_changed_by_itself() {
        let plan = chosen(&[("plan", "0042-graph")]);
        let mut agent = plan.clone();
        agent.insert("agent".to_owned(), "001-schema".to_owned());
        assert_eq!(plan, chosen(&[("plan", "0042-graph")]));
        assert_eq!(agent, chosen(&[("plan", "0042-graph"), ("agent", "001-schema")]));
        assert_eq!(agent.last(), Some((&"agent".to_owned(), &"001-schema".to_owned())));
        agent.retain(|level| level == "plan");
        assert_eq!(agent, plan);
    }

    #[test]
    fn a_level_has_one_name() {
        let mut selectors = chosen(&[("plan", "a"), ("agent", "b"), ("plan", "c")]);
        assert_eq!(selectors, chosen(&[("plan", "c"), ("agent", "b")]));
        selectors.sort_by_key(str::to_owned);
        assert_eq!(selectors, chosen(&[("agent", "b"), ("plan", "c")]));
        assert_eq!(
            serde_json::to_string(&selectors).ok(),
            Some(r#"{"agent":"b","plan":"c"}"#.to_owned())
        );
    }
}
