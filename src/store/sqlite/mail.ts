import type { Letter, LetterState, MailStore } from "../mail-store.ts";
import type { Hint } from "../store.ts";

interface Kept {
  readonly letter: Letter;
  state: LetterState;
}

const keptMs = 60_000;

/** In memory: whoever shares a store of this kind shares its process. */
export function createMailStore(publish: (hint: Hint) => void): MailStore {
  const letters = new Map<string, Kept>();
  const stateOf = (id: string): LetterState => letters.get(id)?.state ?? { type: "gone" };
  return {
    post: async (letter) => {
      letters.set(letter.id, { letter, state: { type: "waiting" } });
      publish({ type: "letter-posted", worker: letter.worker });
    },
    inbox: async (worker, now) => {
      for (const [id, { letter }] of letters) if (letter.expiresAt + keptMs < now) letters.delete(id);
      const taken = [...letters.values()].filter(
        ({ letter, state }) => letter.worker === worker && state.type === "waiting" && letter.expiresAt > now,
      );
      for (const kept of taken) kept.state = { type: "taken" };
      return taken.map(({ letter }) => letter);
    },
    reply: async (id, answer) => {
      const kept = letters.get(id);
      if (kept?.state.type !== "taken") return;
      kept.state = { type: "answered", answer };
      publish({ type: "letter-answered", letter: id });
    },
    look: async (id) => stateOf(id),
    withdraw: async (id) => {
      const state = stateOf(id);
      letters.delete(id);
      return state;
    },
  };
}
