//! Changing headers.
