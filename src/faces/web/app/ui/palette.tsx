import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { JobView } from "../../../../operations/job-view.ts";
import { call } from "../core/api.ts";
import { visible } from "../core/format.ts";
import { mayRun } from "../core/me.ts";
import { go } from "../core/router.ts";
import { turnTheme } from "../core/theme.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Dialog, titleOf } from "./parts.tsx";

export const isPaletteOpen = signal(false);

function close(): void {
  isPaletteOpen.value = false;
}

interface Command {
  readonly name: string;
  readonly icon: IconName;
  readonly keys?: string | undefined;
  readonly run: () => unknown;
}

interface PaletteProps {
  readonly places: readonly {
    readonly name: string;
    readonly href: string;
    readonly icon: IconName;
    readonly keys?: string;
  }[];
}

const maxFound = 6;

/** Everything that can be reached by its name, and every key. */
export function Palette({ places }: PaletteProps): JSX.Element {
  const words = useSignal("");
  const at = useSignal(0);
  const found = useSignal<readonly JobView[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    void findJobs(words.value.trim(), stop.signal).then((jobs) => (found.value = jobs));
    return () => stop.abort();
  }, [words.value]);
  const commands: Command[] = [
    ...places.map(({ name, href, icon, keys }) => ({ name, icon, keys, run: () => go(href) })),
    ...(mayRun() ? [{ name: "New job", icon: "plus" as const, keys: "n", run: () => go("/new") }] : []),
    { name: "Failed jobs of the last day", icon: "close", run: () => go("/jobs?q=state:failed,timed_out since:1d") },
    { name: "Light or dark colours", icon: "moon", run: turnTheme },
    ...keyHelp,
  ];
  const text = words.value.trim().toLowerCase();
  const jobs = found.value.map((job) => ({
    name: `${titleOf(job)} · ${job.state}`,
    icon: "list" as const,
    run: () => go(`/jobs/${job.id}`),
  }));
  const shown: Command[] = [...commands.filter(({ name }) => name.toLowerCase().includes(text)), ...jobs];
  const run = (command: Command | undefined): void => {
    close();
    void command?.run();
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      at.value = (at.value + step + shown.length) % Math.max(1, shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(shown[at.value]);
    }
  };
  return (
    <Dialog title="Search and commands" onClose={close} look="palette">
      <input
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at.value}`}
        aria-label="Search jobs and commands"
        placeholder="A job, a view, a command…"
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={press}
      />
      <ul role="listbox" id="palette-list" aria-label="Found">
        {shown.map((command, index) => (
          <li
            key={command.name}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span>{visible(command.name)}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

async function findJobs(text: string, stopped: AbortSignal): Promise<readonly JobView[]> {
  if (text === "") return [];
  const found = await call("job_list", { text, limit: maxFound }, stopped).catch(() => undefined);
  return found?.jobs ?? [];
}

/** Keys that act on what is shown; here to be read. */
const keyHelp: readonly Command[] = [
  ["Next and previous row", "j k"],
  ["Select the row", "x"],
  ["Select all that match", "Shift A"],
  ["Retry, cancel, delete", "r c d"],
  ["Pause what is live", "p"],
  ["Filter", "/"],
].map(([name = "", keys = ""]) => ({ name, keys, icon: "settings" as const, run: () => undefined }));
