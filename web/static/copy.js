// Adds a copy button to each element with data-copy, which names it.
const words = document.querySelector("[data-copy-word]")?.dataset;
for (const source of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain copy";
  button.textContent = words.copyWord;
  button.setAttribute("aria-label", words.copyWhat.replace("%", source.dataset.copy));
  button.addEventListener("click", async () => {
    const done = await copied(source);
    button.textContent = done ? words.copied : words.byKeys;
    setTimeout(() => { button.textContent = words.copyWord; }, 2500);
  });
  source.after(button);
}

async function copied(source) {
  // Selected first, so that a person can copy it by hand if both ways below fail.
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Browsers offer no clipboard API without TLS, only the deprecated command.
    return document.execCommand("copy");
  }
}
