// Actions of the flows. Both check their arguments: these come from a model that has read the user's message.
import type { StructuredToolInterface } from "@langchain/core/tools";
import { defineAction } from "langchain-guardrails/rails";
import { z } from "zod/v4";

/** Our own price list, in crowns. */
const PRICES = { "apple tree": 29, hazel: 12, currant: 9, walnut: 85 } as const;
type Article = keyof typeof PRICES;
const ARTICLES = Object.keys(PRICES) as [Article, ...Article[]];

const isArticle = (name: string): name is Article => Object.hasOwn(PRICES, name);

/** The price of an order, or nothing for an article that we do not sell. It changes nothing anywhere. */
export const quoteOrder = defineAction(
  {
    name: "quote_order",
    params: z.strictObject({ article: z.string().max(60), quantity: z.number().int().positive() }),
  },
  ({ article, quantity }) => (isArticle(article) ? PRICES[article] * quantity : null),
);

/** The service's answer is not trusted either: nothing but an order number of the known form gets into the dialogue. */
const ANSWER = z.object({ status: z.literal("accepted"), reference: z.string().regex(/^HN-\d{4,8}$/) });

/** The only way to the service: the schema refuses what the rules should never have let pass. */
export function placeOrderWith(orderTool: StructuredToolInterface) {
  return defineAction(
    {
      name: "place_order",
      params: z.strictObject({ article: z.enum(ARTICLES), quantity: z.number().int().min(1).max(40) }),
    },
    async (order, { runnableConfig, signal }) => {
      const answer: unknown = await orderTool.invoke(order, { ...runnableConfig, signal });
      return ANSWER.parse(JSON.parse(String(answer))).reference;
    },
  );
}
