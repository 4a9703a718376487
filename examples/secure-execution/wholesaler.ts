// A stand-in for the service of another company: a LangChain tool that takes what it is given.
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";

export interface WholesalerOrder {
  readonly article: string;
  readonly quantity: number;
}

/** The tool, and what reached it. A real one would send a request where this one remembers it. */
export function createWholesaler() {
  const received: WholesalerOrder[] = [];
  const orderTool = tool(
    (order: WholesalerOrder) => {
      received.push(order);
      return JSON.stringify({ status: "accepted", reference: `HN-${1000 + received.length}` });
    },
    {
      name: "wholesaler_order",
      description: "Orders plants from the wholesaler.",
      schema: z.object({ article: z.string(), quantity: z.number() }),
    },
  );
  return { orderTool, received };
}
