//! One object, for programs that go through a file object by object.

use spr_core::Result;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Request};
use spr_core::model::Utterance;

use crate::choice::Content;
use crate::object::ObjectReader;

/// Reads the object that stands at the current place of `source` into `utt`, whose key stays as it
/// is. The source is behind the object then, and not further: a line of text is not at its end.
///
/// ```
/// use spr_core::bytes::{Env, Source};
/// use spr_core::format::Options;
/// use spr_core::model::Utterance;
///
/// let mut source = Source::from_bytes("two vectors", b" [ 1 2 ]\n [ 3 ]\n".to_vec())?;
/// let (options, env, mut utt) = (Options::default(), Env::default(), Utterance::default());
/// spr_format_kaldi::read_object(&mut source, &options, &env, &mut utt)?;
/// assert_eq!((utt.frames(), source.offset()), (2, 8));
/// # Ok::<(), spr_core::Error>(())
/// ```
///
/// # Errors
/// It is no object, or the source ends.
pub fn read_object(
    source: &mut Source,
    options: &Options,
    env: &Env,
    utt: &mut Utterance,
) -> Result<()> {
    let mut objects = ObjectReader::new(options, Content::of(&Request::all()), env)?;
    objects.read(source, utt, false).map(drop)
}
