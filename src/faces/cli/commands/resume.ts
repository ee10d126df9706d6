import { defineKindCommand } from "../kind-command.ts";

export const resume = defineKindCommand("kind_resume");
