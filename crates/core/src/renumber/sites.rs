//! The places in a text where a bare number can refer to a record or a plan.

use std::ops::Range;

use super::NumberedName;
use crate::document::link_ranges;
use crate::frontmatter::{self, FrontMatterLocation};
use crate::yaml::{self, YamlKind, YamlNode};

/// Front-matter keys whose values refer to records by number.
const RECORD_KEYS: &[&str] =
    &["supersedes", "superseded_by", "superseded-by", "replaces", "replaced_by", "obsoletes"];

/// Front-matter keys whose values refer to plans by number.
const PLAN_KEYS: &[&str] = &["depends_on", "plan"];

/// Front-matter keys that state the document's own number.
const OWN_NUMBER_KEYS: &[&str] = &["id", "number", "title", "name"];

/// A link in the text.
#[derive(Debug)]
pub(super) struct MarkdownLink {
    bytes: Range<usize>,
    pub(super) destination: String,
}

/// The places of numbers in a text.
#[derive(Debug, Default)]
pub(super) struct NumberSites {
    /// The heading and the values that may start with the document's own number.
    own_number: Vec<Range<usize>>,
    /// Front-matter values that may be the number of a record or a plan.
    number_fields: Vec<Range<usize>>,
    /// The links in the order of the text.
    links: Vec<MarkdownLink>,
}

impl MarkdownLink {
    /// Returns whether the link's label starts with this number: `[1. Use SQLite](…)`.
    pub(super) fn starts_with_number(&self, text: &str, run: &Range<usize>) -> bool {
        text[self.bytes.start..run.start].trim_matches(['[', ' ']).is_empty()
            && text[run.end..].starts_with(['.', ':', ']', ' '])
    }
}

impl NumberSites {
    /// Finds the places in a text; `has_own_number` says whether the text may state `name`'s number as
    /// its own.
    pub(super) fn of(text: &str, name: &NumberedName, has_own_number: bool) -> Self {
        let mut sites = NumberSites::default();
        let mut body = 0;
        if let FrontMatterLocation::Block { yaml, body: after } = frontmatter::split(text) {
            body = after;
            if let Ok(Some(root)) = yaml::parse(&text[yaml.clone()]) {
                let keys = if name.is_plan { PLAN_KEYS } else { RECORD_KEYS };
                let values_of = |keys: &[&str]| -> Vec<Range<usize>> {
                    let values = keys.iter().filter_map(|key| root.entry(key));
                    values.flat_map(|entry| scalars(&entry.value, yaml.start)).collect()
                };
                sites.number_fields = values_of(keys);
                if has_own_number {
                    sites.own_number = values_of(OWN_NUMBER_KEYS);
                }
            }
        }
        if has_own_number {
            sites.own_number.extend(first_heading(text, body));
        }
        let links = link_ranges(&text[body..]).into_iter();
        sites.links = links
            .map(|(range, destination)| MarkdownLink {
                bytes: range.start + body..range.end + body,
                destination,
            })
            .collect();
        sites
    }

    /// Returns the link around a byte offset.
    pub(super) fn link_around(&self, offset: usize) -> Option<&MarkdownLink> {
        let next = self.links.partition_point(|link| link.bytes.start <= offset);
        let last = next.checked_sub(1).map(|last| &self.links[last]);
        last.filter(|link| link.bytes.contains(&offset))
    }

    /// Returns whether a number is the whole value of a front-matter field that refers to a record or a
    /// plan.
    pub(super) fn is_number_field(&self, text: &str, run: &Range<usize>) -> bool {
        self.number_fields.iter().any(|field| {
            field.contains(&run.start)
                && *text[field.clone()].trim_matches(['"', '\'']) == text[run.clone()]
        })
    }

    /// Returns whether a number is the document's own: at the start of its heading, title or id, alone or
    /// after `ADR`.
    pub(super) fn is_own_number(
        &self,
        text: &str,
        name: &NumberedName,
        run: &Range<usize>,
    ) -> bool {
        let Some(site) = self.own_number.iter().find(|site| site.contains(&run.start)) else {
            return false;
        };
        let before = text[site.start..run.start]
            .trim_start_matches(|c: char| c.is_whitespace() || "#'\"[*`".contains(c))
            .trim_end_matches(['-', '_', ' ', '#', ':']);
        let after = &text[run.end..site.end];
        let ends_word = !after.starts_with(char::is_alphanumeric);
        if before.is_empty() {
            let is_decimal = after
                .strip_prefix('.')
                .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
            let is_alone = after.trim_matches(['"', '\'']).is_empty();
            let is_separated = after.starts_with(['.', ':', ')'])
                || [" -", " –", " —"].iter().any(|dash| after.starts_with(dash));
            return !is_decimal && ends_word && (is_separated || is_alone || run.len() >= 3);
        }
        ends_word && before.eq_ignore_ascii_case(&name.word_in_text)
    }
}

/// Returns the byte ranges of a scalar, or of the scalars of a list.
fn scalars(node: &YamlNode, offset: usize) -> Vec<Range<usize>> {
    let nodes = match &node.kind {
        YamlKind::List { items, .. } => items.as_slice(),
        YamlKind::Scalar { .. } | YamlKind::Map { .. } | YamlKind::Alias(_) => {
            std::slice::from_ref(node)
        }
    };
    let is_scalar = |node: &&YamlNode| matches!(node.kind, YamlKind::Scalar { .. });
    let bytes = nodes.iter().filter(is_scalar).map(|node| &node.bytes);
    bytes.map(|bytes| bytes.start + offset..bytes.end + offset).collect()
}

/// Returns the range of the first heading after the offset `body`: `# Title`, or an underlined line.
fn first_heading(text: &str, body: usize) -> Option<Range<usize>> {
    let mut at = body;
    let mut lines = text[body..].split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    });
    let mut previous: Option<(usize, &str)> = None;
    lines.find_map(|(start, line)| {
        if line.starts_with("# ") {
            return Some(start..start + line.len());
        }
        let is_underline = line.len() >= 3 && line.chars().all(|c| c == '=' || c == '#');
        let above = previous.replace((start, line)).filter(|(_, above)| !above.trim().is_empty());
        above.filter(|_| is_underline).map(|(start, above)| start..start + above.len())
    })
}

/// Extends the underline of the first heading to the length of the heading, as reStructuredText
/// requires.
pub(super) fn extend_underline(text: &mut String) {
    let body = frontmatter::body_start(text);
    let Some(title) =
        first_heading(text, body).filter(|title| !text[title.clone()].starts_with('#'))
    else {
        return;
    };
    let Some(start) = text[title.end..].find('\n').map(|at| title.end + at + 1) else { return };
    let underline = text[start..].lines().next().unwrap_or_default().trim_end();
    let missing = text[title].chars().count().saturating_sub(underline.len());
    let end = start + underline.len();
    let extension = underline.get(..1).unwrap_or_default().repeat(missing);
    text.insert_str(end, &extension);
}
