//! Tests on short conversations.
