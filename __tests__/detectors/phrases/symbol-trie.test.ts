import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { SymbolTrie, SymbolTrieBuilder } from "../../../src/detectors/phrases/symbol-trie.js";

describe("SymbolTrie", () => {
  it("matches only the added sequences", () => {
    const sequence = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 40 }), sequence, (added, probe) => {
        const builder = new SymbolTrieBuilder();
        const nodes = added.map((symbols) => symbols.reduce((node, symbol) => builder.step(node, symbol), 0));
        const trie = new SymbolTrie(builder);
        const walk = (symbols: readonly number[]): number =>
          symbols.reduce((state, symbol) => (state < 0 ? state : trie.next(state, symbol)), 0);
        expect(added.map(walk)).toEqual(nodes.map((node) => trie.stateOf[node]));
        const isPrefix = added.some((symbols) => probe.every((symbol, index) => symbols[index] === symbol));
        expect(walk(probe) >= 0).toBe(isPrefix);
      }),
    );
  });

  it("knows which states have children", () => {
    const builder = new SymbolTrieBuilder();
    const inner = builder.step(0, 5);
    const leaf = builder.step(inner, 300);
    const trie = new SymbolTrie(builder);
    expect([0, inner, leaf].map((node) => trie.continues(trie.stateOf[node] ?? -1))).toEqual([true, true, false]);
  });

  it.each([10, 70_000])("matches %i sequences", (count) => {
    const builder = new SymbolTrieBuilder();
    const pairOf = (index: number): readonly number[] => [1 + (index % 300), 1 + Math.floor(index / 300)];
    const stepsOf = (index: number): number => pairOf(index).reduce((node, symbol) => builder.step(node, symbol), 0);
    const nodes = Array.from({ length: count }, (_, index) => stepsOf(index));
    const trie = new SymbolTrie(builder);
    const walk = (symbols: readonly number[]): number =>
      symbols.reduce((state, symbol) => (state < 0 ? state : trie.next(state, symbol)), 0);
    expect(nodes.filter((node, index) => walk(pairOf(index)) !== trie.stateOf[node])).toEqual([]);
    expect(walk([1, 1000])).toBe(-1);
    expect(walk([301])).toBe(-1);
  });
});
