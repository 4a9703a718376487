/** Words near payment cards, in several languages. A word counts where another word begins with it. */
export const CARD_WORDS: readonly string[] =
  "card|credit|debit|visa|mastercard|master card|maestro|amex|american express|discover|jcb|diners|unionpay|cc |pan |karte|kreditkarte|carte|tarjeta|carta|cartão|cartao|kaart|kort|karta|kortti|kártya|карт|карта|卡|カード|카드".split(
    "|",
  );
/** Words that name a telephone number, so that digits without separators after them are one. */
export const PHONE_NAMES: readonly string[] =
  "phone|telephone|tel|mobile|cell|fax|whatsapp|hotline|helpline|landline|call me|text me|desk:|office:|home:|work:|telefon|handynummer|rufnummer|mobil|téléphone|portable|teléfono|telefono|móvil|celular|cellulare|telefone|telemóvel|telefoon|puhelin|komórk|телефон|тел|τηλ|κινητό|電話|电话|手机|전화|هاتف|جوال|موبايل|טלפון|נייד|điện thoại|dien thoai|telepon|nomor hp|no hp|फ़ोन|फोन|मोबाइल|โทร|携帯|연락처|핸드폰|cep no".split(
    "|",
  );
/** Words near telephone numbers. */
export const PHONE_WORDS: readonly string[] = [
  ...PHONE_NAMES,
  "call",
  "text",
  "sms",
  "signal",
  "viber",
  "dial",
  "ring",
  "contact",
  "reach",
  "voicemail",
  "message",
  "registered",
  "my number",
  "office\n",
  "-office",
  "(office",
  "handy",
  "anruf",
  "appel",
  "fijo",
  "movil",
  "llam",
  "chiam",
  "ligue",
  "mobiel",
  "bel ",
  "puh",
  "soita",
  "zadzwoń",
  "číslo",
  "volejte",
  "звон",
];
