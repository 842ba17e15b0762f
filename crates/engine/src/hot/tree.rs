//! The workspace as the tree in which clients look for rules.

use heirloom_core::hot::placement::{ClientTree, FoundPath};
use heirloom_store::Root;
use heirloom_store::unfollowed::{self, UnfollowedPath};

/// The files of a workspace.
pub(crate) struct RootTree<'r>(pub(crate) &'r Root);

impl ClientTree for RootTree<'_> {
    fn look(&self, path: &str) -> FoundPath {
        match unfollowed::look(self.0, path) {
            UnfollowedPath::Missing => FoundPath::Missing,
            UnfollowedPath::Folder => FoundPath::Folder,
            UnfollowedPath::BehindLink(link) => FoundPath::BehindLink(link),
            UnfollowedPath::Other(reason) => FoundPath::Unreadable(reason),
            UnfollowedPath::Link(target) => {
                FoundPath::Link { target, file: unfollowed::file_behind(self.0, path) }
            }
            UnfollowedPath::File => match self.0.read(path) {
                Ok(Some(text)) => FoundPath::File(text),
                Ok(None) => FoundPath::Missing,
                Err(problem) => FoundPath::Unreadable(problem.message),
            },
        }
    }
}
