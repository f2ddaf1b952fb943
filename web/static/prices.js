// Sends a file of prices as the text of its form.
const form = document.querySelector("[data-prices]");
const file = form?.querySelector("input[type=file]");
const state = form?.querySelector("[role=status]");

/** The fields of the form with `table`, in which only what separates fields is escaped. */
function fields(table) {
  const data = new FormData(form);
  data.delete("table");
  const escaped = table.replace(/[%&+]/g, encodeURIComponent);
  return `${new URLSearchParams(data)}&table=${escaped}`;
}

async function send() {
  state.textContent = state.dataset.sending;
  const answer = await fetch(form.action, {
    method: "POST",
    // An error is to be a page, as it is to the form itself.
    headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" },
    body: fields(await file.files[0].text()),
  });
  if (answer.redirected) {
    location.assign(answer.url);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problem = page.querySelector(".note.bad, main p");
  state.textContent = problem ? problem.textContent : state.dataset.failed;
}

if (form) {
  form.querySelector("[data-file]").hidden = false;
  form.addEventListener("submit", (event) => {
    if (!file.files.length) return;
    event.preventDefault();
    send().catch(() => (state.textContent = state.dataset.failed));
  });
}
