//! Reading one transcript, message by message.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use heirloom_core::transcript::{Format, MAX_LINE_BYTES, Message, MessageStream, detect_format};
use heirloom_core::{Problem, byte_order_mark};
use ruzstd::decoding::StreamingDecoder;
use serde::{Deserialize, Serialize};

use super::lines::{Lines, MAX_FILE_BYTES};
use super::opencode::SessionRows;
use super::{Place, Transcript};
use crate::{Root, StoreError};

/// How many bytes at the beginning decide about the format.
const FORMAT_SAMPLE_BYTES: u64 = 256 * 1024;

/// How many bytes before the end are compared when a file has grown.
const CHECKED_BYTES: u64 = 4096;

/// How far a transcript was read. It can be stored, and reading continues from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The number of bytes, uncompressed, that were read.
    pub offset: u64,
    /// The number of lines that were read.
    pub lines: usize,
    /// Whether the last line that was read had no line break yet.
    is_line_open: bool,
    /// A hash of the bytes before the offset.
    checked: Option<String>,
    /// What the next line depends on.
    pub stream: MessageStream,
}

/// A line of a transcript.
#[derive(Debug)]
pub struct ReadLine {
    /// The number of bytes before the line, uncompressed; for a row of a database, its row id.
    pub offset: u64,
    /// The number of the line, counted from 1; for a row of a database, its row id.
    pub line: usize,
    /// The messages of the line.
    pub messages: Vec<Message>,
    /// Why the line cannot be read, or that bytes of it are not UTF-8.
    pub problem: Option<Problem>,
    /// Whether nothing after it is read.
    is_last: bool,
}

/// Reads a transcript, line by line and in bounded memory.
pub struct TranscriptReader<'r> {
    root: &'r Root,
    transcript: &'r Transcript,
    from: LineSource,
    position: Position,
}

/// What lines are read from.
enum LineSource {
    Lines(Lines),
    Rows(SessionRows),
    /// A file that is one JSON document.
    Document(File),
    /// Nothing more.
    Nothing,
}

impl Transcript {
    /// Opens the transcript at a position that was read before, or at its beginning. If what was read has changed, reading
    /// starts from the beginning; [`TranscriptReader::has_continued`] tells which it is.
    pub fn open<'r>(
        &'r self,
        root: &'r Root,
        from: Option<&Position>,
    ) -> Result<TranscriptReader<'r>, StoreError> {
        let opened = self.open_lines(root, from.filter(|_| self.grows()));
        let (from, position) = opened.map_err(|error| StoreError::io(self.name.clone(), error))?;
        Ok(TranscriptReader { root, transcript: self, from, position })
    }

    fn open_lines(
        &self,
        root: &Root,
        from: Option<&Position>,
    ) -> io::Result<(LineSource, Position)> {
        if let Some(rows) = self.rows()? {
            return Ok((LineSource::Rows(rows), Position::beginning(Format::OpenCode)));
        }
        if let Some(position) = from
            && position.checked.is_some()
            && position.checked == self.hash_before(root, position.offset)?
        {
            let mut file = self.open_file(root)?;
            file.seek(SeekFrom::Start(position.offset))?;
            let lines = Lines::new(Box::new(file), position.offset);
            return Ok((LineSource::Lines(lines), position.clone()));
        }
        let format = match self.client {
            Some(client) => client.format(),
            None => self.detect_format(root)?,
        };
        let lines = match self.is_document() {
            true => LineSource::Document(self.open_file(root)?),
            false => LineSource::Lines(Lines::new(self.decoded(root)?, 0)),
        };
        Ok((lines, Position::beginning(format)))
    }

    fn detect_format(&self, root: &Root) -> io::Result<Format> {
        let mut head = Vec::new();
        self.decoded(root)?.take(FORMAT_SAMPLE_BYTES).read_to_end(&mut head)?;
        let format = detect_format(byte_order_mark::strip(&String::from_utf8_lossy(&head)));
        Ok(if format == Format::Text { Format::JsonLines } else { format })
    }

    fn open_file(&self, root: &Root) -> io::Result<File> {
        match &self.place {
            Place::Inside(path) => root.dir().open_file(path),
            Place::ClientFile(path) => {
                // Opening a FIFO would block.
                if !std::fs::symlink_metadata(path)?.is_file() {
                    return Err(io::Error::other("it is not a regular file"));
                }
                File::open(path)
            }
            Place::OpenCode { .. } => Err(io::Error::other("it is a session in a database")),
        }
    }

    fn decoded(&self, root: &Root) -> io::Result<Box<dyn Read + Send>> {
        let file = self.open_file(root)?;
        Ok(match self.is_compressed() {
            true => {
                let file = io::BufReader::new(file);
                Box::new(StreamingDecoder::new(file).map_err(io::Error::other)?)
            }
            false => Box::new(file),
        })
    }

    /// Returns a hash of the bytes before an offset; `None` if the file is shorter.
    fn hash_before(&self, root: &Root, offset: u64) -> io::Result<Option<String>> {
        let mut file = self.open_file(root)?;
        if file.metadata()?.len() < offset {
            return Ok(None);
        }
        let length = offset.min(CHECKED_BYTES);
        file.seek(SeekFrom::Start(offset - length))?;
        let mut bytes = vec![];
        file.take(length).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 == length;
        Ok(is_whole.then(|| blake3::hash(&bytes).to_hex()[..32].to_owned()))
    }

    /// Reads the messages of lines that were read before, given by their offsets and numbers, with the stream that the
    /// transcript was read with.
    pub fn read_lines(
        &self,
        root: &Root,
        stream: &MessageStream,
        lines: &[(u64, usize)],
    ) -> Result<Vec<Vec<Message>>, StoreError> {
        let error = |error| StoreError::io(self.name.clone(), error);
        let rows = self.rows().map_err(error)?;
        let read = |(offset, number): &(u64, usize)| {
            let line = match &rows {
                Some(rows) => rows.line(offset.cast_signed()).map_err(io::Error::other),
                None if self.is_document() => {
                    self.open_file(root).and_then(read_document).map(Some)
                }
                None => self.line_at(root, *offset),
            };
            let line = line.map_err(error)?;
            Ok(line.map(|line| stream.messages_of_line(*number, &line)).unwrap_or_default())
        };
        lines.iter().map(read).collect()
    }

    /// Returns the rows of a session in a database.
    fn rows(&self) -> io::Result<Option<SessionRows>> {
        match &self.place {
            Place::OpenCode { database, session } => {
                SessionRows::open(database, session).map(Some).map_err(io::Error::other)
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the file is one JSON document, as older versions of Gemini CLI wrote it.
    fn is_document(&self) -> bool {
        self.name.ends_with(".json")
    }

    fn is_compressed(&self) -> bool {
        self.name.ends_with(".zst")
    }

    /// Returns the line at an offset of a file, if it is there and not too long.
    fn line_at(&self, root: &Root, offset: u64) -> io::Result<Option<String>> {
        let reader: Box<dyn Read + Send> = match self.is_compressed() {
            true => {
                let mut reader = self.decoded(root)?;
                io::copy(&mut (&mut reader).take(offset), &mut io::sink())?;
                reader
            }
            false => {
                let mut file = self.open_file(root)?;
                file.seek(SeekFrom::Start(offset))?;
                Box::new(file)
            }
        };
        let mut lines = Lines::of_single_line(reader, offset);
        let read = lines.read()?.filter(|line| !line.is_too_long());
        Ok(read.map(|_| decode(&lines.line).0))
    }
}

/// Returns a line as text, and whether all of it is UTF-8.
fn decode(line: &[u8]) -> (String, bool) {
    match std::str::from_utf8(line) {
        Ok(text) => (byte_order_mark::strip(text).to_owned(), true),
        Err(_) => (String::from_utf8_lossy(line).into_owned(), false),
    }
}

impl Position {
    fn beginning(format: Format) -> Self {
        let stream = MessageStream::new(format);
        Position { offset: 0, lines: 0, is_line_open: false, checked: None, stream }
    }
}

impl TranscriptReader<'_> {
    /// Returns whether reading began behind the beginning.
    pub fn has_continued(&self) -> bool {
        self.position.offset > 0
    }

    /// Returns the state of reading: what is known of the session.
    pub fn stream(&self) -> &MessageStream {
        &self.position.stream
    }

    /// Returns how many bytes were read; of a session in a database, how many rows.
    pub fn offset(&self) -> u64 {
        self.position.offset
    }

    /// Returns how far the transcript was read, to continue there later.
    pub fn position(&self) -> Result<Position, StoreError> {
        let mut position = self.position.clone();
        if self.transcript.grows() {
            let checked = self.transcript.hash_before(self.root, position.offset);
            position.checked =
                checked.map_err(|error| StoreError::io(self.transcript.name.clone(), error))?;
        }
        Ok(position)
    }

    /// Reads the next line; `None` at the end.
    pub fn next_line(&mut self) -> Result<Option<ReadLine>, StoreError> {
        let read = match &mut self.from {
            LineSource::Nothing => Ok(None),
            LineSource::Rows(rows) => read_row(self.transcript, &mut self.position, rows),
            LineSource::Document(file) => {
                let text = file.try_clone().and_then(read_document);
                self.from = LineSource::Nothing;
                text.map(|text| Some(read_whole(self.transcript, &mut self.position, &text)))
            }
            LineSource::Lines(lines) => read_line(self.transcript, &mut self.position, lines),
        };
        let read = read.map_err(|error| StoreError::io(self.transcript.name.clone(), error))?;
        if read.as_ref().is_some_and(|read| read.is_last) {
            self.from = LineSource::Nothing;
        }
        Ok(read)
    }
}

fn read_row(
    transcript: &Transcript,
    position: &mut Position,
    rows: &mut SessionRows,
) -> io::Result<Option<ReadLine>> {
    let Some((id, line)) = rows.next().map_err(io::Error::other)? else { return Ok(None) };
    let mut read = ReadLine::at(id.cast_unsigned(), usize::try_from(id).unwrap_or_default());
    read.parse(transcript, position, &line.unwrap_or_default());
    position.offset += 1;
    position.lines += 1;
    Ok(Some(read))
}

fn read_whole(transcript: &Transcript, position: &mut Position, text: &str) -> ReadLine {
    let mut read = ReadLine::at(0, 1);
    read.parse(transcript, position, text);
    (position.offset, position.lines) = (text.len() as u64, 1);
    read
}

fn read_line(
    transcript: &Transcript,
    position: &mut Position,
    lines: &mut Lines,
) -> io::Result<Option<ReadLine>> {
    let Some(line) = lines.read()? else { return Ok(None) };
    if std::mem::take(&mut position.is_line_open) && line.length <= 1 {
        // The line break of a line that was read before.
        position.offset = lines.offset;
        return Ok(Some(ReadLine::at(position.offset, position.lines)));
    }
    let mut read = ReadLine::at(position.offset, position.lines + 1);
    let before = (!line.is_terminated).then(|| position.stream.clone());
    if line.is_too_long() {
        let message =
            format!("the line has {} bytes and is skipped; at most 8 MiB are read", line.length);
        read.problem = Some(Problem::at(&transcript.name, read.line, message));
    } else {
        let (text, is_utf8) = decode(&lines.line);
        read.parse(transcript, position, &text);
        if !is_utf8 && read.problem.is_none() {
            let message = "the line is not UTF-8; what cannot be read is replaced";
            read.problem = Some(Problem::at(&transcript.name, read.line, message));
        }
    }
    if let Some(before) = before.filter(|_| read.problem.is_some()) {
        // The client may be writing the line: it is read again when the file has grown.
        position.stream = before;
        read.messages.clear();
        read.is_last = true;
        return Ok(Some(read));
    }
    position.is_line_open = !line.is_terminated;
    position.offset = lines.offset;
    position.lines += 1;
    if lines.offset >= MAX_FILE_BYTES {
        let message = "the file has more than 4 GB, of which the rest is not read";
        read.problem = Some(Problem::at(&transcript.name, read.line, message));
        read.is_last = true;
    }
    Ok(Some(read))
}

impl ReadLine {
    fn at(offset: u64, line: usize) -> Self {
        ReadLine { offset, line, messages: vec![], problem: None, is_last: false }
    }

    fn parse(&mut self, transcript: &Transcript, position: &mut Position, text: &str) {
        let take = |message| self.messages.push(message);
        self.problem = position.stream.read_line(&transcript.name, self.line, text, take);
    }
}

fn read_document(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    let limit = MAX_LINE_BYTES as u64 + 1;
    file.seek(SeekFrom::Start(0))?;
    file.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == limit {
        return Err(io::Error::other("the document has more than 8 MiB"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
