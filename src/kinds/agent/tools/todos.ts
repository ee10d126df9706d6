import { z } from "zod";
import { defineTool, type AgentTool } from "./agent-tool.ts";

const todoSchema = z.object({
  content: z.string().min(1).max(500),
  status: z.enum(["pending", "in_progress", "completed"]),
});

export type Todo = z.output<typeof todoSchema>;

/** The agent's plan; part of its checkpoint. */
export interface TodoList {
  items: Todo[];
}

export const todoTool: AgentTool = defineTool({
  name: "todo_list",
  description:
    "Write down the plan: replaces the whole list. Use it for work of several steps, and keep it up to date.",
  input: z.object({ items: z.array(todoSchema).max(100) }),
  brief: ({ items }) => `${items.filter(({ status }) => status === "completed").length}/${items.length} done`,
  run: async ({ items }, { todos }) => {
    todos.items = items;
    return showTodos(items);
  },
});

export function showTodos(items: readonly Todo[]): string {
  const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };
  return items.map(({ content, status }) => `${marks[status]} ${content}`).join("\n") || "The list is empty.";
}
