const START = "<!-- figures:start -->";
const END = "<!-- figures:end -->";

/** A text with figures in place of those between its two markers. */
export function replaceFigures(text, figures, file) {
  const start = text.indexOf(START);
  const end = text.indexOf(END, start);
  if (start === -1 || end === -1) {
    const message = `expected the lines ${START} and ${END} in ${file}`;
    throw Object.assign(new Error(message), { code: "usage" });
  }
  return `${text.slice(0, start)}${START}\n\n${figures.trim()}\n\n${text.slice(end)}`;
}
