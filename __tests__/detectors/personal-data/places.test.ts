import { describe, expect, it } from "@jest/globals";
import { found } from "./found.js";

/** A value of each type, with a word that names it. */
const VALUES: readonly (readonly [type: string, word: string, value: string])[] = [
  ["EMAIL_ADDRESS", "email", "ada@example.org"],
  ["PHONE_NUMBER", "phone", "415-555-2671"],
  ["CREDIT_CARD", "card", "4111 1111 1111 1111"],
  ["CREDIT_CARD", "card", "4111111111111111"],
  ["IBAN_CODE", "iban", "GB82 WEST 1234 5698 7654 32"],
  ["US_SSN", "ssn", "536-90-4399"],
  ["ES_NIF", "dni", "50582771K"],
  ["ES_NIE", "nie", "Y4405798R"],
  ["IT_FISCAL_CODE", "codice fiscale", "LNRTDC43M19D606I"],
  ["PL_PESEL", "pesel", "58051094938"],
  ["DE_TAX_ID", "steuer", "50468991378"],
  ["NL_BSN", "bsn", "489737092"],
  ["SE_PERSONNUMMER", "personnummer", "621117-7776"],
  ["IP_ADDRESS", "ip", "192.0.2.1"],
  ["IP_ADDRESS", "ip", "2001:db8::8:800:200c:417a"],
  ["MAC_ADDRESS", "mac", "00:1A:2b:3c:4d:5e"],
  ["CRYPTO", "wallet", "0x71c7656ec7ab88b098defb751b7401b5f6d8976f"],
  ["DATE_OF_BIRTH", "date of birth", "1985-03-12"],
  ["URL", "link", "https://www.example.org/a-1/b.html?c=d"],
];

/** Places in which applications, logs and documents write a value. */
const PLACES: Readonly<Record<string, (value: string, word: string) => string>> = {
  "a cell of CSV": (value, word) => `id,name,${word},city\n17,Ada,${value},London\n`,
  "the last cell of a line": (value, word) => `name,${word}\nAda,${value}\nBob,\n`,
  "a cell between numbers": (value, word) => `id,${word},n\n17,${value},44\n18,,3\n`,
  "a quoted cell": (value, word) => `"id","${word}","n"\n17,"${value}",44\n`,
  "cells with semicolons": (value, word) => `name;${word};n\nAda;${value};4\n`,
  "a table of Markdown": (value, word) => `|name|${word}|\n|-|-|\n|Ada|${value}|\n`,
  "bold letters": (value, word) => `Your ${word}: **${value}**`,
  "letters in italics": (value, word) => `Your ${word}: _${value}_`,
  JSON: (value, word) => JSON.stringify({ id: 1, [word]: value, ok: true }),
  "JSON within JSON": (value, word) => JSON.stringify(JSON.stringify({ [word]: value })),
  "a line within JSON": (value, word) => JSON.stringify({ text: `my ${word}\n${value}\n` }),
  "cells within JSON": (value, word) => JSON.stringify({ text: `${word}\t${value}\tok` }),
  HTML: (value, word) => `<td>${word}</td><td><b>${value}</b></td>`,
  brackets: (value, word) => `your ${word} (${value}) is here`,
  "a field without a space": (value, word) => `X-${word.toUpperCase()}:${value}\nEND`,
  "letters of Thai": (value, word) => `${word} คือ${value}ครับ`,
  "letters of Korean": (value, word) => `${word} 는 ${value}입니다`,
  "a word right after ideographs": (value, word) => `我的${word}: ${value}`,
  "a word between ideographs": (value, word) => `我的${word}是 ${value}`,
  "a word between kana": (value, word) => `あなたの${word}は ${value} です`,
  "a word right after Thai": (value, word) => `ของ${word}: ${value}`,
  "a word right after Burmese": (value, word) => `ရဲ့${word}: ${value}`,
};

describe.each(Object.entries(PLACES))("in %s", (_, write) => {
  it.each(VALUES)("finds the whole %s after %j: %s", (type, word, value) => {
    expect(found(write(value, word), { entities: [type] })).toEqual([[type, value]]);
  });
});
