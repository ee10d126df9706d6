import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { logIn, messageOf } from "../core/api.ts";
import { Button, Copyable } from "../ui/parts.tsx";

/** The code of `longhaul open`, taken out of the address at once, so that it stays in no history. */
function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

export function Login(): JSX.Element {
  const problem = useSignal("");
  const token = useSignal("");
  const enter = async (shown: Parameters<typeof logIn>[0]): Promise<void> => {
    problem.value = "";
    await logIn(shown).catch((error: unknown) => {
      problem.value = messageOf(error);
    });
  };
  useEffect(() => {
    const code = takeCode();
    if (code !== undefined) void enter({ code });
  }, []);
  return (
    <main class="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter({ token: token.value.trim() });
        }}
      >
        <h1>
          <img src={new URL("../icon.svg", import.meta.url).href} alt="" width="32" height="32" />
          Longhaul
        </h1>
        <p>In a terminal on this machine:</p>
        <Copyable text="longhaul open" />
        <p>Or with a token:</p>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          placeholder="lh_…"
          value={token.value}
          onInput={(event) => (token.value = event.currentTarget.value)}
        />
        <p class="wrong" role="alert">
          {problem.value}
        </p>
        <Button label="Log in" look="main" type="submit" isDisabled={token.value.trim() === ""} />
      </form>
    </main>
  );
}
