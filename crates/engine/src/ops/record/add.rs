//! Shared by the operations that add an episode, a pattern, a workflow or a note.

use heirloom_core::record::Body;

use crate::memory::{RecordAttributes, WriteTransaction, current_session};
use crate::ops::answers::StoredRecord;
use crate::recall::read_affected_by_new;
use crate::workspace::input_checks::check_title;
use crate::{Error, Session};

/// Returns the text without surrounding space, or an error with `message` if nothing is left.
pub(crate) fn require_text(text: &str, message: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() { Err(Error::bad_input(message)) } else { Ok(text.to_owned()) }
}

/// Does the same as [`require_text`] for a title or a trigger, which must not be too long either.
pub(crate) fn require_title(title: &str, message: &str) -> Result<String, Error> {
    let title = require_text(title, message)?;
    check_title(&title)?;
    Ok(title)
}

/// Writes a new record in a transaction of its own.
pub(crate) fn store(
    session: &Session,
    body: Body,
    attributes: &RecordAttributes,
) -> Result<StoredRecord, Error> {
    let mut transaction = WriteTransaction::begin(session, attributes.allow_secret)?;
    let mut record = transaction.new_record(body);
    // An episode that a command ends or compacts has an origin instead; one that is added is part of the open session.
    record.session = current_session(session);
    let known = read_affected_by_new(session, &record, attributes)?;
    attributes.apply_to(&mut record, &mut transaction, &known)?;
    transaction.write(&known, &record)?;
    transaction.commit()?;
    Ok(StoredRecord::of("stored", &record))
}
