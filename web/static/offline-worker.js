// Answers with a page of our own when the server can't be reached. It keeps that page and its files, and nothing else: readings are
// never stale.
const ROOT = registration.scope;
const PAGE = new URL("offline", ROOT).href;
const FILES = ["style.css", "icon.svg", "offline.js"].map((name) => new URL(name, location).href);
// Version and language are in the address of this script.
const CACHE = location.href;

async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  const answer = await fetch(PAGE, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.statusText);
  // Shown at any address, its own way to the root would lead elsewhere.
  const text = (await answer.text()).replace('<base href="./">', `<base href="${ROOT}">`);
  await cache.put(PAGE, new Response(text, answer));
  // At once: a browser may leave the worker before this one at work for minutes, and that shows what is kept then.
  // Those of other services at the same host stay.
  const own = new URL(".", location).href;
  const others = (await caches.keys()).filter((name) => name.startsWith(own) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
  await skipWaiting();
}

// Not what was kept first: another worker, of a new version or language, may just be removing it. A page is asked for by the browser's
// own request, not by one of this script: its cookies depend on the site that a link was on.
async function answer(event, own) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    // The headers that it varies by are none that a worker sees.
    return (await caches.match(own, { ignoreVary: true })) ?? Response.error();
  }
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload.enable()));
addEventListener("fetch", (event) => {
  const { request } = event;
  // Forms go their own way: the browser offers to send them again.
  if (request.mode === "navigate" && request.method === "GET") event.respondWith(answer(event, PAGE));
  else if (FILES.includes(request.url)) event.respondWith(answer(event, request));
});
