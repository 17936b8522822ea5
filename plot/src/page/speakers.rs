//! Speakers and what each of them has.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::Overview;
use crate::svg::escaped;

/// Speakers that are listed.
const LISTED: usize = 100;

/// A bar for each speaker, the one with the most first.
pub(super) fn write(all: &Overview, html: &mut String) {
    let mut speakers: Vec<_> = all.speakers.iter().collect();
    speakers.sort_by_key(|(_, (utterances, length))| Reverse((*length, *utterances)));
    let (Some((_, most)), Some((_, least))) = (speakers.first(), speakers.last()) else {
        return;
    };
    let rest = (speakers.len().saturating_sub(LISTED) as u64, all.others);
    let most = most.1.max(1);
    // Writing to a string can't fail, so results are dropped.
    let _ = write!(
        html,
        "<details{}><summary>Speakers: {}</summary>\n<p>The one with the most has {most} frames or \
         samples, the one with the fewest {}.</p>\n<div class=\"scroll\"><table>\n\
         <tr><th>speaker</th><th>utterances</th><th>length</th><th></th></tr>\n",
        if speakers.len() <= 20 { " open" } else { "" },
        speakers.len(),
        least.1,
    );
    for (speaker, (utterances, length)) in speakers.iter().take(LISTED) {
        let (name, share) = (
            escaped(&speaker.to_string()),
            100.0 * *length as f64 / most as f64,
        );
        let _ = writeln!(
            html,
            "<tr><td class=\"key\">{name}</td><td>{utterances}</td><td>{length}</td>\
             <td class=\"bar\"><div style=\"width:{share:.1}%\"></div></td></tr>"
        );
    }
    html.push_str("</table></div>\n");
    match rest {
        (0, 0) => {}
        (n, 0) => {
            let _ = writeln!(html, "<p>{n} speakers more</p>");
        }
        (n, utterances) => {
            let _ = writeln!(
                html,
                "<p>{n} speakers more, and {utterances} utterances of others that are not told apart</p>"
            );
        }
    }
    html.push_str("</details>\n");
}
