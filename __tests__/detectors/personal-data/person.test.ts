import { describe, expect, it } from "@jest/globals";
import { found } from "./found.js";

describe("dates of birth", () => {
  it.each([
    ["born on 12/03/1985 in Rome", "12/03/1985"],
    ["DOB: 1985-03-12", "1985-03-12"],
    ["date of birth March 12, 1985", "March 12, 1985"],
    ["I was born the 12th of March 1985.", "12th of March 1985"],
    ["geboren am 12. März 1985", "12. März 1985"],
    ["née le 12 mars 1985", "12 mars 1985"],
    ["fecha de nacimiento: 12 de marzo de 1985", "12 de marzo de 1985"],
    ["nato il 12.03.85", "12.03.85"],
    ["дата рождения 12.03.1985", "12.03.1985"],
    ["nació el 8 de agosto de 1941", "8 de agosto de 1941"],
    ["geboren op 2 maart 1978", "2 maart 1978"],
    ["urodzona 13 października 1954", "13 października 1954"],
    ["narozen 5. května 1961", "5. května 1961"],
    ["syntynyt 5. tammikuuta 1980", "5. tammikuuta 1980"],
    ["doğum tarihi 4 Ağustos 1990", "4 Ağustos 1990"],
    ["народилася 3 жовтня 1972", "3 жовтня 1972"],
    ["γεννήθηκε 7 Ιουλίου 1968", "7 Ιουλίου 1968"],
    ["DOB 13/Jan/1985", "13/Jan/1985"],
    ["birthdate=19850312", "19850312"],
    ["<dateofbirth>1985-03-12</dateofbirth>", "1985-03-12"],
    ["Geburtstag: 12.03.1985", "12.03.1985"],
    ['{"userDateOfBirth":"1985-03-12"}', "1985-03-12"],
    ["生年月日: 1985年3月12日", "1985年3月12日"],
    ["12/03/1985 (date of birth)", "12/03/1985"],
  ])("finds the date in %j", (text, date) => {
    expect(found(text)).toEqual([["DATE_OF_BIRTH", date]]);
  });

  it.each([
    "due on 12/03/1985",
    "born in 1985",
    "born at 12:30",
    "birth rate 13/25/1985",
    "born 19851312",
    "12/03/85/17 at birth",
  ])("finds no date in %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});

it("does not mistake pairs of a telephone number for a date of birth", () => {
  expect(found("tel:06 12 34 56 78, DOB 1980-05-13")).toEqual([
    ["PHONE_NUMBER", "06 12 34 56 78"],
    ["DATE_OF_BIRTH", "1980-05-13"],
  ]);
});

describe("streets", () => {
  it.each([
    "221B Baker Street",
    "1600 Pennsylvania Ave NW".slice(0, 21),
    "12 St. James Place",
    "350 Fifth Avenue, Suite 21",
    "77 Massachusetts Ave. Apt 3",
    "P.O. Box 1234",
    "PSC 1234, Box 5678",
    "Hauptstraße 5",
    "Berliner Straße 12a",
    "Prinsengracht 263",
    "Storgatan 14",
    "12 rue de la Paix",
    "3 bis, avenue Foch",
    "Calle Mayor 5",
    "Calle de Alcalá, 50",
    "Via Roma, 12",
    "Rua Augusta 100",
    "ul. Zamkowa 33",
    "Praça do Sol, 90",
    "ул. Пушкина, д. 44",
    "проспект Мира, 12",
    "Mannerheimintie 7",
  ])("finds %j", (street) => {
    expect(found(`Send it to ${street}, please`)).toEqual([["STREET_ADDRESS", street]]);
  });

  it("finds lower-case streets only near a word for addresses", () => {
    expect(found("my address is 12 baker street")).toEqual([["STREET_ADDRESS", "12 baker street"]]);
    expect(found("there are 12 ways down the street")).toEqual([]);
  });

  it.each([
    "During 2017, they moved",
    "Spring 2020",
    "take 5 minutes. Down Street",
    "3 ways to cross the road",
    "via email 5 times",
    "Route 66",
    "string 5",
    "unit 5",
  ])("finds no street in %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("postal codes", () => {
  it.each([
    ["London SW1A 1AA", "UK_POSTCODE", "SW1A 1AA"],
    ["Leeds M1 1AE, UK", "UK_POSTCODE", "M1 1AE"],
    ["post code SW1A1AA", "UK_POSTCODE", "SW1A1AA"],
    ["Ottawa ON K1A 0B1", "CA_POSTAL_CODE", "K1A 0B1"],
    ["Mountain View, CA 94043", "ZIP_CODE", "94043"],
    ["New York, NY 10001-1234", "ZIP_CODE", "10001-1234"],
    ["D-10115 Berlin", "ZIP_CODE", "10115"],
    ["zip code: 94043", "ZIP_CODE", "94043"],
    ["PLZ 10115", "ZIP_CODE", "10115"],
    ["kod pocztowy 00-950", "ZIP_CODE", "00-950"],
    ["postcode 1012 AB", "ZIP_CODE", "1012 AB"],
    ["my cep is 90010-170", "ZIP_CODE", "90010-170"],
  ])("finds the code in %j", (text, type, code) => {
    expect(found(text)).toEqual([[type, code]]);
  });

  it.each(["it costs 94043", "A1 1AA4", "QQ1 1AA", "zip 1.5", "B2 4GBX", "zip it in 10 minutes"])(
    "finds no code in %j",
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});

describe("addresses of crypto currencies", () => {
  it.each([
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
    "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1",
    "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L",
    "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW",
    "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh",
    "GAHK7EEG2WWHVKDNT4CEQFZGKF2LGDSW2IVM4S5DP42RBW3K6BTODB4A",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae",
  ])("finds %j", (address) => {
    expect(found(`send to ${address}.`)).toEqual([["CRYPTO", address]]);
  });

  it("finds addresses without a check only near a word", () => {
    const address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
    expect(found(`solana wallet ${address}`)).toEqual([["CRYPTO", address]]);
    expect(found(`key ${address}`)).toEqual([]);
  });

  it.each([
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdw",
    "bc1Qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed",
    "0x0000000000000000000000000000000000000000",
    "GAHK7EEG2WWHVKDNT4CEQFZGKF2LGDSW2IVM4S5DP42RBW3K6BTODB4B",
    "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLi",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ])("finds no address in %j", (text) => {
    expect(found(`send to ${text}`).filter(([type]) => type === "CRYPTO")).toEqual([]);
  });
});
