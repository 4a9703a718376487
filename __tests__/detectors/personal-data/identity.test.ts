import { describe, expect, it } from "@jest/globals";
import { found } from "./found.js";

/** Invented numbers with the right check digits: the entity, a word near it, and ways to write the number. */
const NUMBERS: readonly (readonly [type: string, word: string, ...numbers: string[]])[] = [
  ["US_SSN", "social", "536904399", "536-90-4399", "536 90 4399"],
  ["US_ITIN", "itin", "912701234", "912-70-1234"],
  ["US_PASSPORT", "american passport", "912803456", "A12345678"],
  ["US_DRIVER_LICENSE", "driver license", "D1234567", "S123-4567-8901", "A123456789012"],
  ["US_BANK_NUMBER", "account", "945456787654"],
  ["ABA_ROUTING_NUMBER", "routing", "021000021", "0210-0002-1"],
  ["US_MBI", "medicare", "1EG4-TE5-MK73", "1EG4TE5MK73"],
  ["US_NPI", "npi", "1234567893"],
  ["MEDICAL_LICENSE", "dea", "BB1388568"],
  ["CA_SIN", "social insurance", "496930652", "496-930-652", "496 930 652"],
  ["BR_CPF", "cpf", "42390395767", "423.903.957-67"],
  ["BR_CNPJ", "cnpj", "43612857387908", "43.612.857/3879-08"],
  ["MX_CURP", "curp", "DEUK030711HJCDFG37"],
  ["MX_RFC", "rfc", "GODE561231GR8"],
  ["AR_CUIT", "cuit", "27012891119", "27-01289111-9"],
  ["CL_RUT", "rut", "12345678-5", "48.450.205-6", "20347878-K"],
  ["EC_CEDULA", "cédula", "1203784507"],
  ["DO_CEDULA", "cédula", "434-7023104-4"],
  ["UY_CI", "cédula", "1.234.567-2"],
  ["UK_NHS", "nhs", "4339976733", "433 997 6733", "433-997-6733"],
  ["UK_NINO", "national insurance", "AB123456C", "AB 12 34 56 C", "ab123456c"],
  ["UK_PASSPORT", "passport", "AB1234567"],
  ["UK_DRIVING_LICENCE", "driving licence", "MORGA657054SM9IJ"],
  ["IE_PPS", "pps", "4847022S", "1234567FA"],
  ["ES_NIF", "dni", "50582771K", "50582771-K", "50.582.771-K"],
  ["ES_NIE", "nie", "Y4405798R", "X-0000000-T"],
  ["ES_CIF", "cif", "D68529593", "A58818501"],
  ["PT_NIF", "contribuinte", "541977610", "541 977 610"],
  ["PT_CC", "cartão de cidadão", "510106801XV6", "51010680 1 XV6"],
  ["IT_FISCAL_CODE", "codice fiscale", "LNRTDC43M19D606I", "rssmra85t10a562s"],
  ["IT_VAT_CODE", "partita iva", "49918100014"],
  ["IT_PASSPORT", "passaporto", "YA 1234567"],
  ["IT_IDENTITY_CARD", "carta d'identità", "CA12345AA", "AB1234567"],
  ["IT_DRIVER_LICENSE", "patente", "MI1234567X"],
  ["DE_TAX_ID", "steuer-id", "50468991378", "50 468 991 378"],
  ["DE_ID_CARD", "personalausweis", "L01X00T471", "T220001293", "LZ6311T475", "LFX1T4P8C4"],
  ["DE_PASSPORT", "reisepass", "C01X00T478"],
  ["DE_SOCIAL_SECURITY", "rentenversicherung", "15070649C103", "15 070649 C 103"],
  ["DE_HEALTH_INSURANCE", "krankenkasse", "A123456780"],
  ["DE_VAT_ID", "ust-id", "DE498805160", "DE 498805160"],
  ["AT_SSN", "svnr", "5074010669", "5074 010669"],
  ["CH_AHV", "ahv", "7564211815103", "756.4211.8151.03"],
  ["FR_NIR", "sécurité sociale", "193065859647710", "1 93 06 58 596 477 10"],
  ["NL_BSN", "bsn", "489737092", "489.737.092"],
  ["BE_NRN", "rijksregister", "61061584033", "61.06.15-840.33"],
  ["LU_MATRICULE", "matricule", "1965071201259"],
  ["SE_PERSONNUMMER", "personnummer", "621117-7776", "6211177776", "19621117-7776"],
  ["NO_FNR", "fødselsnummer", "16019106911", "160191 06911"],
  ["DK_CPR", "cpr", "211062-5629", "2110625629"],
  ["FI_PERSONAL_IDENTITY_CODE", "hetu", "131052-308T", "140860A268L"],
  ["IS_KENNITALA", "kennitala", "130378-1379"],
  ["PL_PESEL", "pesel", "58051094938"],
  ["PL_NIP", "nip", "4672903199", "467-290-31-99"],
  ["PL_IDENTITY_CARD", "dowód", "ABA300000"],
  ["CZ_BIRTH_NUMBER", "rodné číslo", "655303/2662", "6553032662"],
  ["HU_TAX_ID", "adóazonosító", "8071592153"],
  ["HU_TAJ", "taj", "111 111 110"],
  ["EE_ISIKUKOOD", "isikukood", "48412017991"],
  ["LT_ASMENS_KODAS", "asmens kodas", "47807115881"],
  ["LV_PERSONAS_KODS", "personas kods", "15070125186", "150701-25186"],
  ["RO_CNP", "cnp", "2840625121769"],
  ["BG_EGN", "егн", "6504022917"],
  ["HR_OIB", "oib", "46115824884"],
  ["RS_JMBG", "jmbg", "0101006500006"],
  ["GR_AMKA", "αμκα", "15125002541"],
  ["GR_AFM", "αφμ", "479244171"],
  ["RU_SNILS", "снилс", "112-233-445 95", "11223344595"],
  ["RU_INN", "инн", "459020573520", "7707083893"],
  ["UA_RNOKPP", "рнокпп", "4851619188"],
  ["TR_NATIONAL_ID", "kimlik", "49854311252"],
  ["AU_ABN", "abn", "51889769832", "51 889 769 832"],
  ["AU_ACN", "acn", "476507481", "476 507 481"],
  ["AU_TFN", "tax file", "439628214", "439 628 214"],
  ["AU_MEDICARE", "medicare", "2123456701", "2123 45670 1"],
  ["NZ_IRD", "ird", "072087119", "72-087-119"],
  ["IN_AADHAAR", "aadhaar", "539713057227", "5397 1305 7227"],
  ["IN_PAN", "pan", "ABCPE1234F"],
  ["IN_PASSPORT", "passport", "K2345671"],
  ["IN_VOTER", "voter", "ABC1234567"],
  ["IN_VEHICLE_REGISTRATION", "vehicle", "KA01AB1234", "KA 01 AB 1234"],
  ["IN_GSTIN", "gstin", "17RASJY1002K1Z8"],
  ["SG_NRIC_FIN", "nric", "S1234567D", "F1234567N"],
  ["MY_NRIC", "mykad", "690123082576", "690123-08-2576"],
  ["TH_TNIN", "thai id", "4547496850487", "4-5474-96850-48-7"],
  ["ID_NIK", "nik", "3201051503519731"],
  ["PK_CNIC", "cnic", "3520463556532", "35204-6355653-2"],
  ["CN_RESIDENT_ID", "身份证", "110101197011021210", "11010519491231002X"],
  ["HK_ID", "hkid", "A123456(3)", "A1234563"],
  ["TW_ID", "身分證", "A123456789"],
  ["KR_RRN", "주민등록번호", "650712-2042537", "6507122042537"],
  ["KR_BRN", "사업자", "124-81-00998"],
  ["JP_MY_NUMBER", "マイナンバー", "455116151658", "4551 1615 1658"],
  ["KZ_IIN", "иин", "860904301020"],
  ["ZA_ID_NUMBER", "sa id", "6405290633184", "640529 0633 18 4"],
  ["NG_NIN", "nin:", "12345678901"],
  ["IL_ID", "israel", "449949577", "44994957-7"],
  ["AE_EMIRATES_ID", "emirates", "784-1984-1234567-4", "784198412345674"],
  ["SA_NATIONAL_ID", "iqama", "1058529940"],
  ["PASSPORT", "passport", "AB123456", "12AB34567", "X1234567Z", "A123456BC", "M123A4567"],
  ["PASSPORT", "paspoort", "NW4P7DB83", "XKZBRT405"],
  ["PASSPORT", "паспорт", "45 10 123456", "4510 № 123456", "4510 123456"],
  ["IR_NATIONAL_ID", "کد ملی", "0499370899", "049-937089-9"],
];

const CASES = NUMBERS.flatMap(([type, word, ...numbers]) => numbers.map((number) => [type, number, word] as const));

it.each(CASES)("finds %s %j near a word", (type, number, word) => {
  expect(found(`${word} ${number}, thanks`, { entities: [type] })).toEqual([[type, number]]);
  expect(found(`${word} ${number}, thanks`)).toContainEqual([type, number]);
});

describe("official numbers without a check digit, or with one that random numbers pass", () => {
  it.each([
    "912803456",
    "945456787654",
    "021000021",
    "4339976733",
    "489737092",
    "46115824884",
    "439628214",
    "539713057227",
  ])("are not found without a word: %s", (number) => {
    expect(found(`It is ${number}, thanks`)).toEqual([]);
  });
});

/** Numbers whose check fails, or with a part that no authority gives. */
const WRONG: readonly (readonly [type: string, word: string, number: string])[] = [
  ["US_SSN", "social", "000-12-3456"],
  ["US_SSN", "social", "666-12-3456"],
  ["US_SSN", "social", "078-05-1120"],
  ["US_SSN", "social", "1123-45-6789"],
  ["US_SSN", "social", "123-45-67890"],
  ["UK_NHS", "nhs", "433 997 6734"],
  ["UK_NINO", "national insurance", "BG123456C"],
  ["UK_NINO", "national insurance", "AB123456E"],
  ["ES_NIF", "dni", "50582771L"],
  ["IT_FISCAL_CODE", "codice fiscale", "LNRTDC43M19D606J"],
  ["PL_PESEL", "pesel", "58051094939"],
  ["PL_PESEL", "pesel", "58131094938"],
  ["FR_NIR", "insee", "193065859647711"],
  ["DE_TAX_ID", "steuer-id", "50468991379"],
  ["NL_BSN", "bsn", "489737093"],
  ["NL_BSN", "bsn", "000000000"],
  ["BE_NRN", "rijksregister", "61.06.15-840.34"],
  ["SE_PERSONNUMMER", "personnummer", "621317-7776"],
  ["FI_PERSONAL_IDENTITY_CODE", "hetu", "131052-308U"],
  ["BR_CPF", "cpf", "111.111.111-11"],
  ["CN_RESIDENT_ID", "身份证", "110101197013021210"],
  ["KR_RRN", "주민등록번호", "650712-2042538"],
  ["SG_NRIC_FIN", "nric", "S1234567E"],
  ["IN_AADHAAR", "aadhaar", "5397 1305 7228"],
  ["AU_TFN", "tax file", "439 628 215"],
  ["NL_BSN", "bsn", "489737092,44"],
  ["NL_BSN", "bsn", "0,489737092"],
  ["NL_BSN", "bsn", "1 489737092_x"],
];

it.each(WRONG)("finds no %s near %j in %j", (type, word, number) => {
  expect(found(`${word} ${number}`, { entities: [type] })).toEqual([]);
});

it.each([
  ["CA_SIN", '{"sin": "496930652"}', "496930652"],
  ["CA_SIN", "SIN=496-930-652", "496-930-652"],
  ["CA_SIN", "我的SIN号码是496930652", "496930652"],
  ["CA_SIN", "<td>SIN</td><td>496 930 652</td>", "496 930 652"],
  ["CA_SIN", "496 930 652 is my SIN", "496 930 652"],
  ["RU_INN", "INN=7707083893", "7707083893"],
  ["NG_NIN", '{"nin":"12345678901"}', "12345678901"],
  ["US_SSN", '{"customerSsn":"536904399"}', "536904399"],
  ["US_DRIVER_LICENSE", '{"dlNumber":"","DL":"D1234567"}', "D1234567"],
  ["US_DRIVER_LICENSE", "driver_license_number: D1234567", "D1234567"],
  ["BR_CPF", '{"userTaxId":"42390395767"}', "42390395767"],
  ["JP_MY_NUMBER", "私のマイナンバーは455116151658です", "455116151658"],
  ["SA_NATIONAL_ID", "رقم الهوية: 1058529940", "1058529940"],
  ["UY_CI", "CI: 1.234.567-2", "1.234.567-2"],
  ["IT_PASSPORT", "passaporto n. AA7808892", "AA7808892"],
  ["UK_PASSPORT", "my UK passport 912803456", "912803456"],
  ["ID_NIK", "NIK 5119094505578336", "5119094505578336"],
])("finds %s in %j by a name of its field or language", (type, text, number) => {
  expect(found(text)).toContainEqual([type, number]);
});

it("prefers the number that a word names", () => {
  expect(found("my bsn is 123456782")).toEqual([["NL_BSN", "123456782"]]);
  expect(found("tax file number 123456782")).toEqual([["AU_TFN", "123456782"]]);
});
