//! The review of proposals in an editor.

use heirloom_engine::{Error, ReviewFile, Session};

use super::decisions::Proposal;
use super::review_text::{self, ReviewProblem};
use crate::exit::Code;
use crate::local::CommandContext;

/// Opens the proposals in an editor and carries out what was typed. A text that cannot be carried out is kept, and the
/// next review begins with it.
pub(super) fn run(
    call: &CommandContext<'_>,
    session: &Session,
    proposals: impl FnOnce() -> Result<Vec<Proposal>, Error>,
) -> Result<Code, Error> {
    let editor = call.environment.editor().ok_or_else(|| {
        Error::bad_input("no editor is set, and none was found")
            .hint("set VISUAL or EDITOR, or decide with --accept and --drop")
    })?;
    let proposals = proposals()?;
    let file = ReviewFile::of(session);
    let path = file.path();
    // A review that cannot be read is opened, too, since the editor can correct it.
    let is_begun = !matches!(file.read(), Ok(None));
    if is_begun {
        call.output.note(&format!("going on with {}", path.display()));
    } else if proposals.is_empty() {
        call.output.note("no proposals");
        return Ok(Code::Success);
    } else {
        file.write(&review_text::render(&proposals))?;
    }
    editor.open(&path)?;
    let again = "correct it with `heir cold extract --edit`, which opens the same text again";
    let text = file.read().map_err(|error| error.hint(again))?.unwrap_or_default();
    let decisions = review_text::parse(&text, &proposals).map_err(|problem| {
        let ReviewProblem { line, message } = problem;
        Error::bad_input(format!("{}:{line}: {message}", path.display())).hint(again)
    })?;
    let code = decisions.carry_out(call, session).inspect_err(|_| {
        call.output.note(&format!("the review is kept in {}", path.display()));
    })?;
    file.remove()?;
    Ok(code)
}
