//! The speakers and their utterances.

use std::fmt::Write;

use spr_stats::{Lists, SpeakerTotals};

use super::facts::duration;
use crate::svg::escaped;

/// The largest number of speakers listed.
const LISTED: usize = 100;

/// Writes a bar for each speaker, the one with the most first.
pub(super) fn write(lists: &Lists, html: &mut String) {
    let timed = lists
        .speakers
        .values()
        .all(|has| has.timed == has.utterances);
    let length = |has: &SpeakerTotals| match timed {
        true => has.seconds,
        false => has.length as f64,
    };
    let told = |has: &SpeakerTotals| match timed {
        true => duration(has.seconds),
        false => has.length.to_string(),
    };
    let mut speakers: Vec<_> = lists.speakers.iter().collect();
    speakers.sort_by(|(_, a), (_, b)| length(b).total_cmp(&length(a)));
    let (Some((_, most)), Some((_, least))) = (speakers.first(), speakers.last()) else {
        return;
    };
    let unit = if timed { "" } else { " frames or samples" };
    // Writing to a string cannot fail, so results are dropped.
    let _ = write!(
        html,
        "<details{}><summary>Speakers: {}</summary>\n<p>{}{unit} each.</p>\n\
         <div class=\"scroll\"><table>\n\
         <tr><th>speaker</th><th>utterances</th><th>{}</th><th></th></tr>\n",
        if speakers.len() <= 20 { " open" } else { "" },
        speakers.len(),
        match told(least) == told(most) {
            true => told(most),
            false => format!("From {} to {}", told(least), told(most)),
        },
        if timed {
            "duration"
        } else {
            "frames or samples"
        },
    );
    let whole = length(most).max(f64::MIN_POSITIVE);
    for (speaker, has) in speakers.iter().take(LISTED) {
        let name = escaped(&speaker.to_string());
        let (share, utterances) = (100.0 * length(has) / whole, has.utterances);
        let _ = writeln!(
            html,
            "<tr><td class=\"key\">{name}</td><td>{utterances}</td><td>{}</td>\
             <td class=\"bar\"><div style=\"width:{share:.1}%\"></div></td></tr>",
            told(has)
        );
    }
    html.push_str("</table></div>\n");
    match (speakers.len().saturating_sub(LISTED), lists.others) {
        (0, 0) => {}
        (n, 0) => {
            let _ = writeln!(html, "<p>{n} more speakers</p>");
        }
        (n, utterances) => {
            let _ = writeln!(
                html,
                "<p>{n} more speakers, and {utterances} utterances of others that are not told apart</p>"
            );
        }
    }
    html.push_str("</details>\n");
}
