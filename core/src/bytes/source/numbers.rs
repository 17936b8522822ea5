//! Numbers of headers and tables.

use super::Source;
use crate::error::Result;
use crate::number::ByteOrder;

macro_rules! numbers {
    ($($read:ident $number:ident;)*) => {
        impl Source {
            $(
                #[doc = concat!("Reads a `", stringify!($number), "`.")]
                ///
                /// # Errors
                /// [`Truncated`](crate::error::ErrorKind::Truncated) if its bytes are not there.
                pub fn $read(&mut self, order: ByteOrder) -> Result<$number> {
                    Ok(order.$read(self.array()?))
                }
            )*
        }
    };
}

numbers! {
    read_u16 u16;
    read_u32 u32;
    read_u64 u64;
    read_i32 i32;
    read_i64 i64;
    read_f32 f32;
    read_f64 f64;
}
