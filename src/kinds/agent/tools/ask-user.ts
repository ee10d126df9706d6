import { z } from "zod";
import { defineTool, type AgentTool } from "./agent-tool.ts";

export const askUserTool: AgentTool = defineTool({
  name: "ask_user",
  description:
    "Ask the person who gave the task, and wait for the answer. Only for what you cannot find out or decide yourself: it may take hours.",
  input: z.object({
    question: z.string().min(1).max(8_000),
    options: z.array(z.string().min(1).max(200)).max(20).optional().describe("Answers to choose from."),
  }),
  brief: ({ question, options = [] }) => (options.length === 0 ? question : `${question} (${options.join(", ")})`),
  run: async ({ question, options }, { job, key, conceal }) => {
    const field = {
      type: "string" as const,
      ...(options === undefined || options.length === 0 ? {} : { enum: options.map(conceal) }),
    };
    const form = { type: "object" as const, properties: { answer: field }, required: ["answer"] };
    const answer = await job.ask({ message: conceal(question), form }, key);
    const { answer: said } = answer.action === "accept" ? answer.content : {};
    if (typeof said === "string") return said;
    return "The person declined to answer: go on as you think best.";
  },
});
