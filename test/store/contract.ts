import { describe } from "vitest";
import { describeCancelling } from "./contract/cancelling.ts";
import { describeClaiming } from "./contract/claiming.ts";
import { describeCounting } from "./contract/counting.ts";
import { describeCreating } from "./contract/creating.ts";
import { describeDelivering } from "./contract/delivering.ts";
import { describeEvents } from "./contract/events.ts";
import { describeFinality } from "./contract/finality.ts";
import { describeFinding } from "./contract/finding.ts";
import { describeHints } from "./contract/hints.ts";
import { describeLeases } from "./contract/leases.ts";
import { describeMail } from "./contract/mail.ts";
import { describeLimits } from "./contract/limits.ts";
import { describeMarks } from "./contract/marks.ts";
import { describeOutput } from "./contract/output.ts";
import { describePlacing } from "./contract/placing.ts";
import { describePurging } from "./contract/purging.ts";
import { describeQuestions } from "./contract/questions.ts";
import { describeRetrying } from "./contract/retrying.ts";
import { describeRollups } from "./contract/rollups.ts";
import { describeSchedules } from "./contract/schedules.ts";
import { describeSearching } from "./contract/searching.ts";
import { describeSettling } from "./contract/settling.ts";
import { describeTogether } from "./contract/together.ts";
import { describeTokens } from "./contract/tokens.ts";
import { describeUnseen } from "./contract/unseen.ts";
import type { OpenStore } from "./world.ts";

/** The rules of src/store/store.ts, as tests. Every store passes all of them. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`a store on ${name}`, () => {
    describeCreating(open);
    describeFinding(open);
    describeCounting(open);
    describeRollups(open);
    describeSearching(open);
    describeEvents(open);
    describeClaiming(open);
    describeLimits(open);
    describeLeases(open);
    describePlacing(open);
    describeSettling(open);
    describeQuestions(open);
    describeCancelling(open);
    describeRetrying(open);
    describeFinality(open);
    describeDelivering(open);
    describeUnseen(open);
    describePurging(open);
    describeHints(open);
    describeOutput(open);
    describeMail(open);
    describeTokens(open);
    describeMarks(open);
    describeSchedules(open);
    describeTogether(open);
  });
}
