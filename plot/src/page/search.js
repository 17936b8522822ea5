const input = document.querySelector("#search");
const rows = [...document.querySelectorAll("#keys tr")].slice(1);
const found = document.querySelector("#found");
input.hidden = false;
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(" ");
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    count += !row.hidden;
  }
  found.textContent = input.value ? `${count} of ${rows.length}` : "";
});
