import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { logOut } from "./core/api.ts";
import { useKeys } from "./core/keys.ts";
import { awaySince, counts, startLive } from "./core/live.ts";
import { loadMe, mayRun, me } from "./core/me.ts";
import { now } from "./core/format.ts";
import { go, path } from "./core/router.ts";
import { theme, turnTheme } from "./core/theme.ts";
import { Icon, type IconName } from "./ui/icons.tsx";
import { attempt, Button, ConfirmDialog, Notes } from "./ui/parts.tsx";
import { lazy } from "./ui/lazy.tsx";
import { isPaletteOpen, Palette } from "./ui/palette.tsx";
import { Jobs } from "./views/jobs.tsx";
import { Overview } from "./views/overview.tsx";
import { Job } from "./views/job.tsx";

interface Place {
  readonly name: string;
  readonly href: string;
  readonly icon: IconName;
  readonly keys?: string;
}

export const places: readonly Place[] = [
  { name: "Overview", href: "/", icon: "activity", keys: "g o" },
  { name: "Jobs", href: "/jobs", icon: "list", keys: "g j" },
  { name: "Inbox", href: "/inbox", icon: "inbox", keys: "g i" },
  { name: "Queues", href: "/queues", icon: "gauge", keys: "g q" },
  { name: "Batches", href: "/batches", icon: "batch", keys: "g b" },
  { name: "Settings", href: "/settings", icon: "settings", keys: "g s" },
];

/** Each view in a chunk of its own, but for those that are looked at most. */
const views: Readonly<Record<string, ComponentType>> = {
  "": Overview,
  batches: lazy(async () => (await import("./views/batches.tsx")).Batches),
  inbox: lazy(async () => (await import("./views/inbox.tsx")).Inbox),
  new: lazy(async () => (await import("./views/new.tsx")).New),
  queues: lazy(async () => (await import("./views/queues.tsx")).Queues),
  settings: lazy(async () => (await import("./views/settings.tsx")).Settings),
};

function show(name: string): JSX.Element {
  const [, id] = path.value;
  const View = views[name];
  if (View !== undefined) return <View />;
  return id === undefined ? <Jobs /> : <Job key={id} id={id} />;
}

export function Shell(): JSX.Element {
  const [name = ""] = path.value;
  useEffect(() => {
    void attempt(loadMe);
    return startLive();
  }, []);
  useEffect(() => {
    const place = places.find(({ href }) => href === `/${name}`);
    document.title = `${place?.name ?? "New job"} · Longhaul`;
  }, [name]);
  useKeys({
    "mod+k": () => (isPaletteOpen.value = true),
    "?": () => (isPaletteOpen.value = true),
    "/": () => document.getElementById("filter")?.focus() ?? go("/jobs"),
    n: mayRun() ? () => go("/new") : undefined,
    ...Object.fromEntries(places.map(({ keys = "", href }) => [keys, () => go(href)])),
  });
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Nav current={name} />
      <Connection />
      <div class="content" id="content">
        {show(name)}
      </div>
      <Notes />
      <ConfirmDialog />
      {isPaletteOpen.value && <Palette places={places} />}
    </div>
  );
}

function Nav({ current }: { readonly current: string }): JSX.Element {
  const waiting = counts.value.reduce((sum, { state, count }) => sum + (state === "waiting" ? count : 0), 0);
  return (
    <nav class="nav" aria-label="Main">
      <a class="brand" href="/">
        <img src={new URL("./icon.svg", import.meta.url).href} alt="" width="22" height="22" />
        <b>Longhaul</b>
      </a>
      {places.map(({ name, href, icon }) => (
        <a key={href} href={href} aria-current={href === `/${current}` ? "page" : undefined}>
          <Icon name={icon} />
          <span>{name}</span>
          {name === "Inbox" && waiting > 0 && <b class="count">{waiting}</b>}
        </a>
      ))}
      <span class="nav-end">
        {mayRun() && (
          <a class="button main" href="/new" title="New job (n)">
            <Icon name="plus" />
            <span>New job</span>
          </a>
        )}
        <Button
          label="Search and commands"
          keys="Ctrl K"
          icon="search"
          isIconOnly
          onPress={() => (isPaletteOpen.value = true)}
        />
        <Button
          label={theme.value === "dark" ? "Light colours" : "Dark colours"}
          icon="moon"
          isIconOnly
          onPress={turnTheme}
        />
        <Button
          label={`Log out${me.value?.name === undefined ? "" : ` ${me.value.name}`}`}
          icon="out"
          isIconOnly
          onPress={logOut}
        />
      </span>
    </nav>
  );
}

function Connection(): JSX.Element {
  const since = awaySince.value;
  if (since === undefined) return <p class="connection" role="status" />;
  const seconds = Math.max(0, Math.round((now.value - since) / 1_000));
  return (
    <p class="connection away" role="status">
      The server is away since {seconds} s. What you see is from before; it catches up by itself.
    </p>
  );
}
