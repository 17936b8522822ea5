//! Where the files are now that files name.

use std::sync::atomic::Ordering;

use super::path_map::{AppliedMap, PathMap, bytes};
use super::{Env, Location, Locator};

impl Env {
    /// Sets the replacements of names inside files.
    #[must_use]
    pub fn with_path_map(mut self, map: PathMap) -> Self {
        self.paths = AppliedMap::new(map).into();
        self
    }

    /// Returns the replacements of names inside files.
    pub fn path_map(&self) -> &PathMap {
        &self.paths.map
    }

    /// Returns the replacements that applied to no name so far, as they are given.
    pub fn idle_paths(&self) -> Vec<String> {
        let applied = self.paths.applied.iter();
        let idle = applied.zip(self.path_map().texts());
        let idle = idle.filter(|(applied, _)| !applied.load(Ordering::Relaxed));
        idle.map(|(_, text)| text).collect()
    }

    /// Returns where the file is now that is named inside a file. Readers pass every such name
    /// through here, once, as it is stored; in a command, all names in it.
    #[must_use]
    pub fn moved(&self, at: Locator) -> Locator {
        if self.path_map().is_empty() {
            return at;
        }
        let file = |file: Location| self.moved_file(&file).unwrap_or(file);
        match at {
            Locator::File(at) => Locator::File(file(at)),
            Locator::FileAt(at, byte) => Locator::FileAt(file(at), byte),
            Locator::Folder(at) => Locator::Folder(file(at)),
            Locator::Command(line) => Locator::Command(self.paths.replace_in_command(&line)),
            other => other,
        }
    }

    /// Returns where a file is now, or `None` if its name stays as it is.
    pub fn moved_file(&self, file: &Location) -> Option<Location> {
        Location::of_bytes(&self.paths.replace(bytes(file))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(rules: &[&str]) -> Env {
        let mut map = PathMap::default();
        rules.iter().for_each(|rule| map.add(rule).unwrap());
        Env::default().with_path_map(map)
    }

    #[test]
    fn names_begin_with_whole_folders() {
        let env = env(&[
            "/old=/new/",
            "/old/b/=c",
            "wav=/w",
            "C:\\x=/y",
            "s3://a/b=/z",
        ]);
        for (stored, moved) in [
            ("/old/a.wav", "/new/a.wav"),
            ("/old", "/new"),
            ("/old/b/a.wav", "c/a.wav"),
            ("/older/a.wav", "/older/a.wav"),
            ("/x/old/a.wav", "/x/old/a.wav"),
            ("./wav/a.wav", "/w/a.wav"),
            ("wav/old/a", "/w/old/a"),
            ("C:\\x\\d\\a.wav", "/y/d/a.wav"),
            ("s3://a/b/c", "/z/c"),
            ("s3://a/bc", "s3://a/bc"),
            ("/new/old/a", "/new/old/a"),
        ] {
            let at = env.moved(Locator::FileAt(stored.into(), 7));
            assert_eq!(at, Locator::FileAt(moved.into(), 7), "{stored}");
        }
        assert!(env.idle_paths().is_empty());
    }

    #[test]
    fn a_root_and_relative_names_are_folders_as_well() {
        let env = env(&["/=/mnt", ".=sound"]);
        for (stored, moved) in [
            ("/a/b", "/mnt/a/b"),
            ("a/b", "sound/a/b"),
            ("./a", "sound/a"),
            ("https://h/a", "https://h/a"),
        ] {
            assert_eq!(env.moved(Locator::file(stored)), Locator::file(moved));
        }
    }

    #[cfg(unix)]
    #[test]
    fn any_bytes_are_moved() {
        let env = env(&["/old=/new"]);
        let name = Location::of_bytes(b"/old/\xff.wav").unwrap();
        let moved = Location::of_bytes(b"/new/\xff.wav");
        assert_eq!(env.moved_file(&name), moved);
    }

    #[test]
    fn commands_have_names_in_them() {
        let env = env(&["/old=/new", ".=x"]);
        let moved = |line: &str| env.moved(Locator::Command(line.to_owned()));
        assert_eq!(
            moved("sox '/old/a b.wav' -t wav - | sph2pipe -f=/old/é /older/c"),
            Locator::Command("sox '/new/a b.wav' -t wav - | sph2pipe -f=/new/é /older/c".into())
        );
        assert_eq!(env.idle_paths(), [".=x"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_new_names_in_commands() {
        let env = env(&["/old=/new place/it's"]);
        for (line, words) in [
            ("printf '%s\\n' /old/a b", "/new place/it's/a\nb\n"),
            ("printf '%s\\n' '/old/a b'", "/new place/it's/a b\n"),
            ("a=c; printf '%s\\n' /old/$a", "/new place/it's/c\n"),
            (
                "printf '%s\\n' \"/old/a b\" /old",
                "/new place/it's/a b\n/new place/it's\n",
            ),
        ] {
            let Locator::Command(line) = env.moved(Locator::Command(line.to_owned())) else {
                panic!("{line} is a command");
            };
            let output = std::process::Command::new("sh")
                .args(["-c", &line])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn rules_have_two_sides_and_agree() {
        let mut map = PathMap::default();
        for wrong in ["", "/a", "=/b", "/a="] {
            assert!(map.add(wrong).is_err(), "{wrong}");
        }
        map.add("/a=/b").unwrap();
        map.add("/a/=/b").unwrap();
        assert!(map.add("/a=/c").is_err());
        assert_eq!(map.texts().collect::<Vec<_>>(), ["/a=/b"]);
    }
}
