import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { visible } from "../core/format.ts";
import { Fields, FormState, type Schema } from "../ui/form.tsx";
import { Button, tell } from "../ui/parts.tsx";
import { messageOf } from "../core/api.ts";
import type { JobDetail, AnswerToJob } from "./source.ts";

type Question = NonNullable<JobDetail["questions"]>[number];

interface QuestionProps {
  readonly question: Question;
  readonly prefix: string;
  readonly isReadOnly: boolean;
  readonly answer: (key: string, answer: AnswerToJob) => Promise<void>;
}

/** What a job asks, with the form for the answer. Declining is always possible. */
export function QuestionForm({ question, prefix, isReadOnly, answer }: QuestionProps): JSX.Element {
  const { key, message, form } = question;
  const state = useMemo(() => new FormState((form ?? {}) as Schema), [key, message]);
  const isSending = useSignal(false);
  const send = async (reply: () => AnswerToJob | undefined): Promise<void> => {
    const given = reply();
    if (given === undefined) return;
    isSending.value = true;
    try {
      await answer(key, given);
    } catch (error) {
      if (!state.refuse(error)) tell(messageOf(error), { isProblem: true });
    }
    isSending.value = false;
  };
  const accept = (): AnswerToJob | undefined => {
    const content = state.collect();
    return content && { action: "accept", content: content as Extract<AnswerToJob, { action: "accept" }>["content"] };
  };
  return (
    <form
      class="question"
      aria-label={`Question: ${visible(message)}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send(accept);
      }}
    >
      <p class="message">{visible(message)}</p>
      {!isReadOnly && (
        <>
          <Fields form={state} prefix={prefix} />
          <div class="actions">
            <Button
              label={form === undefined ? "Yes, go on" : "Answer"}
              icon="check"
              look="main"
              type="submit"
              isDisabled={isSending.value}
            />
            <Button label="Decline" isDisabled={isSending.value} onPress={() => send(() => ({ action: "decline" }))} />
          </div>
        </>
      )}
    </form>
  );
}
