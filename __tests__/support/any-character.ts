import * as fc from "fast-check";

/**
 * Any code point but surrogates, as the unit `binary` of `fc.string`. That unit builds a table of a million characters,
 * which costs a second in each test file.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((point) => String.fromCodePoint(point < 0xd8_00 ? point : point + 0x8_00));
