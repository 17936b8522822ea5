//! The values that data options ask for.

/// The values of data options, by step.
#[derive(Clone, Debug, Default)]
pub struct OptionValues {
    values: Vec<(&'static str, &'static str, String)>,
}

impl OptionValues {
    /// Sets a value of a step; the last one counts.
    pub fn set(&mut self, step: &'static str, value: &'static str, text: impl Into<String>) {
        self.clear(step, value);
        self.values.push((step, value, text.into()));
    }

    /// Sets or removes a word of a step, and returns `false` if it is not known which.
    pub fn set_word(&mut self, step: &'static str, word: &'static str, on: Option<bool>) -> bool {
        match on {
            Some(true) => self.set(step, word, word),
            Some(false) => self.clear(step, word),
            None => {}
        }
        on.is_some()
    }

    /// Removes a value of a step.
    fn clear(&mut self, step: &str, value: &str) {
        self.values
            .retain(|(own, name, _)| *own != step || *name != value);
    }

    /// Returns a value of a step.
    pub fn get(&self, step: &str, value: &str) -> Option<&str> {
        let mut own = self.values.iter();
        let found = own.find(|(own, name, _)| *own == step && *name == value)?;
        Some(&found.2)
    }

    /// Returns the values of a step.
    pub fn of(&self, step: &str) -> Vec<(&'static str, String)> {
        let own = self.values.iter().filter(|(own, ..)| *own == step);
        own.map(|(_, name, text)| (*name, text.clone())).collect()
    }
}
