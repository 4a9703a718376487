import type { BaseMessage } from "@langchain/core/messages";
import { toChunk } from "../models/chat-generation.js";
import type { Sink } from "./sink.js";

/** Hands messages on as the chunks that streams of chat models consist of. */
export function chunkOutlet(sink: Sink): Sink {
  return {
    put: (message) => sink.put(toChunk(message as BaseMessage)),
    putAll: (all) => sink.putAll((all as readonly BaseMessage[]).map(toChunk)),
  };
}
