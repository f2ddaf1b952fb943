// Preselects the browser's own time zone.
const choice = document.querySelector("select[data-own-zone]");
if (choice && !choice.value) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...choice.options].some((option) => option.value === own)) choice.value = own;
}
