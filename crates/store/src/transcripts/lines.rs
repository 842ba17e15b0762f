//! Lines of a file, in memory that does not grow with the file or with the line.

use std::io::{self, BufRead, BufReader, Read};

use heirloom_core::transcript::MAX_LINE_BYTES;
use memchr::memchr;

/// The size of the buffer for a whole file.
const FILE_BUFFER_BYTES: usize = 256 * 1024;

/// The size of the buffer for a single line, which is usually short.
const LINE_BUFFER_BYTES: usize = 16 * 1024;

/// What follows in a file after so many bytes is not read, compressed or not: a sparse file and an archive bomb have no
/// end.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Reads lines.
pub(super) struct Lines {
    from: BufReader<Box<dyn Read + Send>>,
    /// The line that was read last, without its line break.
    pub(super) line: Vec<u8>,
    /// How many bytes were read.
    pub(super) offset: u64,
}

/// A line that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRead {
    /// The number of its bytes, without the line break.
    pub(super) length: u64,
    /// Whether it ends with a line break.
    pub(super) is_terminated: bool,
}

impl LineRead {
    /// Returns whether the line is so long that its bytes were skipped.
    pub(super) fn is_too_long(self) -> bool {
        self.length > MAX_LINE_BYTES as u64
    }
}

impl Lines {
    /// Reads all lines from the present position of a file, which is `offset` bytes from its beginning.
    pub(super) fn new(from: Box<dyn Read + Send>, offset: u64) -> Self {
        Lines { from: BufReader::with_capacity(FILE_BUFFER_BYTES, from), line: vec![], offset }
    }

    /// Reads the line at the present position of a file, like [`Lines::new`], and not much behind it.
    pub(super) fn of_single_line(from: Box<dyn Read + Send>, offset: u64) -> Self {
        Lines { from: BufReader::with_capacity(LINE_BUFFER_BYTES, from), line: vec![], offset }
    }

    /// Reads the next line into `line`; `None` at the end. Of a line that is too long, nothing is kept.
    pub(super) fn read(&mut self) -> io::Result<Option<LineRead>> {
        self.line.clear();
        let mut length = 0;
        loop {
            let bytes = match self.from.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let is_over = bytes.is_empty() || self.offset >= MAX_FILE_BYTES;
            if is_over {
                let is_line = length > 0;
                return Ok(is_line.then_some(LineRead { length, is_terminated: false }));
            }
            let end = memchr(b'\n', bytes);
            let part = &bytes[..end.unwrap_or(bytes.len())];
            length += part.len() as u64;
            if length <= MAX_LINE_BYTES as u64 {
                self.line.extend_from_slice(part);
            } else {
                self.line = Vec::new();
            }
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            self.offset += used as u64;
            if end.is_some() {
                return Ok(Some(LineRead { length, is_terminated: true }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_their_offsets() {
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let text = format!("a\n\nbc\r\n{long}\nd");
        let mut lines = Lines::new(Box::new(io::Cursor::new(text.clone().into_bytes())), 0);
        let mut found = vec![];
        while let Some(line) = lines.read().unwrap() {
            let shown = String::from_utf8_lossy(&lines.line).into_owned();
            found.push((shown, line.is_too_long(), line.is_terminated, lines.offset));
        }
        let end = text.len() as u64;
        let expected = [
            ("a", false, true, 2),
            ("", false, true, 3),
            ("bc\r", false, true, 7),
            ("", true, true, end - 1),
            ("d", false, false, end),
        ];
        let expected = expected.map(|(text, long, end, at)| (text.to_owned(), long, end, at));
        assert_eq!(found, expected);
    }
}
