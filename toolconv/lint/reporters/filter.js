"use strict";
(function () {
  const bar = document.getElementById("filter"), count = document.getElementById("shown");
  const causes = Array.from(document.querySelectorAll("details.cause"));
  const choices = Array.from(bar.querySelectorAll("select")), search = bar.querySelector("input");
  for (const choice of choices) {
    const values = new Set(causes.flatMap(cause => JSON.parse(cause.dataset[choice.name])));
    for (const value of Array.from(values).sort()) choice.add(new Option(value, value));
    choice.parentElement.hidden = values.size < 2;
  }
  function apply() {
    const words = search.value.toLowerCase();
    let shown = 0;
    for (const cause of causes) {
      const fits = choices.every(choice => choice.selectedIndex < 1 || JSON.parse(cause.dataset[choice.name]).includes(choice.value))
        && (!words || cause.textContent.toLowerCase().includes(words));
      cause.hidden = !fits;
      shown += fits;
    }
    for (const rule of document.querySelectorAll("section.rule"))
      rule.hidden = !rule.querySelector("details.cause:not([hidden])");
    count.textContent = shown === causes.length ? "" : shown + " of " + causes.length + " causes";
  }
  bar.addEventListener("input", apply);
  document.getElementById("unfold").addEventListener("click", function () {
    const open = causes.some(cause => !cause.hidden && !cause.open);
    for (const cause of causes) if (!cause.hidden) cause.open = open;
  });
  bar.hidden = false;
})();
