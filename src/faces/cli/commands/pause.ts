import { defineKindCommand } from "../kind-command.ts";

export const pause = defineKindCommand("kind_pause");
