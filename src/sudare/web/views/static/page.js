// Pages work without this: it shows times in the reader's zone, takes dropped files, and looks for news.
"use strict";

const language = document.documentElement.lang;
// Times are written as the reader is used to: an English page for somebody in Britain has no "PM".
const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;

for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  const seconds = moment.getUTCSeconds() ? { second: "2-digit" } : {};
  // In long tables year and zone, the same in most lines, would take too much room.
  const whole = time.closest(".when") ? {} : { year: "numeric", timeZoneName: "short" };
  const form = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", ...seconds, ...whole };
  time.title = time.textContent;
  time.textContent = new Intl.DateTimeFormat(locale, form).format(moment);
}

const relative = new Intl.RelativeTimeFormat(locale);
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// By the server's clock: the reader's may be wrong.
function countDown(place) {
  const left = (new Date(place.dataset.until) - new Date(place.dataset.now) - performance.now()) / 1000;
  const [unit, seconds] = units.find(([, size]) => left >= size) ?? ["second", 1];
  place.textContent = left > 0 ? relative.format(Math.floor(left / seconds), unit) : "";
  if (left > 0) window.setTimeout(() => countDown(place), left < 7200 ? 1000 : 60000);
}

for (const place of document.querySelectorAll("[data-until]")) countDown(place);

const fileFields = document.querySelectorAll('input[type="file"]');
if (fileFields.length) {
  // A file that misses its field must not replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
}
for (const input of fileFields) {
  const area = input.closest("label");
  area.classList.add("drop");
  for (const part of area.querySelectorAll(".hint, .picked")) part.hidden = false;
  // The browser's own button would speak the browser's language.
  const chosen = area.querySelector("[data-chosen]");
  const none = chosen.textContent;
  const tell = () => { chosen.textContent = input.files.length ? input.files[0].name : none; };
  input.addEventListener("change", tell);
  tell();
  for (const name of ["dragenter", "dragover"]) area.addEventListener(name, () => area.classList.add("over"));
  for (const name of ["dragleave", "drop"]) area.addEventListener(name, () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length === 1) {
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.done;
    } catch {
      // Browsers give no access on pages that are not encrypted: the text is selected, to be copied by hand.
      window.getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    }
  });
}

let touched = false;
// Nor does a page vanish from under somebody who reads it by keyboard.
for (const name of ["input", "change", "focusin"]) document.addEventListener(name, () => { touched = true; });
// Nor is somebody who is on the way to another page called back.
window.addEventListener("beforeunload", () => { touched = true; });

async function watch(line) {
  if (document.visibilityState === "visible") {
    const answer = await fetch(line.dataset.watch, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { stamp } = await answer.json();
    if (stamp !== line.dataset.stamp) {
      // Nobody loses a file that was chosen or a text that was begun.
      if (touched) line.textContent = line.dataset.news;
      else window.location.reload();
      return;
    }
  }
  window.setTimeout(() => watch(line).catch(() => undefined), 1000 * Number(line.dataset.seconds));
}

for (const line of document.querySelectorAll("[data-watch]")) {
  line.textContent = line.dataset.waiting;
  window.setTimeout(() => watch(line).catch(() => undefined), 1000 * Number(line.dataset.seconds));
}
