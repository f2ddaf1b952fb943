// Sends a file as the text of its form.
const form = document.querySelector("[data-prices]");
const file = form?.querySelector("input[type=file]");
const state = form?.querySelector("[role=status]");

/** The fields with `table`; only separators are escaped. */
function fields(table) {
  const data = new FormData(form);
  data.delete("table");
  return `${new URLSearchParams(data)}&table=${table.replace(/[%&+]/g, encodeURIComponent)}`;
}

async function send() {
  state.textContent = state.dataset.sending;
  const table = await file.files[0].text();
  if (form.dataset.prices) {
    form.table.value = table;
    return form.submit();
  }
  const answer = await fetch(form.action, {
    method: "POST",
    // Errors are pages, too.
    headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" },
    body: fields(table),
  });
  if (answer.redirected) return location.assign(answer.url);
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
