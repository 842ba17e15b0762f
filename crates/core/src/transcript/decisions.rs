//! The choices of a session: what the user answered, what stands under a heading, what sentences
//! say.

use std::collections::HashSet;

use super::blocks::Kind;
use super::talk::Talk;
use super::{Transcript, prose, signals};

/// Something that was decided. What the structure says is kept before what words say.
struct Decision {
    line: usize,
    text: String,
    by_structure: bool,
}

/// Returns the choices that a transcript states, at most so many.
pub(super) fn decisions(transcript: &Transcript, talk: &Talk<'_>, most: usize) -> Vec<String> {
    let mut found: Vec<Decision> = vec![];
    for choice in &transcript.choices {
        found.push(Decision { line: choice.line, text: choice.text.clone(), by_structure: true });
    }
    for spoken in &talk.spoken {
        let line = spoken.turn.line;
        for block in spoken.items_under(signals::heads_decisions) {
            found.push(Decision { line, text: block.text.clone(), by_structure: true });
        }
        let listed: HashSet<&str> =
            spoken.items_under(signals::heads_decisions).map(|block| block.text.as_str()).collect();
        let blocks = spoken.blocks.iter().filter(|block| block.kind != Kind::Heading);
        for block in blocks.filter(|block| !listed.contains(block.text.as_str())) {
            let stated =
                prose::sentences(&block.text).into_iter().filter(|it| signals::decides(it));
            found.extend(stated.map(|text| Decision {
                line,
                text: text.to_owned(),
                by_structure: false,
            }));
        }
    }
    found.sort_by_key(|decision| decision.line);
    let mut seen = HashSet::new();
    found.retain(|decision| seen.insert(prose::key(&decision.text)));
    for by_structure in [false, true] {
        let mut over = found.len().saturating_sub(most);
        found.retain(|decision| {
            let dropped = over > 0 && decision.by_structure == by_structure;
            over -= usize::from(dropped);
            !dropped
        });
    }
    found.into_iter().map(|decision| decision.text).collect()
}
