//! What adding an episode, a pattern and a workflow have in common.

use heirloom_core::record::Body;

use crate::memory::{Particulars, WriteTransaction};
use crate::ops::answers::Stored;
use crate::recall::read_around_new;
use crate::{Error, Session};

/// Returns a name that says something.
pub(crate) fn named(name: &str, without: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() { Err(Error::bad_input(without)) } else { Ok(name.to_owned()) }
}

/// Writes a new record.
pub(crate) fn store(
    session: &Session,
    body: Body,
    particulars: &Particulars,
) -> Result<Stored, Error> {
    let mut transaction = WriteTransaction::begin(session, particulars.allow_secret)?;
    let mut record = transaction.record(body);
    let known = read_around_new(session, &record, particulars)?;
    particulars.fill(&mut record, &mut transaction, &known)?;
    transaction.write(&known, &record)?;
    transaction.commit()?;
    Ok(Stored::of("stored", &record))
}
