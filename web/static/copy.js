// Gives what can be copied a button that does so.
for (const source of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${source.dataset.copy}`);
  button.addEventListener("click", async () => {
    const done = await copied(source);
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2500);
  });
  source.after(button);
}

async function copied(source) {
  // Selected in any case, so that a person can copy it where the browser does not let a page do so.
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Without TLS there is no clipboard, but the old command.
    return document.execCommand("copy");
  }
}
