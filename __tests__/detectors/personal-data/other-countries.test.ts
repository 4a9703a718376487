import { describe, expect, it } from "@jest/globals";
import { detect, personalData, textOf } from "../../../src/detectors/index.js";

const found = (text: string): readonly string[] =>
  detect(text, [personalData()]).map((finding) => `${finding.type} ${textOf(finding, text)}`);

describe("personal data of further countries", () => {
  it.each([
    ["NATIONAL_ID 29001011234567", "الرقم القومي 29001011234567"],
    ["NATIONAL_ID 001090012345", "Số CCCD: 001090012345"],
    ["NATIONAL_ID GHA-712345678-9", "Ghana Card GHA-712345678-9"],
    ["MX_CLABE 032180000118359719", "CLABE interbancaria 032180000118359719"],
    ["IMEI 490154203237518", "IMEI 490154203237518"],
    ["VIN 1M8GDM9AXKP042788", "VIN 1M8GDM9AXKP042788"],
    ["UK_SORT_CODE 20-00-00", "Sort code 20-00-00"],
    ["DRIVER_LICENSE B072RRE2I55", "Führerschein Nummer B072RRE2I55"],
    ["US_BANK_NUMBER 1234567890", "Kontonummer 1234567890"],
    ["PHONE_NUMBER 0501234567", "رقم هاتفي 0501234567"],
    ["DATE_OF_BIRTH 15/08/1993", "ngày sinh 15/08/1993"],
    ["DATE_OF_BIRTH 55年4月3日", "生年月日：昭和55年4月3日"],
    ["EMAIL_ADDRESS lena punkt vogt ät posteo punkt de", "Mail: lena punkt vogt ät posteo punkt de"],
    ["EMAIL_ADDRESS luisa arroba correo punto es", "Mi correo es luisa arroba correo punto es"],
    ["STREET_ADDRESS Vinohradská 112, 130 00 Praha", "Bydlím na adrese: Vinohradská 112, 130 00 Praha"],
    ["STREET_ADDRESS Keizersgracht 174, 1016 DW Amsterdam", "Ik woon op Keizersgracht 174, 1016 DW Amsterdam"],
    ["STREET_ADDRESS Atatürk Caddesi No: 12", "Adresim Atatürk Caddesi No: 12"],
    ["STREET_ADDRESS 東京都千代田区丸の内1-9-1", "住所は東京都千代田区丸の内1-9-1です"],
  ])("finds %s", (value, text) => {
    expect(found(text)).toContain(value);
  });

  it.each([
    "We met on May 12, 2024 Paris time.",
    "Table 3, 2019 Edition",
    "The call of 12 items arrived at dot matrix speed.",
    "He was at point blank range.",
    "I tried this at this point to send it, several times at that point in time.",
    "IMEI 490154203237519",
    "2023年の売上は3-4倍、第3番",
  ])("passes %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});
