import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES = ["index", "train", "dev"];
/** Name of the folder with the vectors, next to the folders of the data sets. */
const FOLDER = "minilm";
const DIMENSIONS = 384;

/**
 * Embeddings that look up the texts of a data set in vectors stored next to it: `minilm/<set>.<file>.f16`, half floats,
 * one row for each line of `<set>/<file>.jsonl`. Undefined without such a file.
 */
export function openStoredVectors(data, name) {
  const root = [data, dirname(data)].find((folder) => existsSync(join(folder, FOLDER, `${name}.dev.f16`)));
  if (root === undefined) return undefined;
  const vectors = new Map();
  for (const file of FILES) {
    const stored = join(root, FOLDER, `${name}.${file}.f16`);
    if (existsSync(stored)) addVectors(vectors, readFileSync(stored), join(root, name, `${file}.jsonl`));
  }
  const embed = (text) => {
    const vector = vectors.get(text);
    if (vector === undefined) throw new Error(`no vector of a text is stored in ${join(root, FOLDER)}`);
    return vector;
  };
  return { embedQuery: async (text) => embed(text), embedDocuments: async (texts) => texts.map(embed) };
}

function addVectors(vectors, bytes, texts) {
  const lines = readFileSync(texts, "utf8").trimEnd().split("\n");
  for (const [row, line] of lines.entries()) {
    const start = row * DIMENSIONS;
    const vector = Array.from({ length: DIMENSIONS }, (_, at) => halfFloat(bytes.readUInt16LE(2 * (start + at))));
    vectors.set(JSON.parse(line).text, vector);
  }
}

function halfFloat(bits) {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
