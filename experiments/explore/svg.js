// Elements of drawings: text is always text, whatever its letters.
const svg = (() => {
  const NAMES = "http://www.w3.org/2000/svg";

  function make(tag, attributes = {}, ...children) {
    const made = document.createElementNS(NAMES, tag);
    for (const [key, value] of Object.entries(attributes)) {
      const isNumber = typeof value === "number";
      made.setAttribute(key, isNumber ? String(Math.round(value * 100) / 100) : value);
    }
    made.append(...children);
    return made;
  }

  const text = (content, x, y, attributes = {}) => make("text", { x, y, ...attributes }, content);

  // Put a drawing of this size into a figure.
  function put(figure, kind, width, height, label, parts) {
    const made = make(
      "svg",
      {
        class: kind,
        viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`,
        role: "img",
        "aria-label": label,
      },
      ...parts,
    );
    figure.replaceChildren(made);
  }

  return Object.freeze({ make, text, put });
})();
