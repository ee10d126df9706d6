export interface GateClock {
  readonly monotonic: () => number;
  /** Calls once after `delayMs`; returns how to call it off. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

export interface HostGateOptions {
  /** Requests to one host at the same time. */
  readonly perHost: number;
  /** Between the starts of two requests to one host. */
  readonly minimumDelayMs: number;
  readonly clock?: GateClock;
}

export interface HostGate {
  /**
   * Waits for a turn at the host, first come, first served; returns how to give it back. `delayMs` is the host's own wish
   * (crawl-delay), which counts where it is longer. Rejects with the signal's reason when that is aborted first.
   */
  readonly acquire: (host: string, options?: { delayMs?: number; signal?: AbortSignal }) => Promise<() => void>;
  /** Nobody gets a turn at this host for so long: it said that it is busy. */
  readonly pause: (host: string, durationMs: number) => void;
  /** Hosts that are remembered now. */
  readonly size: () => number;
}

interface Host {
  running: number;
  nextStartAt: number;
  readonly waiting: Set<Waiter>;
  cancelTimer: (() => void) | undefined;
}

interface Waiter {
  readonly delayMs: number;
  readonly start: () => void;
}

const systemClock: GateClock = {
  monotonic: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, Math.ceil(delayMs));
    return () => clearTimeout(timer);
  },
};

/** Politeness: how many requests a host gets at a time, and how soon after one another. A host is forgotten once it may be asked again freely. */
export function createHostGate({ perHost, minimumDelayMs, clock = systemClock }: HostGateOptions): HostGate {
  const hosts = new Map<string, Host>();

  const advance = (name: string, host: Host): void => {
    host.cancelTimer?.();
    host.cancelTimer = undefined;
    for (const waiter of host.waiting) {
      const waitMs = host.nextStartAt - clock.monotonic();
      if (host.running >= perHost || waitMs > 0) break;
      host.waiting.delete(waiter);
      host.running += 1;
      host.nextStartAt = clock.monotonic() + Math.max(minimumDelayMs, waiter.delayMs);
      waiter.start();
    }
    const waitMs = host.nextStartAt - clock.monotonic();
    if (waitMs > 0) host.cancelTimer = clock.after(waitMs, () => advance(name, host));
    else if (host.running === 0 && host.waiting.size === 0) hosts.delete(name);
  };
  const isFree = ({ running, waiting, nextStartAt }: Host): boolean =>
    running < perHost && waiting.size === 0 && nextStartAt <= clock.monotonic();
  const find = (name: string): Host => {
    const host = hosts.get(name) ?? { running: 0, nextStartAt: 0, waiting: new Set(), cancelTimer: undefined };
    hosts.set(name, host);
    return host;
  };
  const release = (name: string, host: Host): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      host.running -= 1;
      advance(name, host);
    };
  };
  return {
    acquire: (name, { delayMs = 0, signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        const host = find(name);
        // The usual case, without all that waiting needs.
        if (delayMs + minimumDelayMs === 0 && isFree(host)) {
          host.running += 1;
          return resolve(release(name, host));
        }
        const giveUp = (): void => {
          host.waiting.delete(waiter);
          advance(name, host);
          reject(signal?.reason as Error);
        };
        const waiter = {
          delayMs,
          start: () => {
            signal?.removeEventListener("abort", giveUp);
            resolve(release(name, host));
          },
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        host.waiting.add(waiter);
        advance(name, host);
      }),
    pause: (name, durationMs) => {
      const host = find(name);
      host.nextStartAt = Math.max(host.nextStartAt, clock.monotonic() + durationMs);
      advance(name, host);
    },
    size: () => hosts.size,
  };
}
