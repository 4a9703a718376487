/** Form of an official number, with what makes it certain. */
export interface IdentityFormat {
  /** Entity, by Presidio's name where it has one. */
  readonly type: string;
  /** How many letters may stand before the first digit; default: none. */
  readonly letters?: readonly number[];
  /** Lengths that the first run of digits may have. */
  readonly runs: readonly number[];
  /** Whole number with the separators that it is written with; sticky, linear, for upper and lower case. */
  readonly pattern: RegExp;
  /** Checks letters (upper case) and digits without separators. */
  readonly check?: (compact: string) => boolean;
  /** Certainty of a number without separators and context words. */
  readonly score: number;
  /** Certainty of a number with separators; default: `score`. */
  readonly grouped?: number;
  /** Words that raise the certainty. */
  readonly context: readonly string[];
  /** Words that name the country or its language: near them the format counts before those of other countries. */
  readonly country?: readonly string[];
  /** The number is that of a person, so that words such as "national id" raise the certainty too. */
  readonly national?: boolean;
}

/** Words near national numbers in general. */
export const ID_WORDS: readonly string[] =
  "national id|national identi|identity number|identity card|identity no|identification|id number|id no|id card|personal number|personal code|personal id|citizen|social security|tax id|tax number|tax no|taxpayer|tin ".split(
    "|",
  );
/** Words near passports. */
export const PASSPORT_WORDS: readonly string[] =
  "passport|travel document|reisepass|passeport|pasaporte|passaporto|passaporte|paspoort|paszport|паспорт|पासपोर्ट|여권|護照|旅券|جواز|דרכון|passnummer|διαβατήρι|pașaport|pasaport|útlevél|cestovní pas|护照|パスポート".split(
    "|",
  );
/** Words near driving licences. */
export const LICENCE_WORDS: readonly string[] =
  "driver|driving|licence|license|permit|dl |führerschein|permis|conducir|patente|rijbewijs|carteira de|cnh |prawo jazdy|prawa jazdy|ehliyet|körkort|kørekort|førerkort|ajokort|řidičsk|водительск|права|驾驶证|運転免許|운전면허".split(
    "|",
  );
/** Words near numbers for value added tax. */
export const VAT_WORDS: readonly string[] = ["vat", "iva", "ust", "umsatzsteuer", "tva", "btw", "moms", "nip"];
