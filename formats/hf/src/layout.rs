//! The columns of a file and what they become.

use arrow_schema::{DataType, Schema};
use spr_core::format::Options;
use spr_core::model::About;
use spr_core::{Error, Result, nearest};

use crate::about::{self, Metadata, Wanted};
use crate::cells::has_json;
use crate::feature;
use crate::numbers::nested;
use crate::options::NONE;
use crate::role::Role;

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its number in the file.
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Whether its values have fields.
    pub(crate) is_struct: bool,
    /// The name that it stands for, of an array or a column without a field.
    pub(crate) stands_for: String,
    /// The names of the classes that its numbers stand for.
    pub(crate) classes: Option<Vec<String>>,
}

/// The columns of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    pub(crate) about: About,
    /// The sampling rate that decoding is told to give, if the file says so.
    pub(crate) rate: Option<i64>,
}

/// The search for the column of each role.
struct Search<'a> {
    schema: &'a Schema,
    roles: Vec<Option<Role>>,
    metadata: &'a Metadata,
    told: Vec<Error>,
}

impl Layout {
    /// Finds the role of each column, by options, by what the file says, by name, and by type where
    /// only one fits. Also returns what was guessed.
    ///
    /// # Errors
    /// An option names no column, or one of another type; or a column can't be kept.
    pub(crate) fn of(schema: &Schema, options: &Options) -> Result<(Self, Vec<Error>)> {
        let metadata = Metadata::of(schema);
        let mut search = Search {
            schema,
            roles: vec![None; schema.fields().len()],
            metadata: &metadata,
            told: Vec::new(),
        };
        search.check_names()?;
        let mut left = Vec::new();
        for role in Role::NAMED {
            if !search.by_option(role, options)? {
                left.push(role);
            }
        }
        search.by_own();
        left.retain(|role| !search.has(*role));
        for role in &left {
            search.by_name(*role);
        }
        if metadata.own.is_none() {
            left.retain(|role| !search.has(*role));
            left.iter().for_each(|role| search.by_type(*role));
        }
        let told = std::mem::take(&mut search.told);
        let roles = std::mem::take(&mut search.roles);
        let layout = Self::with(schema, &roles, metadata)?;
        Ok((layout, told))
    }

    fn with(schema: &Schema, roles: &[Option<Role>], metadata: Metadata) -> Result<Self> {
        let mut layout = Self::default();
        let mut about = metadata.about.clone();
        let mut wanted = Vec::new();
        for (index, (field, role)) in schema.fields().iter().zip(roles).enumerate() {
            let (name, dtype) = (field.name().as_str(), field.data_type());
            let role = role.unwrap_or(match nested(dtype) {
                Some((_, depth)) if depth > 0 => Role::Array,
                _ => Role::Tag,
            });
            if role == Role::Tag && !has_json(dtype) {
                let message = format!("the column '{name}' has the type {dtype}");
                return Err(Error::unsupported(message));
            }
            let own = metadata.own.as_ref().and_then(|own| own.get(name));
            let stands_for = own.map_or(name, |(_, stands_for)| stands_for);
            let classes = metadata.classes(name).filter(|_| dtype.is_integer());
            if let Some(classes) = &classes {
                about.classes.insert(name.to_owned(), classes.clone());
            }
            let is_usual = classes.is_some() || is_usual(role, dtype);
            let has_usual_name = role.names().first().is_none_or(|usual| *usual == name);
            if own.is_none() && !(is_usual && has_usual_name) {
                let told = metadata.description(name, dtype).filter(|_| !is_usual);
                wanted.push((name.to_owned(), Wanted { role, told }));
            }
            if role == Role::Audio {
                let told = metadata.features.get(name);
                layout.rate = told.and_then(|told| told.get("sampling_rate")?.as_int());
            }
            layout.columns.push(Column {
                index,
                name: name.to_owned(),
                role,
                is_struct: matches!(dtype, DataType::Struct(_)),
                stands_for: stands_for.to_owned(),
                classes,
            });
        }
        about::keep(&wanted, &mut about);
        layout.about = about;
        Ok(layout)
    }

    /// Returns the column that the keys of rows come from: their own, or that of sound files with
    /// names, of which it has the names alone.
    pub(crate) fn of_keys(&self) -> Option<Column> {
        let named = || self.of_role(Role::Audio).filter(|column| column.is_struct);
        let name = |column: &Column| Column {
            role: Role::Name,
            ..column.clone()
        };
        let own = self.of_role(Role::Key).cloned();
        own.or_else(|| named().map(name))
    }

    /// Returns the column of a role.
    pub(crate) fn of_role(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|column| column.role == role)
    }
}

/// Returns `true` for types that are written for the values of such a column by themselves.
fn is_usual(role: Role, dtype: &DataType) -> bool {
    match role {
        Role::Tag => matches!(
            dtype,
            DataType::Utf8 | DataType::Int64 | DataType::Float64 | DataType::Boolean
        ),
        Role::Segments | Role::Audio => true,
        _ => *dtype == DataType::Utf8 || *dtype == DataType::Float64,
    }
}

impl Search<'_> {
    fn has(&self, role: Role) -> bool {
        self.roles.contains(&Some(role))
    }

    fn check_names(&self) -> Result<()> {
        let names: Vec<_> = self.names().collect();
        for (n, name) in names.iter().enumerate() {
            if names[..n].contains(name) {
                let message = format!("has two columns called '{name}'");
                return Err(Error::malformed(message));
            }
        }
        Ok(())
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
    }

    /// Gives a role to the column that an option names. Returns `true` if the option settles it.
    fn by_option(&mut self, role: Role, options: &Options) -> Result<bool> {
        let Some(option) = role.option() else {
            return Ok(false);
        };
        let Some(wanted) = options.get(option.name) else {
            return Ok(false);
        };
        let Some(at) = self.names().position(|name| name == wanted) else {
            if wanted == NONE {
                return Ok(true);
            }
            let names: Vec<_> = self.names().collect();
            let message = format!("option {}: there is no column '{wanted}'", option.name);
            let all = format!("the columns are {}", names.join(", "));
            return Err(Error::usage(message).hint(match nearest(wanted, &names) {
                Some(near) => format!("did you mean '{near}'? {all}"),
                None => all,
            }));
        };
        let dtype = self.schema.field(at).data_type();
        if !role.fits(dtype) {
            let word = role.word();
            let message = format!("option {}: the column '{wanted}' of {dtype}", option.name);
            return Err(Error::usage(format!("{message} can't be {word}")));
        }
        if let Some(other) = self.roles[at] {
            let message = format!(
                "option {}: the column '{wanted}' is {} as well",
                option.name,
                other.word()
            );
            return Err(Error::usage(message));
        }
        self.roles[at] = Some(role);
        Ok(true)
    }

    /// Gives the roles that the file says, as this program wrote it.
    fn by_own(&mut self) {
        let Some(own) = &self.metadata.own else {
            return;
        };
        for (at, field) in self.schema.fields().iter().enumerate() {
            let said = own.get(field.name()).map(|(role, _)| *role);
            let taken = said.is_some_and(|role| {
                Role::NAMED.contains(&role) && self.roles.contains(&Some(role))
            });
            if self.roles[at].is_none() && !taken {
                self.roles[at] = said;
            }
        }
    }

    /// Returns the columns without a role of which `fits` is true.
    fn free(&self, fits: impl Fn(&str, &DataType) -> bool) -> Vec<usize> {
        let fields = self.schema.fields().iter().enumerate();
        let free = fields.filter(|(at, field)| {
            self.roles[*at].is_none() && fits(field.name(), field.data_type())
        });
        free.map(|(at, _)| at).collect()
    }

    /// Gives a role to the column that is called so, if there is one and only one.
    fn by_name(&mut self, role: Role) {
        let found = self.free(|name, dtype| role.names().contains(&name) && role.fits(dtype));
        let first = role.names().first();
        let usual = found
            .iter()
            .find(|at| first == Some(&self.schema.field(**at).name().as_str()));
        match (usual, found.as_slice()) {
            (Some(at), _) | (None, [at]) => self.roles[*at] = Some(role),
            (None, []) => {}
            (None, several) => self.tell_several(role, several),
        }
    }

    /// Gives a role to the only column of the type that it usually has.
    fn by_type(&mut self, role: Role) {
        let metadata = self.metadata;
        let is_image = |name: &str| {
            let told = metadata.features.get(name);
            told.is_some_and(|told| feature::is_a(told, "Image") || feature::is_a(told, "Video"))
        };
        let found = self.free(|name, dtype| role.is_plain(dtype) && !is_image(name));
        match found.as_slice() {
            [] => {}
            [at] => {
                let name = self.schema.field(*at).name();
                let word = role.word();
                let warning = Error::unfit(format!("the column '{name}' is taken as {word}"));
                let option = role.option().map_or("", |option| option.name);
                let hint = format!("{option}={name} says so, {option}={NONE} leaves it a column");
                self.told.push(warning.hint(hint));
                self.roles[*at] = Some(role);
            }
            several => {
                let several = several.to_vec();
                self.tell_several(role, &several);
            }
        }
    }

    fn tell_several(&mut self, role: Role, several: &[usize]) {
        let names: Vec<_> = several
            .iter()
            .map(|at| self.schema.field(*at).name().as_str())
            .collect();
        let (names, word) = (names.join(", "), role.word());
        let message = format!("several columns may be {word}, and none is taken as such: {names}");
        let warning = Error::unfit(message);
        self.told.push(match role.option() {
            Some(option) => warning.hint(format!("{}=COLUMN chooses one", option.name)),
            None => warning,
        });
    }
}
