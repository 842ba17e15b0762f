//! A hash of the outcome of an input. The stable toolchain measures no coverage; a new outcome is nearly always a new
//! path through the code.

use std::hash::{DefaultHasher, Hash, Hasher};

use heirloom_core::yaml::{YamlKind, YamlNode};

/// The hash of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature(u64);

impl Signature {
    /// The outcome of an input that a target skips.
    pub const SKIPPED: Signature = Signature(0);

    /// Returns the signature of an outcome.
    pub fn of(outcome: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        outcome.hash(&mut hasher);
        Signature(hasher.finish())
    }
}

/// Returns the kind of a message: its words without quoted parts of the input.
pub fn kind_of(message: &str) -> String {
    let unquoted: String = message.split(['`', '"']).step_by(2).collect();
    unquoted
        .split_whitespace()
        .filter(|word| word.chars().all(char::is_alphabetic))
        .take(6)
        .collect()
}

/// Returns the shape of a YAML tree without its values.
pub fn shape(node: &YamlNode) -> String {
    let mut out = String::new();
    draw(node, 3, &mut out);
    out.truncate(24);
    out
}

fn draw(node: &YamlNode, depth: usize, out: &mut String) {
    let mark = match &node.kind {
        YamlKind::Scalar { style, value } => match (style, value.is_string()) {
            (heirloom_core::yaml::YamlStyle::Plain, true) => 's',
            (heirloom_core::yaml::YamlStyle::Plain, false) => 'n',
            (heirloom_core::yaml::YamlStyle::Single, _) => 'q',
            (heirloom_core::yaml::YamlStyle::Double, _) => 'd',
            (heirloom_core::yaml::YamlStyle::Block, _) => 'b',
        },
        YamlKind::List { flow: true, .. } => 'L',
        YamlKind::List { .. } => 'l',
        YamlKind::Map { flow: true, .. } => 'M',
        YamlKind::Map { .. } => 'm',
        YamlKind::Alias(_) => 'a',
    };
    out.push(mark);
    if node.anchored || node.tagged {
        out.push('&');
    }
    if depth == 0 {
        return;
    }
    match &node.kind {
        YamlKind::List { items, .. } => {
            items.iter().take(3).for_each(|item| draw(item, depth - 1, out));
        }
        YamlKind::Map { entries, .. } => {
            entries.iter().take(4).for_each(|entry| draw(&entry.value, depth - 1, out));
        }
        YamlKind::Scalar { .. } | YamlKind::Alias(_) => {}
    }
}
