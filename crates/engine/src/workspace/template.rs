//! Recognises template text: the placeholders that `heir init` and the `new` commands write. As it carries
//! no information until it is replaced, it is left out of contexts, token counts and recall.

use std::collections::HashSet;
use std::sync::OnceLock;

use heirloom_core::document::DocumentSection;
use heirloom_core::words::normalise;
use heirloom_core::{Document, hierarchy, memory};
use heirloom_store::layout::{DocumentRole, HierarchyDocument};
use jiff::civil::Date;

use super::{new_workspace, scaffold};

/// Returns whether the text of a section is template text.
pub(crate) fn is_template_text(body: &str) -> bool {
    let templates = templates();
    // A cheap check first: most texts begin with a word that no template begins with.
    let first = body.split_whitespace().next().map(normalise).unwrap_or_default();
    templates.first_words.contains(&first) && templates.bodies.contains(&normalise(body.trim()))
}

/// Returns whether a document still is an unedited template. Its title is ignored, because `plan new` and
/// similar commands ask for one.
pub(crate) fn is_unedited(document: &Document) -> bool {
    let states: Vec<SectionState> = document.sections().iter().map(section_state).collect();
    states.contains(&SectionState::Untouched) && !states.contains(&SectionState::Written)
}

/// Removes template text from a document and from its text. Values keep their line numbers. Returns whether
/// the document is empty afterwards.
pub(crate) fn remove_template_text(placed: &mut HierarchyDocument) -> bool {
    let document = &placed.document;
    let is_named = placed.role == DocumentRole::Main && !placed.selectors.is_empty();
    let keeps_title = is_named || !is_unedited(document);
    let Some(kept) = kept_lines(document, keeps_title) else { return false };
    let mut prose = String::with_capacity(document.prose.len());
    let mut blanked = String::with_capacity(document.prose.len());
    for (line, is_kept) in document.prose.split_inclusive('\n').zip(kept) {
        if is_kept {
            prose.push_str(line);
            blanked.push_str(line);
        } else {
            blanked.push_str(&line[line.trim_end_matches(['\n', '\r']).len()..]);
        }
    }
    let head = placed.text.strip_suffix(document.prose.as_str()).unwrap_or_default();
    let without = Document::parse(&document.path, &format!("{head}{blanked}"));
    let is_empty = prose.trim().is_empty() && without.values.is_empty();
    placed.text = if is_empty { String::new() } else { format!("{head}{prose}") };
    *placed.document = Document {
        title: document.title.clone(),
        problems: document.problems.clone(),
        prose,
        ..without
    };
    is_empty
}

/// Returns prose without template text. The title stays.
pub(crate) fn without_template_text(prose: &str) -> String {
    // With a leading line break, a rule (`---`) at the start is not read as front matter.
    let document = Document::parse("", &format!("\n{prose}"));
    let Some(kept) = kept_lines(&document, true) else { return prose.to_owned() };
    let lines = document.prose.split_inclusive('\n').zip(kept).skip(1);
    lines.filter(|(_, is_kept)| *is_kept).map(|(line, _)| line).collect()
}

/// Returns which lines of the prose stay; `None` if all of them do.
fn kept_lines(document: &Document, keeps_title: bool) -> Option<Vec<bool>> {
    let sections = document.sections();
    let states: Vec<SectionState> = sections.iter().map(section_state).collect();
    if !states.contains(&SectionState::Untouched) {
        return None;
    }
    let level = |at: usize| sections[at].heading.map_or(0, |heading| heading.level);
    let mut kept = vec![true; document.prose.lines().count()];
    for (at, section) in sections.iter().enumerate() {
        let below = (at + 1..sections.len()).take_while(|other| level(*other) > level(at));
        let is_written =
            std::iter::once(at).chain(below).any(|at| states[at] == SectionState::Written);
        let keeps_heading = is_written || level(at) == 1 && keeps_title;
        let end = section.start + section.lines.len();
        if states[at] != SectionState::Written {
            kept[section.start..end].fill(false);
        }
        if section.heading.is_some() {
            kept[section.start - 1] = keeps_heading;
            // A heading without text still keeps the blank line after it.
            if keeps_heading && section.lines.first().is_some_and(|line| line.trim().is_empty()) {
                kept[section.start] = true;
            }
        }
    }
    Some(kept)
}

/// Whether a section was edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionState {
    /// It was edited.
    Written,
    /// It contains the text of the template.
    Untouched,
    /// It has no text, as in the template.
    Empty,
}

fn section_state(section: &DocumentSection<'_>) -> SectionState {
    let body = section.lines.join("\n");
    let is_empty_in_template = section.heading.is_none_or(|heading| {
        heading.level == 1 || templates().empty_headings.contains(&normalise(&heading.text))
    });
    match body.trim() {
        "" if is_empty_in_template => SectionState::Empty,
        "" => SectionState::Written,
        body if is_template_text(body) => SectionState::Untouched,
        _ => SectionState::Written,
    }
}

/// The texts of all templates.
#[derive(Debug, Default)]
struct Templates {
    /// The texts of their sections, normalised.
    bodies: HashSet<String>,
    /// The first word of each of these texts, normalised.
    first_words: HashSet<String>,
    /// The headings of empty sections, normalised.
    empty_headings: HashSet<String>,
}

/// Returns a new document of every kind.
fn new_documents() -> Vec<String> {
    let day = Date::ZERO;
    let mut documents = vec![
        scaffold::project("x", None, day),
        scaffold::plan("x", None, None, day),
        scaffold::agent("x", "x", None, day),
        scaffold::adr("x", "x", "proposed", day),
        memory::agent_template("x", "x", "x", day),
        memory::plan_template("x", "x", day),
        memory::level_template("x", "x", "x", day),
    ];
    for hierarchy in hierarchy::built_in().keys() {
        let files = new_workspace::initial_files(hierarchy, "x", day).into_iter();
        documents.extend(files.filter(|(path, _)| path.ends_with(".md")).map(|(_, text)| text));
    }
    documents
}

fn templates() -> &'static Templates {
    static TEMPLATES: OnceLock<Templates> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let mut templates = Templates::default();
        for text in new_documents() {
            let document = Document::parse("", &text);
            for section in document.sections() {
                let body = normalise(section.lines.join("\n").trim());
                match section.heading {
                    _ if !body.is_empty() => {
                        let first = body.split_whitespace().next().map(normalise);
                        templates.first_words.extend(first);
                        templates.bodies.extend([body]);
                    }
                    Some(heading) => templates.empty_headings.extend([normalise(&heading.text)]),
                    None => {}
                }
            }
        }
        templates
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use heirloom_core::hierarchy::Selectors;
    use jiff::civil::date;

    fn placed(text: &str, selectors: Selectors) -> HierarchyDocument {
        HierarchyDocument {
            level: "workspace".into(),
            priority: 0,
            pattern: 0,
            role: DocumentRole::Main,
            selectors,
            text: text.into(),
            document: Box::new(Document::parse("w.md", text)),
        }
    }

    #[test]
    fn a_new_workspace_is_empty_without_its_templates() {
        let mut new = placed(&scaffold::workspace("Larkspur", date(2026, 2, 22)), Selectors::new());
        assert!(is_unedited(&new.document));
        assert!(remove_template_text(&mut new));
        assert_eq!((new.document.prose.trim(), new.text.as_str()), ("", ""));
        assert!(new.document.values.is_empty());
        assert_eq!(new.document.title.as_deref(), Some("Workspace: Larkspur"));
    }

    #[test]
    fn an_edited_section_stays_with_the_title() {
        let text = scaffold::workspace("Larkspur", date(2026, 2, 22));
        let principle = "- What every agent should hold to, whatever it works on.";
        let text = text.replace(principle, "- Be kind.");
        let text = text.replace("defaults: {}", "defaults:\n  coverage: 80%");
        let mut edited = placed(&text, Selectors::new());
        let line = edited.document.line_of("defaults.coverage");
        assert!(!is_unedited(&edited.document) && !remove_template_text(&mut edited));
        assert_eq!(
            edited.document.prose,
            "# Workspace: Larkspur\n\n## Principles\n\n- Be kind.\n\n## Defaults\n\nProjects, plans and agents inherit these and may override them:\n\n```yaml\ndefaults:\n  coverage: 80%\n```\n"
        );
        assert_eq!(edited.document.line_of("defaults.coverage"), line);
    }

    #[test]
    fn a_new_plan_keeps_its_title() {
        let names = Selectors::from_iter([("plan".to_owned(), "0001-x".to_owned())]);
        let plan = scaffold::plan("Refund flow", None, None, date(2026, 2, 22));
        let mut new = placed(&plan, names);
        assert!(!remove_template_text(&mut new));
        assert_eq!(new.document.prose.trim(), "# Refund flow");
    }

    #[test]
    fn documents_without_template_text_are_unchanged() {
        for text in ["# W\n", "Words.\n", "# A\n\n## Decisions\n\n## Full\n\nText.\n", ""] {
            let mut placed_document = placed(text, Selectors::new());
            assert!(
                !is_unedited(&placed_document.document)
                    && !remove_template_text(&mut placed_document)
            );
            assert_eq!(placed_document.document.prose, text);
        }
    }
}
