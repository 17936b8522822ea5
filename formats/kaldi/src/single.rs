//! Single objects, for programs that read a file object by object.

use spr_core::Result;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Request};
use spr_core::model::Utterance;

use crate::choice::Content;
use crate::object::ObjectReader;

/// Reads the object at the current position of `source` into `utt`, whose key is not changed. The
/// source is then positioned right after the object, which for a text line is before the line end.
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
/// It is not an object, or the source ends.
pub fn read_object(
    source: &mut Source,
    options: &Options,
    env: &Env,
    utt: &mut Utterance,
) -> Result<()> {
    let mut objects = ObjectReader::new(options, Content::of(&Request::all()), env)?;
    objects.read(source, utt, false).map(drop)
}
