export { chat, type Chat, type ChatOptions } from "./chat.js";
export { eventChat, type EventChat, type EventChatOptions } from "./event-chat.js";
export { chatModelContract } from "./contracts/chat-model.js";
export type { ChatModelContractOptions, ModelRequest, ModelUnderTest } from "./contracts/chat-model-case.js";
export type { ContractCase } from "./contracts/contract.js";
export { threadStoreContract } from "./contracts/thread-store.js";
export { verdictStoreContract } from "./contracts/verdict-store.js";
export { type MarkedText, unmark } from "./mark.js";
export {
  type ScriptedCall,
  type ScriptedCallOptions,
  ScriptedModel,
  scriptedModel,
  type ScriptedReply,
  type ScriptedValue,
} from "./scripted-model.js";
export type { EmbeddingReply, EmbeddingScript, ScriptedVectors } from "./scripted-server.js";
export {
  type ScriptedServer,
  scriptedServer,
  type ServerOptions,
  type ServerReply,
  type ServerScript,
  type ServerToolCall,
} from "./scripted-server.js";
export { type ServerRequest } from "./scripted-server.js";
