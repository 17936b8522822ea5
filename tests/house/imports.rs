//! Which file of a crate imports from which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{crates, root, sources};

/// The path of a module in its crate: `["bytes", "local"]`.
pub(super) type Module = Vec<String>;

/// The files of a crate as modules, with the paths that each imports.
pub(super) struct Crate {
    imports: BTreeMap<Module, Vec<Import>>,
}

/// A path that a module imports.
struct Import {
    path: Vec<String>,
    /// Whether it is passed on to others.
    is_public: bool,
}

/// Returns the code without what is compiled for tests alone.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - code.len()]);
        for (n, line) in lines.by_ref().enumerate() {
            if line == end || n == 0 && line.ends_with(';') {
                break;
            }
        }
    }
    kept
}

/// Splits a tree of imports, `a::{b, c::{d}}`, into paths.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![
            path.split("::")
                .map(|name| name.trim().to_owned())
                .collect(),
        ];
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let (mut all, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inner[from..at].trim();
                if !part.is_empty() {
                    all.extend(paths(&format!("{head}{part}")));
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    all
}

impl Crate {
    /// Reads the sources of a crate.
    pub(super) fn read(folder: &Path) -> Self {
        let module = |file: &Path| -> Module {
            let path = file.strip_prefix(folder).unwrap().with_extension("");
            let mut path: Vec<_> = path
                .iter()
                .map(|name| name.to_str().unwrap().to_owned())
                .collect();
            path.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
            path
        };
        let files = sources(folder);
        let mut all = Self {
            imports: files
                .iter()
                .map(|file| (module(file), Vec::new()))
                .collect(),
        };
        for file in files {
            let own = module(&file);
            let text = without_tests(&fs::read_to_string(&file).unwrap());
            let mut found = Vec::new();
            for statement in text.split(';') {
                let last = statement.rsplit("\n\n").next().unwrap_or_default();
                let code: Vec<_> = last
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.starts_with("//") && !line.starts_with("#["))
                    .collect();
                let code = code.join(" ");
                let Some((before, tree)) = code.split_once("use ") else {
                    continue;
                };
                let is_public = before.trim_start().starts_with("pub");
                if is_public || before.trim().is_empty() {
                    let paths = paths(tree).into_iter();
                    found.extend(paths.map(|path| Import { path, is_public }));
                }
            }
            all.imports.entry(own).or_default().extend(found);
        }
        all
    }

    /// Returns the module that has what a path in `own` names, wherever it is passed on.
    fn find(&self, own: &Module, path: &[String]) -> Option<Module> {
        let (mut at, mut rest) = (own.clone(), path);
        match rest.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            name => {
                let child = [own.clone(), vec![name.to_owned()]].concat();
                if !self.imports.contains_key(&child) {
                    return None;
                }
            }
        }
        while let Some(name) = rest.first() {
            let child = [at.clone(), vec![name.clone()]].concat();
            if !self.imports.contains_key(&child) {
                break;
            }
            (at, rest) = (child, &rest[1..]);
        }
        let passed_on = self.imports[&at].iter().find(|import| {
            import.is_public && rest.first().is_some() && import.path.last() == rest.first()
        });
        match passed_on {
            Some(import) => self.find(&at, &import.path).or(Some(at)),
            None => Some(at),
        }
    }

    /// Returns the modules that each module imports from.
    pub(super) fn edges(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let edges = self.imports.iter().map(|(own, imports)| {
            let imports = imports.iter().filter(|import| !import.is_public);
            let found = imports.filter_map(|import| self.find(own, &import.path));
            (own, found.filter(|other| other != own).collect())
        });
        edges.collect()
    }
}

/// Returns a circle of modules, if there is one.
fn circle(edges: &BTreeMap<&Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    /// Goes on from the last module of `path`.
    fn search(
        path: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
        edges: &BTreeMap<&Module, BTreeSet<Module>>,
    ) -> Option<Vec<Module>> {
        let last = path.last()?.clone();
        for next in edges.get(&last).into_iter().flatten() {
            if let Some(start) = path.iter().position(|module| module == next) {
                return Some(path.split_off(start));
            }
            if !done.contains(next) {
                path.push(next.clone());
                if let Some(found) = search(path, done, edges) {
                    return Some(found);
                }
                path.pop();
            }
        }
        done.insert(last);
        None
    }
    let mut done = BTreeSet::new();
    edges
        .keys()
        .find_map(|module| search(&mut vec![(*module).clone()], &mut done, edges))
}

#[test]
fn no_files_import_in_a_circle() {
    let mut found = Vec::new();
    let mut modules = 0;
    for folder in crates() {
        let all = Crate::read(&folder);
        let edges = all.edges();
        modules += edges.len();
        if let Some(circle) = circle(&edges) {
            let names: Vec<_> = circle.iter().map(|module| module.join("/")).collect();
            let folder = folder.strip_prefix(root()).unwrap().display();
            found.push(format!("{folder}: {}", names.join(" -> ")));
        }
    }
    assert!(modules > 500, "{modules} files");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
