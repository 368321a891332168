// The page where one asks: files are dropped, sent in batches, and the answers sharpen while they arrive.

import { Refused, Sender } from "./sending.js";

const form = document.getElementById("ask-form");
const problem = document.getElementById("ask-problem");

function chosenFiles() {
  const inputs = [...form.querySelectorAll('input[type="file"]')];
  return inputs.filter((input) => input.files.length).map((input) => [input.name, input.files[0]]);
}

function parameters() {
  const fields = [...form.querySelectorAll("[data-parameter]")];
  const changed = fields.filter((field) => field.value !== field.dataset.default);
  return Object.fromEntries(changed.map((field) => [field.dataset.parameter, field.value]));
}

const words = (text) => text.split(" ").filter(Boolean);

// The questions whose tables are all there.
function answerable(tables) {
  const questions = [...form.querySelectorAll("[data-question]")];
  const given = new Set(tables);
  return questions.filter((one) => words(one.dataset.needs).every((name) => given.has(name)));
}

async function ask() {
  const chosen = chosenFiles();
  const questions = answerable(chosen.map(([table]) => table));
  if (!questions.length) throw new Refused(form.dataset.nothing);
  const only = questions.map((one) => one.dataset.question);
  const read = new Set(questions.flatMap((one) => words(one.dataset.reads)));
  const files = chosen.filter(([table]) => read.has(table));
  const sender = new Sender(form.querySelector('[name="csrfmiddlewaretoken"]').value);
  try {
    const session = await sender.open({ questions: form.dataset.set, only, parameters: parameters() });
    show(session.id);
    const batches = {};
    for (const [table, file] of files) {
      const bar = form.querySelector(`progress[data-table="${table}"]`);
      bar.hidden = false;
      bar.max = Math.max(1, file.size);
      batches[table] = await sender.send(table, file, (bytes) => { bar.value = bytes; });
      bar.value = bar.max;
    }
    await sender.close(batches);
  } finally {
    sender.stop();
  }
}

// From here on the page is that of the session, too: the live part renews itself.
function show(id) {
  const place = document.getElementById("ask-session");
  place.hidden = false;
  htmx.ajax("GET", `${form.dataset.sessions}/${id}`, { target: "#ask-session", swap: "innerHTML" });
  const link = document.getElementById("ask-link");
  link.href = `${form.dataset.sessions}/${id}`;
  link.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  problem.hidden = true;
  button.disabled = true;
  try {
    await ask();
  } catch (error) {
    problem.textContent = error instanceof Refused ? error.message : form.dataset.lost;
    problem.hidden = false;
    problem.focus();
  } finally {
    button.disabled = false;
  }
});

for (const drop of form.querySelectorAll(".drop")) {
  const input = drop.querySelector("input");
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change"));
  });
  input.addEventListener("change", () => {
    drop.querySelector(".chosen").textContent = input.files.length ? input.files[0].name : "";
  });
}
form.querySelector("button[type=submit]").disabled = false;
