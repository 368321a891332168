// What the console does beyond HTML and htmx: relative times, copying, dismissing, calm live parts.
"use strict";

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const language = document.documentElement.lang;
const relative = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
const absolute = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });

function tellTimes(root) {
  for (const element of root.querySelectorAll("time[data-relative]")) {
    const moment = new Date(element.dateTime);
    const seconds = (moment - Date.now()) / 1000;
    const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) || UNITS[UNITS.length - 1];
    const number = Math.round(seconds / size);
    // The machines' clocks may differ by a little: nothing that happened is in the future.
    element.textContent = relative.format(element.dataset.relative === "ahead" ? number : Math.min(0, number), unit);
    element.title = absolute.format(moment);
  }
}

async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
  } catch {
    // Without TLS browsers offer no clipboard: leave the text selected, one keystroke away.
    window.getSelection().selectAllChildren(source);
    return;
  }
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 2000);
}

function makeDismissible(notice) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "dismiss";
  button.textContent = "×";
  button.setAttribute("aria-label", notice.dataset.dismiss);
  button.addEventListener("click", () => notice.remove());
  notice.append(button);
  if (notice.classList.contains("success")) setTimeout(() => notice.remove(), 10000);
}

// Live parts ----------------------------------------------------------------------------------------------

const lastAnswers = new Map();
let opened = [];
const isLive = (element) => element.id.startsWith("live-");

document.addEventListener("htmx:beforeRequest", (event) => {
  if (isLive(event.detail.elt) && document.hidden) event.preventDefault();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, serverResponse, xhr } = event.detail;
  if (!isLive(target) || xhr.status !== 200) return;
  // Nothing new: leave the page alone, with its selection, focus and whatever a screen reader is reading.
  if (lastAnswers.get(target.id) === serverResponse) event.detail.shouldSwap = false;
  lastAnswers.set(target.id, serverResponse);
  opened = [...target.querySelectorAll("details[open][id]")].map((element) => element.id);
});

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  // An announcement is only made when its words change.
  const { target, fragment } = event.detail;
  if (target.textContent.trim() === fragment.textContent.trim()) event.detail.shouldSwap = false;
});

document.addEventListener("htmx:afterSwap", (event) => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  tellTimes(document);
});

const lost = () => { document.getElementById("connection-lost").hidden = false; };
document.addEventListener("htmx:sendError", lost);
document.addEventListener("htmx:responseError", lost);
document.addEventListener("htmx:afterOnLoad", (event) => {
  if (event.detail.xhr.status < 400) document.getElementById("connection-lost").hidden = true;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copy(button);
});

document.addEventListener("change", (event) => {
  if (!event.target.matches("input[data-tick-all]")) return;
  for (const box of event.target.form.querySelectorAll('input[type="checkbox"][name]')) box.checked = event.target.checked;
});

// A slider says where it stands before the server has answered.
document.addEventListener("input", (event) => {
  const shown = event.target.closest(".slider")?.querySelector("output[data-words]");
  if (shown) shown.textContent = shown.dataset.words.replace("#", event.target.value);
});

// Close the phone's menu when its page was left and come back to, and with Escape.
document.addEventListener("keydown", (event) => {
  const drawer = document.querySelector("details.drawer[open]");
  if (event.key === "Escape" && drawer) {
    drawer.open = false;
    drawer.querySelector("summary").focus();
  }
});

for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
for (const notice of document.querySelectorAll(".notice[data-dismiss]")) makeDismissible(notice);
tellTimes(document);
setInterval(() => tellTimes(document), 5000);
