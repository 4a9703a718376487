// Figures of the detectors behind the rails of the presets, from the tables of docs/detectors.md.

/** Rails by the end of their names, and the rows of the guide that measure their detector. */
const MEASURED = [
  {
    rail: "`detect jailbreak`",
    detector: "jailbreak",
    found: { row: "jailbreak: all together", texts: "jailbreaks from forums and collections" },
    flagged: { row: "benign texts: all together", texts: "benign prompts" },
    misses: "attacks in words of their own, harmful requests in plain words",
  },
  {
    rail: "`detect instructions`",
    detector: "embedded-instructions",
    found: { row: "indirect-injection: all together", texts: "attacks planted in e-mails (BIPIA)" },
    flagged: { row: "generated: clean documents", texts: "clean documents" },
    misses: "requests on the topic of the document, questions among questions; of families written later it finds half",
  },
  {
    rail: "`detect secrets`",
    detector: "secrets",
    found: { row: "generated: keys in prose", texts: "keys of known formats" },
    flagged: { row: "benign texts: all together", texts: "benign prompts" },
    misses: "keys without a fixed part and without a name near them",
  },
  {
    rail: "`mask sensitive data`: cards",
    detector: "personal-data",
    found: { row: "pii-synthetic: CREDIT_CARD", texts: "cards in requests (Presidio's data)" },
    flagged: { row: "generated: random numbers as CREDIT_CARD", texts: "random numbers of 5 to 19 digits" },
    misses: "cards of small networks without a word near them; of random numbers with 16 digits 2.3% pass for cards",
  },
  {
    rail: "`mask sensitive data`: accounts",
    detector: "personal-data",
    found: { row: "generated: IBAN", texts: "account numbers" },
    flagged: { row: "generated: IBAN", texts: "numbers with a wrong check digit" },
    misses: "national account numbers",
  },
  {
    rail: "`injection detection`",
    detector: "code-injection",
    found: { row: "code-injection: all together", texts: "SQL and scripts (libinjection's data)" },
    flagged: { row: "benign texts: all together", texts: "benign prompts" },
    misses: "code without signs of an attack",
  },
];

/** Prints the table of figures, from the text of the guide to detectors. */
export function printMeasured(guide) {
  const rows = readRows(guide);
  const figureOf = (detector, row, column) => {
    const cells = rows.get(`${row} | ${detector}`);
    if (cells === undefined) throw new Error(`docs/detectors.md has no row \`${row}\` of \`${detector}\``);
    return `${cells[column]} (${cells[COUNT]})`;
  };
  const lines = MEASURED.map(({ rail, detector, found, flagged, misses }) => {
    const recall = `${found.texts}: ${figureOf(detector, found.row, RECALL)}`;
    const falsePositives = `${flagged.texts}: ${figureOf(detector, flagged.row, FALSE_POSITIVES)}`;
    return `| ${rail} | ${recall} | ${falsePositives} | ${misses} |\n`;
  });
  return `| rail | found, of | flagged in error, of | misses |\n|---|---|---|---|\n${lines.join("")}`;
}

// Cells of a row of the guide, after its texts and its detector.
const [COUNT, RECALL, FALSE_POSITIVES] = [0, 1, 3];

/** Cells of the tables by texts and detector; intervals are left out. */
function readRows(guide) {
  const rows = new Map();
  for (const line of guide.split("\n")) {
    const [texts, detector, ...cells] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (cells.length > FALSE_POSITIVES)
      rows.set(
        `${texts} | ${detector}`,
        cells.map((cell) => cell.split(" ")[0]),
      );
  }
  return rows;
}
