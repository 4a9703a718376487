import { describe, expect, it } from "@jest/globals";

import { found } from "./found.js";

describe("payment cards", () => {
  it.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "378282246310005",
    "3782 822463 10005",
    "30569309025904",
    "6011111111111117",
    "3530111333300000",
    "5555555555554444",
    "2223003122003222",
    "4222222222222",
    "4000000000000000006",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
  ])("finds %j anywhere", (card) => {
    expect(found(`It is ${card}.`)).toEqual([["CREDIT_CARD", card]]);
  });

  it.each([
    "Ada Byron,4111111111111111,05/27",
    "7,4111111111111111",
    "1234567812345678,4111111111111111,x",
    '"Ada","4111111111111111","05/27"',
    "Ada;4111111111111111;94103",
    "Ada,4111 1111 1111 1111,94103",
  ])("finds the card in the line of values %j", (line) => {
    expect(found(line).filter(([type]) => type === "CREDIT_CARD")).toHaveLength(1);
  });

  it.each([
    "order 4111111111111111",
    "Tracking number: 5555555555554444",
    "user_id=4012888888881881",
    "订单order 4111111111111111",
  ])("finds no card in %j, but near a word for cards", (text) => {
    expect(found(text).filter(([type]) => type === "CREDIT_CARD")).toEqual([]);
    expect(found(`paid by card, ${text}`).map(([type]) => type)).toContain("CREDIT_CARD");
  });

  it.each(["503867297114", "060426070011", "6759649826438453"])("finds %j near a word for cards", (card) => {
    expect(found(`my card ${card} is lost`)).toEqual([["CREDIT_CARD", card]]);
  });

  it.each([
    "4111111111111112",
    "4111 1111 1111 1112",
    "4493 7382 0911 2230",
    "0000000000000000",
    "41111111111111111111111",
    "x4111111111111111",
    "0.4111111111111111",
    "is 0,4111111111111111 of it",
    "_x_4111111111111111",
    "4111111111111111__x",
  ])("finds no card in %j", (text) => {
    expect(found(`card ${text}`).filter(([type]) => type === "CREDIT_CARD")).toEqual([]);
  });
});

describe("account numbers", () => {
  it.each([
    "GB82WEST12345698765432",
    "GB82 WEST 1234 5698 7654 32",
    "DE89 3704 0044 0532 0130 00",
    "de89370400440532013000",
    "NO9386011117947",
    "FR14 2004 1010 0505 0001 3M02 606",
    "MT84MALT011000012345MTLCAST001S",
  ])("finds the IBAN %j", (iban) => {
    expect(found(`to ${iban}, please`)).toEqual([["IBAN_CODE", iban]]);
  });

  it.each([
    "GB82WEST12345698765433",
    "DE89370400440532013",
    "XX89370400440532013000",
    "AGB82WEST12345698765432",
    "GB82WEST123456987654321",
  ])("finds no IBAN in %j", (text) => {
    expect(found(`iban ${text}`).filter(([type]) => type === "IBAN_CODE")).toEqual([]);
  });
});

describe("addresses in networks", () => {
  it.each([
    ["ping 192.0.2.1.", "192.0.2.1"],
    ["|106.31.73.20|%20", "106.31.73.20"],
    ["http//10.0.0.1:80", "10.0.0.1"],
    ["2001:db8::1", "2001:db8::1"],
    ["[2001:db8::8:800:200c:417a]:443", "2001:db8::8:800:200c:417a"],
    ["6e40:4041:c617:e898:c11:40d2:c669:2eb4 blocked", "6e40:4041:c617:e898:c11:40d2:c669:2eb4"],
    ["::ffff:192.0.2.128", "::ffff:192.0.2.128"],
    ["fe80::1%eth0 is up", "fe80::1%eth0"],
    ["at ::1: it fails", "::1"],
    ["peer:fe80::1", "fe80::1"],
    ['{"src":2001:db8::1}', "2001:db8::1"],
  ])("finds the address in %j", (text, address) => {
    expect(found(text)).toEqual([["IP_ADDRESS", address]]);
  });

  it.each([
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "v1.2.3.4",
    "12:34:56",
    "std::vector",
    "a::b",
    "::",
    "1:2:3:4:5:6:7:8:9",
    "2001:db8::1::2",
    String.raw`a\nf:2:3:4:5:6:7:8:9`,
  ])("finds no address in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each(["00:1A:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e"])("finds the interface %j", (address) => {
    expect(found(`at ${address}.`)).toEqual([["MAC_ADDRESS", address]]);
  });

  it.each(["00:00:00:00:00:00", "00:1A:2b:3c:4d", "00:1A:2b:3c:4d:5e:6f", "12-34-56-78-90-12"])(
    "finds no interface in %j",
    (text) => {
      expect(found(text).filter(([type]) => type === "MAC_ADDRESS")).toEqual([]);
    },
  );
});

it.each(["", "\0", "\ud800", "\udc00@\ud800.org", "9".repeat(100_000), "+".repeat(1000), "a.".repeat(50_000)])(
  "reads any text (%#)",
  (text) => {
    expect(found(text)).toEqual([]);
  },
);
