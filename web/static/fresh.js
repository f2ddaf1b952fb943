// Keeps a part of the page fresh.
const part = document.querySelector("[data-fresh]");
setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(part.dataset.fresh, { redirect: "error" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-fresh]");
    if (!fresh || fresh.innerHTML === part.innerHTML) return;
    part.className = fresh.className;
    part.replaceChildren(...fresh.childNodes);
  } catch {
    // The service may be restarting: later again.
  }
}, 3000);
