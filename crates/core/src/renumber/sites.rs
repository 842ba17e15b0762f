//! The places of a text at which a bare number can stand for a record or a plan.

use std::ops::Range;

use super::Name;
use crate::document::link_ranges;
use crate::frontmatter::{self, Split};
use crate::yaml::{self, Kind, Node};

/// Keys of the front matter in which a record is named by its number.
const RECORD_KEYS: &[&str] =
    &["supersedes", "superseded_by", "superseded-by", "replaces", "replaced_by", "obsoletes"];

/// Keys in which a plan is named by its number.
const PLAN_KEYS: &[&str] = &["depends_on", "plan"];

/// Keys with which a document states its own number.
const OWN_KEYS: &[&str] = &["id", "number", "title", "name"];

/// A link of the text.
#[derive(Debug)]
pub(super) struct Link {
    bytes: Range<usize>,
    pub(super) destination: String,
}

/// Where numbers stand in a text.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// What begins with the document's own number, if it holds it.
    own: Vec<Range<usize>>,
    /// Values that are the number of a record or a plan.
    fields: Vec<Range<usize>>,
    /// The links, in order.
    links: Vec<Link>,
}

impl Link {
    /// Returns whether the link's label begins with this number: `[1. Use SQLite](…)`.
    pub(super) fn starts_with_number(&self, text: &str, run: &Range<usize>) -> bool {
        text[self.bytes.start..run.start].trim_matches(['[', ' ']).is_empty()
            && text[run.end..].starts_with(['.', ':', ']', ' '])
    }
}

impl Sites {
    pub(super) fn of(text: &str, name: &Name, is_own: bool) -> Self {
        let mut sites = Sites::default();
        let mut body = 0;
        if let Split::Block { yaml, body: after } = frontmatter::split(text) {
            body = after;
            if let Ok(Some(root)) = yaml::parse(&text[yaml.clone()]) {
                let keys = if name.is_plan { PLAN_KEYS } else { RECORD_KEYS };
                let values_of = |keys: &[&str]| -> Vec<Range<usize>> {
                    let values = keys.iter().filter_map(|key| root.entry(key));
                    values.flat_map(|entry| scalars(&entry.value, yaml.start)).collect()
                };
                sites.fields = values_of(keys);
                if is_own {
                    sites.own = values_of(OWN_KEYS);
                }
            }
        }
        if is_own {
            sites.own.extend(heading(text, body));
        }
        let links = link_ranges(&text[body..]).into_iter();
        sites.links = links
            .map(|(range, destination)| Link {
                bytes: range.start + body..range.end + body,
                destination,
            })
            .collect();
        sites
    }

    /// Returns the link that a position lies in.
    pub(super) fn link_around(&self, at: usize) -> Option<&Link> {
        let next = self.links.partition_point(|link| link.bytes.start <= at);
        next.checked_sub(1).map(|last| &self.links[last]).filter(|link| link.bytes.contains(&at))
    }

    /// Returns whether a number is a whole value that names a record or a plan.
    pub(super) fn is_number_field(&self, text: &str, run: &Range<usize>) -> bool {
        self.fields.iter().any(|field| {
            field.contains(&run.start)
                && *text[field.clone()].trim_matches(['"', '\'']) == text[run.clone()]
        })
    }

    /// Returns whether a number is the one that the document states as its own: at the start of its
    /// heading, its title or its id, alone or after `ADR`.
    pub(super) fn is_own_number(&self, text: &str, name: &Name, run: &Range<usize>) -> bool {
        let Some(site) = self.own.iter().find(|site| site.contains(&run.start)) else {
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
            let is_set_off = after.starts_with(['.', ':', ')'])
                || [" -", " –", " —"].iter().any(|dash| after.starts_with(dash));
            return !is_decimal && ends_word && (is_set_off || is_alone || run.len() >= 3);
        }
        ends_word && before.eq_ignore_ascii_case(&name.prefix)
    }
}

fn scalars(node: &Node, offset: usize) -> Vec<Range<usize>> {
    let nodes = match &node.kind {
        Kind::List { items, .. } => items.as_slice(),
        Kind::Scalar { .. } | Kind::Map { .. } | Kind::Alias(_) => std::slice::from_ref(node),
    };
    let is_scalar = |node: &&Node| matches!(node.kind, Kind::Scalar { .. });
    let bytes = nodes.iter().filter(is_scalar).map(|node| &node.bytes);
    bytes.map(|bytes| bytes.start + offset..bytes.end + offset).collect()
}

/// Returns the text of the first heading: `# Title`, or a line with its underline.
fn heading(text: &str, body: usize) -> Option<Range<usize>> {
    let mut at = body;
    let mut lines = text[body..].split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    });
    let mut last: Option<(usize, &str)> = None;
    lines.find_map(|(start, line)| {
        if line.starts_with("# ") {
            return Some(start..start + line.len());
        }
        let is_underline = line.len() >= 3 && line.chars().all(|c| c == '=' || c == '#');
        let above = last.replace((start, line)).filter(|(_, above)| !above.trim().is_empty());
        above.filter(|_| is_underline).map(|(start, above)| start..start + above.len())
    })
}

/// Makes the underline of a heading as long as the heading, which reStructuredText asks for.
pub(super) fn mend_underline(text: &mut String) {
    let body = match frontmatter::split(text) {
        Split::Block { body, .. } => body,
        Split::None | Split::Unclosed => 0,
    };
    let Some(title) = heading(text, body).filter(|title| !text[title.clone()].starts_with('#'))
    else {
        return;
    };
    let Some(start) = text[title.end..].find('\n').map(|at| title.end + at + 1) else { return };
    let underline = text[start..].lines().next().unwrap_or_default().trim_end();
    let missing = text[title].chars().count().saturating_sub(underline.len());
    let end = start + underline.len();
    let mark = underline.get(..1).unwrap_or_default().repeat(missing);
    text.insert_str(end, &mark);
}
