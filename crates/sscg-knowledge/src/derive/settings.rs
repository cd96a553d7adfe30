//! Values of the settings that code reads.

use rustc_hash::FxHashMap;
use sscg_core::Confidence;

use super::code::Code;
use super::passed::LibraryUse;
use super::value::Piece;
use crate::Setting;

/// Settings by name, as code of a service reads them.
pub(super) struct Settings<'a> {
    by_name: FxHashMap<String, Vec<&'a Setting>>,
}

impl<'a> Settings<'a> {
    pub(super) fn new(settings: &'a [Setting]) -> Self {
        let mut by_name: FxHashMap<String, Vec<&Setting>> = FxHashMap::default();
        for setting in settings {
            by_name.entry(key(&setting.name)).or_default().push(setting);
        }
        Self { by_name }
    }

    /// Returns the values of a setting for code of a service: its own, or else those that any service may have.
    pub(super) fn of(&self, service: &str, name: &str) -> Vec<&'a Setting> {
        let named = self.by_name.get(&key(name)).map_or(&[][..], Vec::as_slice).iter().copied();
        let own: Vec<&Setting> =
            named.clone().filter(|setting| setting.service.as_deref() == Some(service)).collect();
        if own.is_empty() { named.filter(|setting| setting.service.is_none()).collect() } else { own }
    }

    /// Replaces the settings in the texts of a library use that have one value. A value that is not exact makes the use
    /// uncertain.
    pub(super) fn fill<K>(&self, code: &Code<'_>, found: &mut LibraryUse<K>) {
        let Some(service) = code.service_of(found.file) else { return };
        for piece in found.texts.iter_mut().flatten() {
            let Piece::Variable(name) = &*piece else { continue };
            if let Some((value, confidence)) = self.only_value(service, name) {
                *piece = Piece::Text(value.into());
                found.is_sure &= confidence == Confidence::Exact;
            }
        }
    }

    /// Returns the only value of a setting, and its highest confidence.
    fn only_value(&self, service: &str, name: &str) -> Option<(&'a str, Confidence)> {
        let settings = self.of(service, name);
        let value = &settings.first()?.value;
        let confidence = settings.iter().map(|setting| setting.evidence.confidence).max()?;
        settings.iter().all(|setting| setting.value == *value).then_some((&**value, confidence))
    }
}

/// Returns the key of a setting, which all of its notations share: `Urls:Catalog`, `urls.catalog`, `URLS__CATALOG`.
fn key(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
