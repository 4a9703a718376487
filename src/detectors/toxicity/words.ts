import type { PhraseTable } from "../phrases/phrase-table.js";

/**
 * Toxic words by severity, as far as words alone show it: words with a common harmless meaning are left out, and the lists
 * are short, since disguises of the letters are undone before.
 *
 * - `mild`: rude words and insults that are said among friends;
 * - `strong`: obscenities, hard insults, wishes of death;
 * - `hate`: slurs against groups of people and slogans of hate.
 */
export const TOXIC_WORDS: readonly PhraseTable<"mild" | "strong" | "hate">[] = [
  {
    mild: [
      "damn|damned|dammit|goddamn*|crap|crappy|piss off|pissed off|idiot|idiots|idiotic|moron|morons|imbecile*|dumbass*|jerk|jerks|loser|losers|screw you|shut up|wanker*|douche*|bollocks|jackass*|bloody hell|scumbag*|weirdo*|halfwit*|nitwit*|stupid (idiot|fool|cow)|you (suck|stink)|dumb (ass|idiot|fool)",
    ],
    strong: [
      "fuck*|motherfuck*|wtf|stfu|shit|shits|shitty|shithead*|shithole*|bullshit*|bitch|bitches|bitchy|bastard*|asshole*|arsehole*|dickhead*|cunt*|cocksucker*|whore|whores|slut|sluts|slutty|twat*|(you|such|stupid|total|absolute|complete|arrogant|what) ~2 (prick|pricks)|kys|kill (yourself|your self|urself)|muthafuck*|phuck*|(fck|fuk) you|fuking|ass hole|ass holes|dick head*|sonofabitch*|go die|drop dead|eat shit|piece of shit|son of a bitch|hope you die",
    ],
    hate: [
      "nigger*|nigga|niggas|niggaz|faggot*|fag|fags|kike|kikes|spics|(you|dirty|stupid|fucking|lazy|these) ~1 spic|wetback*|gook|gooks|chinaman|tranny|trannies|retard|retards|retarded|raghead*|towelhead*|camel jockey*|sand nigger*|paki|pakis|beaner|beaners|subhumans|untermensch*|gas the jews|heil hitler|sieg heil|white power|white supremacy now|race traitor*|death to (jews|muslims|christians|gays|immigrants|blacks|whites|arabs)|(jews|muslims|gays|immigrants|blacks|arabs) (should|must|deserve to) ~1 (die|burn|hang|be killed|be shot|be gassed)",
    ],
  },
  {
    mild: ["verdammt*|blödmann|(du|ein) depp|volldepp*|trottel|vollidiot*|dummkopf|halt die klappe|halts maul"],
    strong: [
      "scheiß*|scheiss*|arschloch|arschlöcher|wichser*|fotze*|hurensohn*|hure|huren|schlampe*|fick dich|ficken|verpiss dich|missgeburt*|verrecke",
    ],
    hate: ["neger|kanake*|schwuchtel*|judensau*|untermensch*|zigeunerpack|ausländer raus|kümmeltürke*|heil hitler"],
  },
  {
    mild: ["imbécile*|crétin*|abruti*|ta gueule|(gros|pauvre|espèce de) débile|ferme la"],
    strong: [
      "merde|putain|connard*|connasse*|salope*|salaud*|enculé*|enculer|fils de pute|nique ta (mère|mere)|va te faire foutre|bordel de merde",
    ],
    hate: [
      "bougnoule*|nègre|nègres|youpin*|sale (juif|arabe|noir|pédé)|(sale|grosse) (pédale|tapette)|bamboula*|mort aux (juifs|arabes)",
    ],
  },
  {
    mild: ["imbécil*|estúpid*|idiota*|cállate la boca"],
    strong: [
      "mierda|puta|putas|cabrón|cabrones|gilipollas|joder|que te jodan|hijueputa*|la concha de tu madre|cabron|hijo de puta|hijos de puta|pendejo*|chinga tu madre|vete a la mierda|coño",
    ],
    hate: ["maricón|maricones|sudaca*|negrata*|panchito de mierda|moro de mierda|judío de mierda"],
  },
  {
    mild: ["cretino|cretini|imbecille|(sei|che) deficiente"],
    strong: [
      "merda|cazzo|stronzo|stronza|stronzi|puttana|puttane|vaffanculo|porco dio|coglione|coglioni|figlio di puttana|bastardo",
    ],
    hate: ["frocio|froci|negro di merda|ebreo di merda|terrone di merda|zingaro di merda"],
  },
  {
    mild: ["seu burro|sua burra|otário*|cala a boca"],
    strong: [
      "caralho|foda se|filho da puta|filhos da puta|vai se foder|vai tomar no cu|puta que pariu|arrombado|porra",
    ],
    hate: ["viado de merda|preto de merda|macaco de merda|paneleiro|sapatão de merda"],
  },
  {
    mild: ["дурак|дура|идиот|идиотка|дебил|заткнись"],
    strong: [
      "блядь|бля|сука|суки|хуй*|хуе*|пизд*|ебать|ебан*|ёбан*|мудак*|гандон*|мразь|сдохни|иди на хуй|иди нах|еб твою мать|иди нахуй|нахуй",
    ],
    hate: ["жид|жиды|жидов|хач|хачи|пидор*|пидар*|чурка|чурки|чурок|хохол|хохлы"],
  },
  {
    mild: ["idiota|kretyn*|debil|debile|zamknij się"],
    strong: ["kurwa|kurwy|chuj|chuju|jebać|jebany|jebane|skurwysyn*|pierdol*|spierdalaj*|sukinsyn*"],
    hate: ["żydek|żydki|ciapaty|ciapaci|pedał jebany|czarnuch*"],
  },
  {
    mild: ["sukkel|sukkels|(stomme|jij) eikel|hou je bek"],
    strong: ["klootzak*|kutwijf|hoer|hoeren|kankerlijer*|teringlijer*|godverdomme|hoerenzoon|kankerhoer*"],
    hate: ["nikker*|kutmarokkaan*|kankerhomo*|kankerjood|flikker op homo"],
  },
  {
    mild: ["aptal|salak|gerizekalı*|kapa çeneni"],
    strong: ["siktir*|orospu*|amına*|yarrak|piç|piçler|göt veren|ananı*"],
    hate: ["ibne|ibneler|gavur piçi|ermeni piçi"],
  },
  {
    mild: ["白痴|笨蛋|闭嘴|バカ野郎|馬鹿野郎|うるさい黙れ|바보새끼"],
    strong: [
      "操你|艹你|肏你|傻逼|他妈的|婊子|王八蛋|去死吧|草泥马|死ね|くたばれ|クソ野郎|씨발*|시발놈*|시발새끼*|개새끼*|병신*|좆*|꺼져 죽어",
    ],
    hate: ["支那人|黑鬼|チョン公|シナ人|ニガー|쪽바리*|짱깨*|깜둥이*"],
  },
  {
    strong: [
      "jävla (fitta|hora)|dra åt helvete|vittu*|kurva anyád*|jebi se|pičko|jebem ti*|еба (майка|майката)|γαμώ το|μαλάκας|địt (mẹ|má)|đụ (má|mẹ)|do (piče|píči|prdele)|zmrd*|čurák*|kokot*|píčo|baszd meg|bazdmeg|bazmeg|faszfej*|geci|kurva|fy faen|faen ta deg|jævla|dra til helvete|fan ta dig|futu (ți|ti|i)|pula mea|pizda|haista (paska|vittu)|huora*|pička*|jebote|άντε γαμήσου|γαμημέν*|πουτάνα|בן זונה|כוס אמק|کسکش|مادرجنده|ควย|เหี้ย|putang ina*|tangina*",
    ],
  },
  {
    strong: [
      "मादरचोद*|भेनचोद*|बहनचोद*|चूतिया*|रंडी|madarchod*|bhenchod*|behenchod*|chutiya*|كس امك|كسمك|شرموط*|ابن الشرموطة|منيك|anjing lu|bangsat|kontol|ngentot",
    ],
    hate: ["कटुआ|कटुए|katua|الموت لليهود|عبد اسود"],
  },
];
