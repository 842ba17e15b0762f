//! The text in which proposals are reviewed in an editor: a block for each, with a word for the decision.

use std::fmt::Write as _;

use heirloom_core::name;

use super::decisions::{Decisions, Proposal};

/// The indentation of the text of a proposal.
const INDENT: &str = "    ";

/// Fewest characters of an id that are compared.
const MIN_ID_CHARS: usize = 4;

/// The words of decisions, with their abbreviations.
const WORDS: [(&str, &str); 3] = [("accept", "a"), ("drop", "d"), ("skip", "s")];

const INSTRUCTIONS: &str = "\
# Change the first word of a block to decide about it, then save and close the editor.
#
#   accept  store it, with the text as it stands here
#   drop    never propose it again
#   skip    decide later; a block that is removed is skipped, too
#
# The text is what is indented. Lines that begin with # do not count.
";

/// What is wrong with a review.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReviewProblem {
    /// The line, counted from 1.
    pub(super) line: usize,
    pub(super) message: String,
}

/// Writes the blocks of proposals, each of them skipped.
pub(super) fn render(proposals: &[Proposal]) -> String {
    let mut text = INSTRUCTIONS.to_owned();
    for proposal in proposals {
        let Proposal { kind, confidence, source, reason, .. } = proposal;
        let id = proposal.short_id();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "\nskip {id}  {kind}  {confidence:.2}");
        let _ = writeln!(text, "# {}: {}", one_line(source), one_line(reason));
        if let Some((replaced, source)) = &proposal.replaces {
            let _ = writeln!(text, "# instead of: {} ({})", one_line(replaced), one_line(source));
        }
        for line in proposal.text.lines() {
            let _ = writeln!(text, "{INDENT}{line}");
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A block of the text.
struct Block<'t> {
    line: usize,
    word: &'static str,
    proposal: &'t Proposal,
    text: Vec<&'t str>,
}

/// Reads what was decided.
pub(super) fn parse(text: &str, proposals: &[Proposal]) -> Result<Decisions, ReviewProblem> {
    let mut blocks: Vec<Block<'_>> = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        let problem = |message: String| ReviewProblem { line: number, message };
        if line.starts_with('#') {
            continue;
        }
        let is_text = line.trim().is_empty() || line.starts_with([' ', '\t']);
        match (is_text, blocks.last_mut()) {
            (true, Some(block)) => {
                block.text.push(line.strip_prefix(INDENT).unwrap_or(line.trim()));
            }
            (true, None) if line.trim().is_empty() => {}
            (true, None) => {
                return Err(problem("this text belongs to no proposal".to_owned()));
            }
            (false, _) => {
                let block = parse_head(line, number, proposals).map_err(problem)?;
                let same = blocks.iter().find(|other| other.proposal.id == block.proposal.id);
                if let Some(same) = same {
                    let id = block.proposal.short_id();
                    return Err(problem(format!("{id} stands in line {} already", same.line)));
                }
                blocks.push(block);
            }
        }
    }
    let mut decisions = Decisions::default();
    for block in &blocks {
        let id = block.proposal.id.clone();
        match block.word {
            "accept" => {
                let text = block.text.join("\n").trim().to_owned();
                if text.is_empty() {
                    let message = "the text is empty; write `drop` or `skip` to leave it out";
                    return Err(ReviewProblem { line: block.line, message: message.to_owned() });
                }
                if text != block.proposal.text.trim() {
                    decisions.texts.push((id.clone(), text));
                }
                decisions.accept.push(id);
            }
            "drop" => decisions.drop.push(id),
            _ => {}
        }
    }
    Ok(decisions)
}

/// Reads the first line of a block: a word and an id; the rest only informs.
fn parse_head<'t>(
    line: &str,
    number: usize,
    proposals: &'t [Proposal],
) -> Result<Block<'t>, String> {
    let mut words = line.split_whitespace();
    let typed = words.next().unwrap_or_default();
    let is_typed = |(word, short): &&(&str, &str)| {
        typed.eq_ignore_ascii_case(word) || typed.eq_ignore_ascii_case(short)
    };
    let Some((word, _)) = WORDS.iter().find(is_typed) else {
        let near = name::nearest(typed, WORDS.iter().map(|(word, _)| *word), 1);
        let suggestion = near.first().map(|word| format!("; did you mean `{word}`?"));
        let suggestion = suggestion.unwrap_or_default();
        return Err(format!(
            "`{typed}` is no decision; a block begins with accept, drop or skip, and its text is indented{suggestion}"
        ));
    };
    let Some(id) = words.next() else { return Err(format!("the id after `{typed}` is missing")) };
    let wanted = id.to_lowercase();
    let is_meant =
        |proposal: &&Proposal| wanted.len() >= MIN_ID_CHARS && proposal.id.ends_with(&wanted);
    let mut found = proposals.iter().filter(is_meant);
    match (found.next(), found.next()) {
        (Some(proposal), None) => Ok(Block { line: number, word, proposal, text: vec![] }),
        (Some(_), Some(_)) => Err(format!("`{id}` stands for several proposals")),
        (None, _) => {
            Err(format!("no proposal that is listed now has the id `{id}`; remove the block"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposals() -> Vec<Proposal> {
        let proposal = |id: &str, text: &str| Proposal {
            id: id.to_owned(),
            kind: "instruction".to_owned(),
            text: text.to_owned(),
            confidence: 0.9,
            source: "a.jsonl:3".to_owned(),
            ..Proposal::default()
        };
        vec![
            proposal("0000aaaa1111", "Always run clippy."),
            proposal("0000bbbb2222", "# No panics.\n\nNever unwrap."),
            proposal("0000cccc3333", "Use tabs."),
        ]
    }

    fn problem(text: &str) -> (usize, String) {
        let ReviewProblem { line, message } = parse(text, &proposals()).unwrap_err();
        (line, message)
    }

    #[test]
    fn a_text_that_was_not_changed_decides_nothing() {
        let text = render(&proposals());
        assert_eq!(parse(&text, &proposals()), Ok(Decisions::default()));
        let accepted = text.replace("skip ", "accept ");
        let decisions = parse(&accepted, &proposals()).unwrap();
        assert_eq!(decisions.accept.len(), 3);
        // Text that begins with # and empty lines come back unchanged.
        assert_eq!(decisions.texts, []);
        let trimmed: Vec<&str> = accepted.lines().map(str::trim_end).collect();
        assert_eq!(parse(&trimmed.join("\r\n"), &proposals()).unwrap(), decisions);
    }

    #[test]
    fn words_ids_and_texts_are_read() {
        let text = "a aaaa1111\n    Always run clippy first.\nDROP bbbb2222  instruction\n\n# x\n";
        assert_eq!(
            parse(text, &proposals()).unwrap(),
            Decisions {
                accept: vec!["0000aaaa1111".to_owned()],
                texts: vec![("0000aaaa1111".to_owned(), "Always run clippy first.".to_owned())],
                drop: vec!["0000bbbb2222".to_owned()],
            }
        );
        assert_eq!(parse("", &proposals()), Ok(Decisions::default()));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let (line, message) = problem("# x\nacept aaaa1111\n    Text.\n");
        assert_eq!(line, 2);
        assert!(message.contains("did you mean `accept`?"), "{message}");
        assert_eq!(problem("accept\n").1, "the id after `accept` is missing");
        assert_eq!(problem("skip dddd\n").0, 1);
        assert_eq!(problem("    Text.\n").1, "this text belongs to no proposal");
        let (line, message) = problem("skip aaaa1111\n\ndrop aaaa1111\n");
        assert_eq!((line, message.as_str()), (3, "aaaa1111 stands in line 1 already"));
        assert_eq!(problem("skip aaaa1111\naccept bbbb2222\n\n").0, 2);
    }
}
