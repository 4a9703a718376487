/** Default of `instructions`. */
export const DEFAULT_INSTRUCTIONS = [
  {
    type: "general",
    content: [
      "What follows is a conversation between a user and an assistant.",
      "The assistant is friendly and talkative, and backs what it says with plenty of concrete detail.",
      "When it does not know something, it says so openly.",
    ].join("\n"),
  },
] as const;

/** Default of `sample_conversation`: five turns that show models the format of a conversation. */
export const DEFAULT_SAMPLE_CONVERSATION = `user "Hi! Nice to meet you."
  express greeting
bot express greeting
  "Hello, and welcome! What would you like to talk about?"
user "What kind of things are you good for?"
  ask about capabilities
bot inform capabilities
  "I can explain things, answer questions, and help you plan or write. Just tell me what you have in mind."
user "Why does the moon look different from night to night?"
  ask general question
bot respond to general question
  "The moon circles the earth about once a month, so the part of its sunlit half that faces us keeps changing. We call these shapes its phases."
user "Interesting, can you go on?"
  request more information
bot provide more information
  "At new moon we look at the dark half, at full moon at the bright one. In between we see crescents and half moons that first grow and then shrink again."
user "Thank you, that was clear."
  express thanks
bot respond to thanks
  "I am glad it helped. Ask me anything else whenever you like."
`;

/** Texts of the package that users can see; each can be replaced under `messages`. */
export const DEFAULT_MESSAGES = {
  internal_error: "Sorry, something went wrong on my side and I could not finish this.",
  action_missing: "Sorry, I cannot do this: there is no action named `{name}`.",
  no_answer: "Sorry, I do not have an answer to that.",
};
