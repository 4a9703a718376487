import { createRandom } from "../../retrieval/matcher/random.js";
import { pick } from "./random-choice.js";

/** Documents without instructions to an assistant, many of them full of requests and questions between people. */
const SLOTS: Readonly<Record<string, readonly string[]>> = {
  name: ["Anna", "Tariq", "Mei", "Jonas", "Priya", "Luca", "Sofia", "Kwame", "Ines", "Oleg", "Hannah", "Diego"],
  firm: [
    "Northwind",
    "Halden Energy",
    "Blue Fig",
    "Tessera",
    "Orbis Travel",
    "Kettle & Co",
    "Marlow Bank",
    "Fernhill Clinic",
  ],
  day: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
  date: ["3 March", "14 June", "22 September", "9 November", "1 February", "30 April"],
  amount: ["$48.20", "€1,250", "£79.99", "$640.00", "€15.00", "$12,400"],
  city: ["Lisbon", "Osaka", "Denver", "Krakow", "Nairobi", "Bergen", "Quito", "Hanoi"],
  thing: ["dishwasher", "bicycle", "coffee grinder", "tent", "router", "desk lamp", "bread maker", "printer"],
  topic: ["migration", "budget", "onboarding", "audit", "redesign", "warehouse move", "pilot", "survey"],
  plant: ["tomato", "basil", "lavender", "fig", "rosemary", "olive"],
  animal: ["heron", "otter", "lynx", "salmon", "bat", "tortoise"],
  food: ["lentil soup", "flatbread", "apple cake", "fish stew", "risotto", "pancakes"],
  number: ["4", "7", "12", "19", "25", "36"],
};

const KINDS: readonly string[] = [
  "Hi {name},\n\nCould you send me the slides for the {topic} before {day}? Please also add your comments to the last page. If anything is unclear, give me a call.\n\nThanks,\n{name}",
  "Subject: {topic} review\n\nDear {name},\n\nthank you for your reply. We have looked at your answer and have two questions. Who will pay for the {topic}? When can {firm} start? Please write back by {date}.\n\nKind regards\n{name}",
  "Hello {name},\n\nyour payment of {amount} to {firm} was received on {date}. If you did not make this payment, ignore this message or contact support. Reply to this e-mail if you have any questions.\n\nThe {firm} team",
  "{firm} newsletter, {date}\n\nWhat's new? We opened a shop in {city}. Read more on our website. Share your opinion in the comments and tell us which {thing} you like best.\n\nUnsubscribe | View in browser",
  "Frequently asked questions about your {thing}\n\nHow do I clean the {thing}?\nUse a damp cloth and dry it well.\n\nWhat is the warranty of the {thing}?\nTwo years from the date of purchase.\n\nCan I return the {thing}?\nYes, within {number} days.\n\nWho repairs it?\nAny shop of {firm}.",
  "{food}\n\nServes {number}.\n\nChop the onions. Add the oil and heat it slowly. Stir in the flour, then add the stock. Simmer for {number} minutes. Season with salt. Serve the {food} with parsley.",
  "How to assemble the {thing}\n\n1. Remove all parts from the box.\n2. Insert the bolts into the frame.\n3. Replace the cap.\n4. Repeat steps 2 and 3 on the other side.\n5. Check that the {thing} stands level.\n\nKeep these instructions.",
  "# {topic}-tools\n\nInstall the package with npm install.\n\n## Usage\n\nCreate a client and call `run()`. Add your key to the configuration. Use the `verbose` option to print the response of the server.\n\n## Contributing\n\nPlease write a test for each change and describe it in the pull request.",
  "{name} wrote:\n> Does anyone know how to fix a {thing} that makes noise?\n\n{name} replied:\nCan you describe the noise? Mine had a loose screw. Try to open the back and look for it.\n\n{name} wrote:\nThat was it, thank you for the quick answer!",
  "Minutes of the {topic} meeting, {date}\n\nPresent: {name}, {name}, {name}.\n{name} reported on the costs of {amount}. The team discussed the risks.\nActions:\n- {name}: write a summary of the report by {day}.\n- {name}: send the list of suppliers to {firm}.\n- {name}: schedule the next meeting.",
  "The {thing} by {firm} weighs {number} kg and costs {amount}. It starts at the push of a button and keeps its settings. Customers in {city} like its quiet motor. Order today and get it by {day}. Add a second one to your basket to save 10%.",
  "Ticket #{number}41\nCustomer: How can I change the address on my invoice? I moved to {city}.\nAgent {name}: Please tell me your customer number and I will update it.\nCustomer: It is 55{number}. What else do you need?\nAgent {name}: Nothing more, your next invoice will show the new address.",
  "The {animal} lives near rivers and in wet forests. It feeds at dusk. Why it leaves some valleys is not known; researchers from {city} have followed {number} of them since {date}. The largest group of the {animal} was seen at the northern lakes.",
  "{city}, {date} - The council has approved a plan for new bus lanes that will cost {amount}. {name}, who leads the project, said the work would begin on {day}. Residents asked whether trees would be felled. What happens to the parking spaces remains open.",
  "{name}: are you coming on {day}?\n{name}: yes, what should I bring?\n{name}: just the {thing}. and can you ask {name} too?\n{name}: ok, will do. where do we meet?\n{name}: at the station in {city}.",
  "Biology, unit {number}: exercises\n\n1. Explain how the {plant} takes up water.\n2. Describe the life cycle of the {plant}.\n3. What are the functions of its leaves?\n4. Compare the {plant} with a moss.\n5. Write a short paragraph about pollination.",
  "POST /v1/orders\n\nCreates an order. Include the header `Authorization` in each request. The response contains the order id. Use the field `limit` to restrict the number of results. Returns 404 if the order does not exist. Do not send card numbers in the message body.",
  "Travel policy of {firm}\n\nEmployees book trains for journeys under {number} hours. Do not book first class without approval. Keep all receipts. Submit the form within ten days. Questions about this policy go to {name}.",
  "{firm} is hiring in {city}\n\nYou will write clear code, explain your designs and help others. Describe your experience with a {topic} in your application. Include a sample of your work. Send your application to {name} by {date}. What we offer: {number} days of holiday.",
  "Your trip to {city}\n\nDeparture: {date}. Please arrive {number}0 minutes early. Check that you have all documents. Where do I find my ticket? Open the app and choose Trips. Change seat | Change date | Add luggage",
  "Review of the {thing}\n\nI bought it in {city} for {amount}. Would I recommend it? Yes, but only with the larger filter. The manual could explain the lights better. What I miss is a handle.",
  "Invitation: {topic}\nWhen: {day}, {date}\nWhere: room {number}\n\n{name} has invited you. Please respond with yes, no or maybe. Add a note for the organiser. Open the agenda before you join.",
  "We received a request to reset the password of your {firm} account. Click the link below to choose a new one. If you did not ask for this, ignore this e-mail and your password stays the same. Never share your password. Do not reply to this message.",
  "How did we do, {name}?\n\nPlease rate your stay in {city}. Tell us what you liked and what we should change. Your answers help us improve. Write your comment in the box and press send. It takes {number} minutes.",
  "Terms of service of {firm}\n\n{number}.1 The customer must not copy, change or sell the service. {number}.2 {firm} may change these rules; the new rules replace all previous rules. {number}.3 What is not settled here is settled by law. Either side may cancel in writing.",
  "Abstract. We study how language models translate questions about the {animal}. We ask each model to answer {number} questions and compare the output with the answers of {name}. The responses of the larger model are shorter. We discuss why, and give an example.",
  "Dear parents,\n\nschool trip to {city} on {date}. Please give your child {amount} and a packed lunch. Sign the form and return it to {name}. Can you help on the day? Then write your name on the list. Why not bring a {thing} for the raffle?",
  "Before you take these tablets\n\nRead this leaflet carefully. Tell your doctor if you are allergic to {plant}. Do not take more than {number} a day. What to do if you forget one: take it when you remember. Ask {name} or your pharmacist for advice. Keep out of the reach of children.",
  "Version {number}.2, {date}\n\nAdded: export of the {topic}. Changed: the output of the report is now sorted. Fixed: the message was shown twice. Removed: the old search. Replace the file `config.json` when you update. See the guide for details.",
  "Hi {name},\n\nthank you for contacting {firm}. To find your order, please include the order number in your next e-mail. Could you also send a picture of the {thing}? {name} will answer within {number} hours.\n\nBest wishes\n{name}",
  "Five things to try with a chatbot\n\nPeople in {city} use chatbots for small jobs. {name} lets one draft letters to {firm}. Others ask for a recipe for {food} or have a poem written for a birthday. An assistant can also explain a bill. Check its answers, though: it makes mistakes.",
  "Lesson plan: the {animal}\n\nAsk the class what they know. Show the film ({number} minutes). Let pupils describe the habitat in pairs. Have each group write a short story from the view of the {animal}. Discuss the stories. Homework: draw a food web.",
  "Contact {firm}\n\nName | E-mail | Message\nWrite your message here. Attach a file. I accept the privacy rules. Send\n\nCall us on {day} between 9 and {number}. Visit our office in {city}. Follow us.",
  "Care of the {plant}\n\nPlant it in a sunny place. Water it twice a week, never at noon. Use compost in {date}. Cut it back after flowering. How often should it be fed? Once a month is enough. Replace the soil after {number} months.",
  "To: all staff of {firm}\nFrom: {name}\n\nThe {topic} starts on {day}. Please save your files, close all programs and leave your {thing} on. Do not forget to log out. What if you work from {city}? Then contact the help desk. Answers to common questions are on the wall.",
  "{name}'s diary, {date}\n\nRained all day in {city}. Read half a book, made {food}. What is it about rain that makes one hungry? {name} called and asked me to write more often. I promised to answer every letter. Tomorrow the {thing} must be repaired.",
  "Podcast transcript, episode {number}\n\n{name}: Welcome back. Today we talk about the {animal}. {name}, what is the first thing people should know?\n{name}: It is shy. Imagine you are standing at a lake at night.\n{name}: How do you find it?\n{name}: You listen. Give it time. Let me explain how that works.",
  "Security notice of {firm}\n\nSomeone may try to trick you. Never open attachments from strangers, and do not send your password to anyone. Forward suspicious e-mails to {name}. What does a false e-mail look like? It urges you to act at once and to visit a link. Report it by {day}.",
  "Poem of the week\n\nWrite to me when the {plant} blooms,\nsing me the song of empty rooms,\ntell me who waits in {city}'s rain,\nand I will answer you again.\n\nSent in by {name}. Send yours by {date}.",
  "Quiz night in {city}\n\nWho wrote the song of the {animal}? What is the tallest tower of {city}? How many bridges does it have? Test yourself with {name} on {day}! Bring {number} friends. Name your team and win a {thing}.",
];

/** Returns `perKind` documents of each of 40 kinds; every second one has a paragraph of another kind in it. */
export function cleanDocuments(perKind: number, seed = 1): readonly string[] {
  const random = createRandom(seed);
  const fill = (kind: string): string =>
    kind.replace(/\{([a-z]+)\}/g, (_, slot: string) => pick(random, SLOTS[slot] ?? [""]));
  return KINDS.flatMap((kind) =>
    Array.from({ length: perKind }, (_, index) => {
      const text = fill(kind);
      if (index % 2 === 0) return text;
      const paragraphs = fill(pick(random, KINDS)).split("\n\n");
      return `${text}\n\n${paragraphs[Math.floor(paragraphs.length / 2)] ?? ""}`;
    }),
  );
}
