for (const sheet of document.querySelectorAll(".sheet[data-to]")) {
  const [left, width, from, to] = ["left", "width", "from", "to"].map((name) => +sheet.dataset[name]);
  const audio = sheet.closest("figure").querySelector("audio");
  const line = sheet.appendChild(document.createElement("i"));
  const scroll = sheet.parentElement;
  const show = () => {
    const place = left + (width * (audio.currentTime - from)) / (to - from);
    line.hidden = audio.paused && !audio.currentTime;
    line.style.left = `${100 * place}%`;
    const x = place * sheet.clientWidth - scroll.scrollLeft;
    if (!audio.paused && (x < 0 || x > scroll.clientWidth)) {
      scroll.scrollLeft += x - scroll.clientWidth / 4;
    }
    if (!audio.paused) requestAnimationFrame(show);
  };
  for (const event of ["play", "seeked", "pause", "loadedmetadata"]) {
    audio.addEventListener(event, show);
  }
  sheet.style.cursor = "pointer";
  sheet.addEventListener("click", (event) => {
    const place = (event.clientX - sheet.getBoundingClientRect().left) / sheet.clientWidth;
    const time = from + ((place - left) / width) * (to - from);
    audio.currentTime = Math.min(Math.max(time, 0), audio.duration || 0);
  });
  show();
}
