// Keeps the power on the dashboard current: /live sends it whenever it changes, worded as on the page.

const status = document.querySelector("[data-live]");
const refresh = status?.firstElementChild;
const RETRY_MS = 15_000;

function show(readouts) {
  for (const element of document.querySelectorAll("[data-now]")) {
    const now = readouts[element.dataset.now];
    if (!now) continue;
    element.classList.toggle("gives", now.gives);
    element.dataset.level = now.level;
    element.querySelector(".wire")?.setAttribute("stroke-width", now.width);
    for (const part of element.querySelectorAll("[data-part]")) {
      const text = now[part.dataset.part] ?? part.textContent;
      // A screen reader announces every assignment, even of the same text.
      if (part.textContent !== text) part.textContent = text;
      if (part.dataset.part === "state") part.classList.toggle("good", now.active);
    }
  }
}

function showState(text, isLive) {
  if (status.dataset.said === text) return;
  status.dataset.said = text;
  const mark = document.createElement("span");
  mark.className = isLive ? "mark good" : "mark bad";
  mark.textContent = text;
  status.replaceChildren(mark, ...(isLive || !refresh ? [] : [" ", refresh]));
}

function listen() {
  const source = new EventSource(status.dataset.live);
  source.addEventListener("now", (event) => {
    show(JSON.parse(event.data));
    showState(status.dataset.on, true);
  });
  source.addEventListener("end", (event) => {
    if (event.data !== "signed out") return;
    source.close();
    // A wall tablet has no links: its page says itself why it shows nothing any more.
    if (status.dataset.reload) location.reload();
    showState(status.dataset.off, false);
  });
  source.addEventListener("error", () => {
    showState(status.dataset.lost, false);
    // Browsers do not reconnect by themselves after a response that is not an event stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS);
  });
  if (status.dataset.reload) {
    // Only while the service answers: a browser does not come back from its own error page.
    const reload = () => { if (source.readyState === EventSource.OPEN) location.reload(); };
    setInterval(reload, status.dataset.reload * 1000);
  }
  // A page in the browser's back/forward cache must not hold a stream: their number is limited.
  addEventListener("pagehide", () => source.close(), { once: true });
}

if (status && "EventSource" in window) {
  listen();
  addEventListener("pageshow", (event) => {
    if (event.persisted) listen();
  });
}
