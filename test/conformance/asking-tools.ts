import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

type Fields = Record<string, { type: "string" } | { type: "boolean" }>;
type Answer = CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

const none = z.object({});
const text = (content: string): CallToolResult => ({ content: [{ type: "text", text: content }] });
const form = (message: string, properties: Fields): ReturnType<typeof inputRequired.elicit> =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: Object.keys(properties) } });
const sample = (prompt: string, maxTokens: number): ReturnType<typeof inputRequired.createMessage> =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens });
const given = ({ mcpReq }: ServerContext, key: string): unknown => mcpReq.inputResponses?.[key];

const askName = (): InputRequiredResult =>
  inputRequired({ inputRequests: { user_name: form("What is your name?", { name: { type: "string" } }) } });

/** Tools that ask their caller and are called again with the answers. */
export function registerAskingTools(mcp: McpServer, codec: RequestStateCodec): void {
  const tool = (name: string, run: (context: ServerContext) => Answer): void => {
    mcp.registerTool(name, { description: `Asks: ${name}`, inputSchema: none }, (_args, context) => run(context));
  };
  tool("test_input_required_result_elicitation", ({ mcpReq }) => {
    const answer = acceptedContent<{ name?: unknown }>(mcpReq.inputResponses, "user_name");
    return typeof answer?.name === "string" ? text(`Hello, ${answer.name}!`) : askName();
  });
  tool("test_input_required_result_sampling", (context) => {
    const answer = given(context, "capital_question");
    if (answer !== undefined) return text(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  });
  tool("test_input_required_result_list_roots", (context) => {
    const answer = given(context, "client_roots");
    if (answer !== undefined) return text(JSON.stringify(answer));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  tool("test_input_required_result_capabilities", ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, { sampling?: unknown; elicitation?: unknown }> | undefined;
    const has = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    const requests = {
      ...(has.sampling === undefined ? {} : { sampled: sample("Say something", 50) }),
      ...(has.elicitation === undefined ? {} : { asked: form("Anything?", { answer: { type: "string" } }) }),
    };
    return Object.keys(requests).length === 0 ? text("nothing to ask") : inputRequired({ inputRequests: requests });
  });
  // The client does not declare sampling, so asking for it is what the SDK refuses.
  tool("test_missing_capability", () => inputRequired({ inputRequests: { sampled: sample("Say something", 50) } }));
  tool("test_streaming_elicitation", () => askName());
  registerStatefulTools(tool, codec);
}

function registerStatefulTools(
  tool: (name: string, run: (context: ServerContext) => Answer) => void,
  codec: RequestStateCodec,
): void {
  const confirm = async (): Promise<InputRequiredResult> =>
    inputRequired({
      inputRequests: { confirm: form("Please confirm", { ok: { type: "boolean" } }) },
      requestState: await codec.mint({ step: "confirm" }),
    });
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    tool(name, ({ mcpReq }) => {
      const state = mcpReq.requestState<{ step: string }>();
      return state?.step === "confirm" && mcpReq.inputResponses !== undefined ? text("state-ok") : confirm();
    });
  }
  tool("test_input_required_result_multiple_inputs", async (context) => {
    const keys = ["user_name", "greeting", "client_roots"];
    if (keys.every((key) => given(context, key) !== undefined)) return text("got all three");
    return inputRequired({
      inputRequests: {
        user_name: form("What is your name?", { name: { type: "string" } }),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ step: "all" }),
    });
  });
  tool("test_input_required_result_multi_round", async (context) => {
    const state = context.mcpReq.requestState<{ step: number; name?: unknown }>();
    if (state?.step === 2 && given(context, "step2") !== undefined) return text("both steps are done");
    if (state?.step === 1 && given(context, "step1") !== undefined) {
      const inputRequests = { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) };
      return inputRequired({ inputRequests, requestState: await codec.mint({ step: 2 }) });
    }
    const inputRequests = { step1: form("Step 1: What is your name?", { name: { type: "string" } }) };
    return inputRequired({ inputRequests, requestState: await codec.mint({ step: 1 }) });
  });
}

const defaults = {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verification status", default: true },
} as const;

const choices = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: {
    type: "string",
    oneOf: [
      { const: "value1", title: "First Option" },
      { const: "value2", title: "Second Option" },
      { const: "value3", title: "Third Option" },
    ],
  },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: {
    type: "array",
    items: {
      anyOf: [
        { const: "value1", title: "First Choice" },
        { const: "value2", title: "Second Choice" },
        { const: "value3", title: "Third Choice" },
      ],
    },
  },
} as const;

const elicit = async (context: ServerContext, message: string, properties: object): Promise<string> => {
  const requestedSchema = { type: "object", properties };
  const params = { mode: "form", message, requestedSchema };
  const { action, content } = await context.mcpReq.send({ method: "elicitation/create", params });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
};

/** Tools that ask their caller in the middle of a call, as the revisions before 2026-07-28 do. */
export function registerOlderAskingTools(mcp: McpServer): void {
  mcp.registerTool(
    "test_sampling",
    { description: "Samples", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user", content: { type: "text", text: prompt } }];
      const params = { messages, maxTokens: 100 };
      const { content } = await mcpReq.send({ method: "sampling/createMessage", params });
      return text(`LLM response: ${"text" in content ? content.text : ""}`);
    },
  );
  mcp.registerTool(
    "test_elicitation",
    { description: "Elicits", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const properties = { username: { type: "string" }, email: { type: "string" } };
      return text(`User response: ${await elicit(context, message, properties)}`);
    },
  );
  for (const [name, properties] of [
    ["test_elicitation_sep1034_defaults", defaults],
    ["test_elicitation_sep1330_enums", choices],
  ] as const) {
    mcp.registerTool(name, { description: "Elicits", inputSchema: none }, async (_args, context) =>
      text(`Elicitation completed: ${await elicit(context, "Please fill in the form", properties)}`),
    );
  }
}
