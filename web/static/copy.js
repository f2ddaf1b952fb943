// Adds a copy button to each element with data-copy.
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
  // Select the text first, so that a person can still copy it by hand if the browser refuses both ways below.
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Browsers offer no clipboard API without TLS, only the deprecated command.
    return document.execCommand("copy");
  }
}
