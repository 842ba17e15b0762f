//! A history as bytes: numbers of variable length and texts with their length. What can be derived is left out.
//!
//! The bytes may have come with a repository, so every number is checked.

use rustc_hash::FxHashMap;

use crate::imports::SourceStatement;

use super::history::{CommitHistory, CommitMemory, TrackedFile};
use super::line_origins::{LineOrigins, LineRun, LineVersion, NO_MEMORY};

impl CommitHistory {
    /// Returns the history as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder(Vec::new());
        out.text(self.head.as_deref().unwrap_or_default());
        out.number(self.files.len() as u64);
        for (number, file) in self.files.iter().enumerate() {
            out.file(file);
            out.ascending(self.identifiers.of_file(number as u32));
        }
        out.number(self.memories.len() as u64);
        for memory in &self.memories {
            out.memory(memory);
        }
        // Only the paths that do not follow from the present paths of the files.
        let present: FxHashMap<&str, u32> =
            self.files.iter().zip(0..).map(|(file, number)| (file.path.as_str(), number)).collect();
        let mut former: Vec<(&String, &u32)> = self.numbers.iter().collect();
        former.retain(|(path, number)| present.get(path.as_str()) != Some(number));
        former.sort_unstable();
        out.number(former.len() as u64);
        for (path, number) in former {
            out.text(path);
            out.number(u64::from(*number));
        }
        out.0
    }

    /// Reads a history from bytes; `None` if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Decoder(bytes);
        let head = Some(input.text()?).filter(|head| !head.is_empty());
        let mut history = CommitHistory { head, ..CommitHistory::default() };
        for number in 0..input.length()? as u32 {
            let file = input.file()?;
            let is_outdated = file.is_outdated();
            history.add_file(file);
            history.identifiers.replace(number, input.ascending()?);
            if is_outdated {
                history.outdated.insert(number);
            }
        }
        let files = history.files.len();
        for _ in 0..input.length()? {
            history.add_memory(input.memory(files)?);
        }
        for _ in 0..input.length()? {
            let path = input.text()?;
            let number = input.index(files)?;
            history.numbers.insert(path, number);
        }
        let memories = history.memories.len() as u32;
        let is_known = |run: &LineRun| run.origin == NO_MEMORY || run.origin < memories;
        let mut versions = history.files.iter().flat_map(|file| &file.lines.versions);
        let is_valid = versions.all(|version| version.runs.iter().all(is_known));
        (input.0.is_empty() && is_valid).then_some(history)
    }
}

/// The kinds of statements.
const IMPORT: u64 = 0;
const MODULE: u64 = 1;
const FILE: u64 = 2;
const PACKAGE: u64 = 3;
const ALIAS: u64 = 4;

struct Encoder(Vec<u8>);

impl Encoder {
    /// Writes a number, seven bits in each byte.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Writes ascending numbers by their differences.
    fn ascending(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        let mut last = 0;
        for number in numbers {
            self.number(u64::from(number - last));
            last = *number;
        }
    }

    fn file(&mut self, file: &TrackedFile) {
        self.text(&file.path);
        self.number(u64::from(file.is_alive));
        self.text(&file.blob);
        // The content that was read is nearly always the present one.
        match file.read_blob == file.blob {
            true => self.number(0),
            false => {
                self.number(1);
                self.text(&file.read_blob);
            }
        }
        self.number(file.statements.len() as u64);
        file.statements.iter().for_each(|statement| self.statement(statement));
        self.number(file.content_hash);
        self.number(file.lines.versions.len() as u64);
        for version in &file.lines.versions {
            self.text(&version.blob);
            self.number(version.runs.len() as u64);
            for run in &version.runs {
                // No memory is 0, since it is frequent.
                self.number(u64::from(run.origin.wrapping_add(1)));
                self.number(u64::from(run.lines));
            }
        }
    }

    fn statement(&mut self, statement: &SourceStatement) {
        let (kind, texts) = match statement {
            SourceStatement::Import(name) => (IMPORT, [Some(name), None]),
            SourceStatement::Module(name) => (MODULE, [Some(name), None]),
            SourceStatement::File(path) => (FILE, [Some(path), None]),
            SourceStatement::Package(name) => (PACKAGE, [Some(name), None]),
            SourceStatement::Alias(pattern, target) => (ALIAS, [Some(pattern), Some(target)]),
        };
        self.number(kind);
        texts.into_iter().flatten().for_each(|text| self.text(text));
    }

    fn memory(&mut self, memory: &CommitMemory) {
        self.text(&memory.id);
        self.text(&memory.author);
        self.number(memory.time as u64);
        self.text(&memory.message);
        self.number(memory.files.len() as u64);
        for file in &memory.files {
            self.number(u64::from(*file));
        }
    }
}

struct Decoder<'b>(&'b [u8]);

impl Decoder<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small_number(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads the number of things that follow. Each takes at least a byte, so a damaged number reserves no memory.
    fn length(&mut self) -> Option<usize> {
        let length = usize::try_from(self.number()?).ok()?;
        (length <= self.0.len()).then_some(length)
    }

    /// Reads the number of one of `count` things.
    fn index(&mut self, count: usize) -> Option<u32> {
        self.small_number().filter(|number| (*number as usize) < count)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn ascending(&mut self) -> Option<Vec<u32>> {
        let mut last = 0_u32;
        (0..self.length()?)
            .map(|_| {
                last = last.checked_add(self.small_number()?)?;
                Some(last)
            })
            .collect()
    }

    fn file(&mut self) -> Option<TrackedFile> {
        let path = self.text()?;
        let is_alive = self.number()? != 0;
        let blob = self.text()?;
        let read_blob = if self.number()? == 0 { blob.clone() } else { self.text()? };
        let statements = (0..self.length()?).map(|_| self.statement()).collect::<Option<_>>()?;
        let content_hash = self.number()?;
        let mut lines = LineOrigins::default();
        for _ in 0..self.length()? {
            let blob = self.text()?;
            let runs = (0..self.length()?).map(|_| {
                let origin = self.small_number()?.wrapping_sub(1);
                let lines = self.small_number().filter(|lines| *lines > 0)?;
                Some(LineRun { origin, lines })
            });
            let runs = runs.collect::<Option<_>>()?;
            lines.versions.push(LineVersion { blob, runs });
        }
        Some(TrackedFile {
            path,
            is_alive,
            blob,
            read_blob,
            statements,
            content_hash,
            lines,
            ..TrackedFile::default()
        })
    }

    fn statement(&mut self) -> Option<SourceStatement> {
        match self.number()? {
            IMPORT => Some(SourceStatement::Import(self.text()?)),
            MODULE => Some(SourceStatement::Module(self.text()?)),
            FILE => Some(SourceStatement::File(self.text()?)),
            PACKAGE => Some(SourceStatement::Package(self.text()?)),
            ALIAS => Some(SourceStatement::Alias(self.text()?, self.text()?)),
            _ => None,
        }
    }

    fn memory(&mut self, files: usize) -> Option<CommitMemory> {
        Some(CommitMemory {
            id: self.text()?,
            author: self.text()?,
            time: self.number()? as i64,
            message: self.text()?,
            files: (0..self.length()?).map(|_| self.index(files)).collect::<Option<_>>()?,
        })
    }
}
