// Keeps what the dashboard says of power fresh: /live sends it again whenever it changes, in the words that the page has.

const status = document.querySelector("[data-live]");
const refresh = status?.firstElementChild;
const RETRY_MS = 15_000;

function show(said) {
  for (const element of document.querySelectorAll("[data-now]")) {
    const now = said[element.dataset.now];
    if (!now) continue;
    element.classList.toggle("gives", now.gives);
    for (const part of element.querySelectorAll("[data-part]")) {
      const text = now[part.dataset.part];
      // What is not changed is not said again by a screen reader.
      if (part.textContent !== text) part.textContent = text;
      if (part.dataset.part === "state") part.classList.toggle("good", now.active);
    }
  }
}

function say(text, isLive) {
  if (status.dataset.said === text) return;
  status.dataset.said = text;
  const mark = document.createElement("span");
  mark.className = isLive ? "mark good" : "mark bad";
  mark.textContent = text;
  status.replaceChildren(mark, ...(isLive ? [] : [" ", refresh]));
}

function listen() {
  const source = new EventSource(status.dataset.live);
  source.addEventListener("now", (event) => {
    show(JSON.parse(event.data));
    say("live", true);
  });
  source.addEventListener("end", (event) => {
    if (event.data !== "signed out") return;
    source.close();
    say("signed out", false);
  });
  source.addEventListener("error", () => {
    say("disconnected, trying again", false);
    // After an answer that is no stream a browser does not try by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS);
  });
  // A page that waits in the browser's history holds no stream.
  addEventListener("pagehide", () => source.close(), { once: true });
}

if (status && "EventSource" in window) {
  listen();
  addEventListener("pageshow", (event) => {
    if (event.persisted) listen();
  });
}
