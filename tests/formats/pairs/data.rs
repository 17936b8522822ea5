//! What is converted.

/// A file that is not there.
pub(crate) const MISSING: &str = "no folder/missing.wav";

/// Data sets in the canonical form, by name.
pub(crate) const DATA: &[(&str, &str)] = &[
    (
        "f32",
        r#"{"key":"a","features":{"dtype":"f32","shape":[2,3],"data":[[1,-2.5,0.1],[3,"nan","-inf"]]},"labels":null,"meta":{}}
{"key":"b-é","features":{"dtype":"f32","shape":[1,3],"data":[[1e-40,3.4028235e38,-0]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "f64",
        r#"{"key":"a","features":{"dtype":"f64","shape":[1,2],"data":[[0.1,1e300]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "f64 that fits f32",
        r#"{"key":"a","features":{"dtype":"f64","shape":[1,2],"data":[[0.5,1]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "i32",
        r#"{"key":"a","features":{"dtype":"i32","shape":[1,2],"data":[[2147483647,-5]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "u64",
        r#"{"key":"a","features":{"dtype":"u64","shape":[1,2],"data":[[18446744073709551615,0]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "labelled",
        r#"{"key":"a","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"labels":[7,-1],"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1,1],"data":[[3]]},"labels":[0],"meta":{}}
"#,
    ),
    (
        "labels alone",
        r#"{"key":"a","features":null,"labels":[7,-1],"meta":{}}
"#,
    ),
    (
        "vectors",
        r#"{"key":"a","features":{"dtype":"f32","shape":[2],"data":[1,2]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1],"data":[0.25]},"labels":null,"meta":{}}
"#,
    ),
    (
        "two widths",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,2],"data":[[1,2]]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1,3],"data":[[1,2,3]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "audio of 16 bits",
        r#"{"key":"a","audio":{"rate":16000,"dtype":"f32","shape":[3,2],"data":[[0.5,-1],[0,0.25],[-0.125,0]]},"meta":{}}
{"key":"b","audio":{"rate":8000,"dtype":"u8","shape":[2,1],"data":[[128],[255]]},"meta":{}}
"#,
    ),
    (
        "audio of more bits",
        r#"{"key":"a","audio":{"rate":16000,"dtype":"f32","shape":[1,2],"data":[[0.1,-1]]},"meta":{}}
"#,
    ),
    (
        "segments that are frame labels",
        r#"{"key":"a","segments":[{"start":0,"end":0.02,"label":"7"},{"start":0.02,"end":0.03,"label":"-1"}],"meta":{}}
{"key":"b","segments":[{"start":0,"end":0.29,"label":"0"}],"meta":{}}
"#,
    ),
    (
        "segments",
        r#"{"key":"a","segments":[{"start":0.5,"end":0.75,"label":"ah"},{"start":1.25,"end":null,"label":"b"}],"meta":{}}
"#,
    ),
    (
        "segments beside features",
        r#"{"key":"a","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"segments":[{"start":0,"end":null,"label":"7"}],"text":"b","meta":{}}
"#,
    ),
    (
        "text",
        r#"{"key":"a","text":"one two","meta":{}}
{"key":"b","text":"","meta":{}}
{"key":"c","text":"\u00e9t\u00e9","meta":{}}
"#,
    ),
    (
        "thirteen columns",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "f16",
        r#"{"key":"a","features":{"dtype":"f16","shape":[2,3],"data":[[0.5,65504,"-inf"],[6e-8,-0,"nan"]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "bf16",
        r#"{"key":"a","features":{"dtype":"bf16","shape":[1,2],"data":[[3.3895314e38,-1.5]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "truth values",
        r#"{"key":"a","features":{"dtype":"bool","shape":[2,2],"data":[[1,0],[0,0]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "u8",
        r#"{"key":"a","features":{"dtype":"u8","shape":[1,2],"data":[[0,255]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "i16",
        r#"{"key":"a","features":{"dtype":"i16","shape":[1,2],"data":[[-32768,32767]]},"labels":null,"meta":{}}
"#,
    ),
    (
        "frame shift",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"meta":{"frame_shift":0.010}}
"#,
    ),
    (
        "frame shift and offset",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"meta":{"frame_shift":0.010,"frame_offset":0.0125}}
"#,
    ),
    (
        "who, where and when",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"meta":{"speaker":"ann","gender":"f","language":"nl","recording":"r 1","channel":"A","start":0.5,"end":1.50}}
"#,
    ),
    (
        "a foreign header line",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"meta":{"tags":[["demo","SITE","lab"]]}}
"#,
    ),
    (
        "a tier with a name",
        r#"{"key":"a","tiers":[{"name":"words","segments":[{"start":0,"end":0.02,"label":"7"},{"start":0.02,"end":0.03,"label":"-1"}]}],"meta":{}}
"#,
    ),
    (
        "several tiers",
        r#"{"key":"a","tiers":[{"name":"words","segments":[{"start":0,"end":0.02,"label":"7"},{"start":0.02,"end":0.03,"label":"-1"}]},{"name":"phones","segments":[{"start":0,"end":0.03,"label":"8"}]}],"meta":{}}
"#,
    ),
    (
        "a tier of points",
        r#"{"key":"a","tiers":[{"name":"","points":true,"segments":[{"start":0.01,"end":0.01,"label":"7"}]}],"meta":{}}
"#,
    ),
    (
        "segments with a score",
        r#"{"key":"a","segments":[{"start":0,"end":0.02,"label":"7","score":0.98},{"start":0.02,"end":0.03,"label":"-1"}],"meta":{}}
"#,
    ),
    (
        "segments with a speaker",
        r#"{"key":"a","segments":[{"start":0,"end":0.02,"label":"7","speaker":"ann"},{"start":0.02,"end":0.03,"label":"-1"}],"meta":{}}
"#,
    ),
    (
        "an array",
        r#"{"key":"a","arrays":{"array":{"dtype":"i16","shape":[1,2,3],"data":[[[1,2,3],[4,5,-6]]]}},"meta":{}}
"#,
    ),
    (
        "arrays",
        r#"{"key":"a","arrays":{"array":{"dtype":"f16","shape":[2,1,1],"data":[[[1]],[[0.5]]]},"mean":{"dtype":"f64","shape":[],"data":0.1}},"meta":{}}
"#,
    ),
    (
        "an array beside features",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,13],"data":[[0,1,2,3,4,5,6,7,8,9,10,0.5,-1]]},"labels":null,"arrays":{"array":{"dtype":"bool","shape":[1,1,1],"data":[[[1]]]}},"meta":{}}
"#,
    ),
    (
        "a sound file",
        r#"{"key":"a","audio":{"format":"wav","base64":"UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAABAAIABAA=="},"meta":{}}
"#,
    ),
    (
        "sound that is somewhere else",
        r#"{"key":"a","audio":{"path":"no folder/missing.wav","start":0.5,"end":1.50,"channel":1,"rate":8000},"meta":{}}
"#,
    ),
];
