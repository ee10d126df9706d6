import { statfs } from "node:fs/promises";
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from "node:os";
import type { Conditions } from "./report.ts";

const filesystems = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x794c7630, "overlayfs"],
  [0x2fc12fc1, "zfs"],
  [0x01021994, "tmpfs"],
]);

/** What about this machine decides the figures. Called before the measurement, so that the load is others' load. */
export async function describeMachine(): Promise<Conditions> {
  const processors = cpus();
  const { type } = await statfs(tmpdir());
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpuCount: processors.length,
    cpuModel: processors[0]?.model ?? "unknown",
    memoryMb: Math.round(totalmem() / 1024 ** 2),
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
    temporaryFilesystem: filesystems.get(type) ?? `0x${type.toString(16)}`,
  };
}
