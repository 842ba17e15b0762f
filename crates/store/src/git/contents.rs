//! Contents of files in the history.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::process::Stdio;
use std::thread;

use super::{GitError, git, is_hash, start_error};
use crate::Root;

/// Reads the contents with some hashes, each up to `max_bytes`, and passes them on in their order; an empty one for a
/// content that the repository does not have.
pub(crate) fn read_contents(
    root: &Root,
    hashes: &[&str],
    max_bytes: usize,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), GitError> {
    if hashes.is_empty() {
        return Ok(());
    }
    let mut command = git(root);
    command.args(["cat-file", "--batch"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| start_error(&error))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(GitError("git has no output".into()));
    };
    let asked: String =
        hashes.iter().filter(|hash| is_hash(hash)).map(|hash| format!("{hash}\n")).collect();
    let read = thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(asked.as_bytes())));
        let mut output = BufReader::new(stdout);
        let mut content = Vec::new();
        for (position, hash) in hashes.iter().enumerate() {
            content.clear();
            if is_hash(hash) {
                read_one(&mut output, max_bytes, &mut content)?;
            }
            each(position, &content);
        }
        Ok(())
    });
    if read.is_err() {
        drop(child.kill());
    }
    drop(child.wait());
    read.map_err(|error: Error| GitError(error.to_string()))
}

/// Reads one object: a line `hash type size`, the content and a line break; or `hash missing`.
fn read_one(
    output: &mut impl BufRead,
    max_bytes: usize,
    content: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut header = String::new();
    if output.read_line(&mut header)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut words = header.split_whitespace().skip(1);
    let (Some(kind), Some(size)) = (words.next(), words.next()) else { return Ok(()) };
    let size: u64 = size.parse().map_err(|_| Error::from(ErrorKind::InvalidData))?;
    let kept = size.min(max_bytes as u64);
    output.take(kept).read_to_end(content)?;
    std::io::copy(&mut output.take(size - kept + 1), &mut std::io::sink())?;
    if kind != "blob" {
        content.clear();
    }
    Ok(())
}
