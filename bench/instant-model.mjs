import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

/** A chat model that answers at once, so that only the time around it is measured. */
export class InstantChatModel extends BaseChatModel {
  constructor(text = "Our workshop opens at nine.") {
    super({});
    this.text = text;
  }

  _llmType() {
    return "instant";
  }

  async _generate() {
    const message = new AIMessage(this.text);
    return { generations: [{ text: this.text, message }] };
  }
}
