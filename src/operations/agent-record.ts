import { agentContract } from "../kinds/agent/contract.ts";

/** What an agent was asked to do, as far as it is shown: what has another shape shows nothing. */
export const agentRequestSchema = agentContract.input.partial().catch({});

/** What it returned, likewise. */
export const agentAnswerSchema = agentContract.result.partial().catch({});
