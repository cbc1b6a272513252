/** The switch of "mistake help" beside the table: at once in the page, and kept like any other setting. */

/** @param {() => void} onChange draw the table again */
export function helpSwitch(onChange) {
  const box = /** @type {HTMLInputElement | null} */ (document.getElementById("help"));
  box?.addEventListener("change", () => {
    const { dataset } = document.documentElement;
    dataset.help = box.checked ? "on" : "off";
    onChange();
    const form = new URLSearchParams(Object.entries(dataset).map(([name, value]) => [name, value ?? ""]));
    // The settings page keeps it in a cookie that scripts cannot write.
    void fetch("/settings", { method: "POST", body: form, redirect: "manual", credentials: "same-origin" }).catch(() => {});
  });
}
