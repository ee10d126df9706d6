import type { BrowserContextOptions, CDPSession } from "playwright-core";
import type { PageInput } from "../contract.ts";
import type { Conditions, PresetName } from "./performance.ts";

type Throttled = Omit<Conditions, "preset" | "isOwnLoad">;

/** The figures of Lighthouse's own presets: a mid-range phone on slow 4G, and a laptop on a wired line. */
const presets: Readonly<Record<Exclude<PresetName, "none">, Throttled>> = {
  mobile: {
    viewport: { width: 412, height: 823 },
    scale: 1.75,
    latencyMs: 150,
    downloadKbps: 1_638.4,
    uploadKbps: 750,
    cpuSlowdown: 4,
  },
  desktop: {
    viewport: { width: 1_350, height: 940 },
    scale: 1,
    latencyMs: 40,
    downloadKbps: 10_240,
    uploadKbps: 10_240,
    cpuSlowdown: 1,
  },
};

export function conditionsOf({ preset, viewport }: Pick<PageInput, "preset" | "viewport">): Conditions {
  if (preset !== "none") return { preset, ...presets[preset], isOwnLoad: true };
  return {
    preset,
    viewport,
    scale: 1,
    latencyMs: 0,
    downloadKbps: null,
    uploadKbps: null,
    cpuSlowdown: 1,
    isOwnLoad: false,
  };
}

export function contextFor({ preset, viewport, scale }: Conditions): BrowserContextOptions {
  const isMobile = preset === "mobile";
  return {
    viewport,
    deviceScaleFactor: scale,
    isMobile,
    hasTouch: isMobile,
    reducedMotion: "no-preference",
  };
}

/** As slow as the conditions say, until `liftThrottle`. A phone also says that it is one. */
export async function throttle(devtools: CDPSession, conditions: Conditions): Promise<void> {
  const { latencyMs, downloadKbps, uploadKbps, cpuSlowdown, preset } = conditions;
  if (preset === "mobile") {
    const { userAgent } = await devtools.send("Browser.getVersion");
    await devtools.send("Emulation.setUserAgentOverride", { userAgent: asPhone(userAgent), platform: "Linux armv81" });
  }
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond(downloadKbps),
    uploadThroughput: bytesPerSecond(uploadKbps),
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
}

export async function liftThrottle(devtools: CDPSession): Promise<void> {
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

function bytesPerSecond(kbps: number | null): number {
  return kbps === null ? -1 : (kbps * 1_000) / 8;
}

/** In the words in which Chrome on Android names itself, and otherwise as this browser does. */
function asPhone(userAgent: string): string {
  return userAgent.replace(/\([^)]*\)/, "(Linux; Android 10; K)").replace(/ Safari\//, " Mobile Safari/");
}
