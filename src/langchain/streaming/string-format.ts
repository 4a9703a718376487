import { shapeError } from "../shape-error.js";
import type { ChunkFormat } from "./chunk-format.js";

/** Streams of strings. They have no place for a verdict. */
export const stringFormat: ChunkFormat = {
  isComposite: false,
  read(chunk) {
    if (typeof chunk !== "string") {
      throw shapeError("this stream of strings goes on with something else", chunk, "stream values of one kind");
    }
    return { text: chunk, waits: false };
  },
  release: (chunks, { texts, text }) => (texts.join("") === text ? chunks : text === "" ? [] : [text]),
  close: ({ rest }) => (rest === "" ? [] : [rest]),
  refuse: (refusal) => refusal,
  surroundings: () => ({}),
};
