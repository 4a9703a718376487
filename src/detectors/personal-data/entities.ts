import { identityFormats } from "./identity/formats.js";

/** Entities that the detector of personal data finds by itself, by Presidio's names where it has them. */
export const PERSONAL_DATA_ENTITIES: readonly string[] = [
  "EMAIL_ADDRESS",
  "PHONE_NUMBER",
  "URL",
  "DOMAIN_NAME",
  "IP_ADDRESS",
  "MAC_ADDRESS",
  "CREDIT_CARD",
  "IBAN_CODE",
  "CRYPTO",
  "DATE_OF_BIRTH",
  "STREET_ADDRESS",
  "ZIP_CODE",
  "UK_POSTCODE",
  "CA_POSTAL_CODE",
  ...new Set(identityFormats.map(({ type }) => type)),
];
