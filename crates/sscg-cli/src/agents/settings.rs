//! Server and hook in one file, of agents that have both in their settings.

use serde_json::Value;

use super::change::{Part, Presence};
use super::{Hook, Server};

/// Server with a hook beside it, or without the one that was there.
pub(crate) struct Settings {
    pub(super) server: Server,
    pub(super) hook: Hook,
    /// True if the file should have the hook.
    pub(super) has_hook: bool,
}

impl Part for Settings {
    fn find(&self, text: &str) -> Result<Presence, String> {
        let (server, hook) = (self.server.find(text)?, self.hook.find(text)?);
        let wanted = if self.has_hook { Presence::Same } else { Presence::Absent };
        Ok(match (server, hook) {
            (Presence::Foreign, _) => Presence::Foreign,
            (Presence::Absent, Presence::Absent) => Presence::Absent,
            (Presence::Same, hook) if hook == wanted => Presence::Same,
            _ => Presence::Older,
        })
    }

    fn insert(&self, text: &str) -> Result<String, String> {
        let text = self.server.insert(text)?;
        if self.has_hook { self.hook.insert(&text) } else { Ok(text) }
    }

    fn update(&self, text: &str) -> Result<String, String> {
        let text = match self.server.find(text)? {
            Presence::Absent => self.server.insert(text)?,
            Presence::Older => self.server.update(text)?,
            Presence::Same | Presence::Foreign => text.to_owned(),
        };
        match self.hook.find(&text)? {
            Presence::Absent if self.has_hook => self.hook.insert(&text),
            Presence::Older if self.has_hook => self.hook.update(&text),
            Presence::Same | Presence::Older if !self.has_hook => self.hook.remove(&text),
            _ => Ok(text),
        }
    }

    fn remove(&self, text: &str) -> Result<String, String> {
        let parts: [&dyn Part; 2] = [&self.hook, &self.server];
        parts.iter().try_fold(text.to_owned(), |text, part| match part.find(&text)? {
            Presence::Absent => Ok(text),
            _ => part.remove(&text),
        })
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let mut document = self.server.rest(text)?;
        self.hook.drop_from(&mut document);
        Ok(document)
    }
}
