import type { BaseMessage } from "@langchain/core/messages";
import { toChunk } from "../models/chat-generation.js";
import type { Outlet } from "./outlet.js";

/** Hands messages on as the chunks that streams of chat models consist of. */
export function chunkOutlet(outlet: Outlet): Outlet {
  return {
    put: (message) => outlet.put(toChunk(message as BaseMessage)),
    putAll: (all) => outlet.putAll((all as readonly BaseMessage[]).map(toChunk)),
  };
}
