import type { OutputWriter } from "../store/output-store.ts";
import type { Store } from "../store/store.ts";

export interface MortalStore {
  readonly store: Store;
  /** From now on nothing is written or read, as if the process had been killed: whoever waits for it waits for ever. */
  readonly die: () => Promise<void>;
}

type Life = { isOver: boolean };

const never = new Promise<never>(() => undefined);

/** A store whose process seems to be killed, though the test that runs in it goes on. */
export function makeMortal(store: Store): MortalStore {
  const life: Life = { isOver: false };
  const output = guard(store.output, life);
  return {
    store: {
      ...guard(store, life),
      output: { ...output, writer: (address) => mortalWriter(store.output.writer(address), life) },
      tokens: guard(store.tokens, life),
      mail: guard(store.mail, life),
      marks: guard(store.marks, life),
      schedules: guard(store.schedules, life),
      subscribe: (listener) => (life.isOver ? () => undefined : store.subscribe(listener)),
    },
    die: async () => {
      life.isOver = true;
      await store.close();
    },
  };
}

/** The same methods; what a dead process would have asked is never answered. */
function guard<Part extends object>(part: Part, life: Life): Part {
  const methods = Object.entries(part).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "function"
      ? (...args: unknown[]) => (life.isOver ? never : Reflect.apply(value, part, args))
      : value,
  ]);
  return Object.fromEntries(methods) as Part;
}

function mortalWriter(writer: OutputWriter, life: Life): OutputWriter {
  return {
    append: (chunk) => {
      if (!life.isOver) writer.append(chunk);
    },
    size: () => writer.size(),
    close: () => {
      if (!life.isOver) writer.close();
    },
  };
}
