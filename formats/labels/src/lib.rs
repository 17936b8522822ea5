#![doc = include_str!("../README.md")]

mod audacity;
mod captions;
mod ctm;
mod eaf;
mod festvox;
mod htk;
mod joined;
mod many;
mod naming;
mod one;
mod order;
mod probe;
mod pyannote;
mod recordings;
mod rttm;
mod stm;
mod textgrid;
mod timit;
mod trn;
mod whisper;
mod write;

pub use audacity::{AUDACITY, Audacity};
pub use captions::{SRT, Srt, VTT, Vtt};
pub use ctm::{CTM, Ctm};
pub use eaf::{EAF, Eaf};
pub use festvox::{FESTVOX, Festvox};
pub use htk::{HTK_LAB, HtkLab, MLF, Mlf};
pub use pyannote::{PYANNOTE, Pyannote};
pub use rttm::{RTTM, Rttm};
pub use stm::{STM, Stm};
pub use textgrid::{TEXTGRID, TextGrid};
pub use timit::{TIMIT, Timit};
pub use trn::{TRN, Trn};
pub use whisper::{WHISPER, Whisper};
