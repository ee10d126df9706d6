import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import { refusal, useWorld, type OpenStore } from "../world.ts";

const part = (from: number, text: string, isLast: boolean): { from: number; content: Buffer; isLast: boolean } => ({
  from,
  content: Buffer.from(text),
  isLast,
});

export function describeArtifacts(open: OpenStore): void {
  describe("artifacts", () => {
    const world = useWorld(open);
    const start = async (): Promise<JobId> => (await world().start()).job.id;
    const read = async (id: JobId, name: string, from = 0, limit = 1_000): Promise<string> =>
      Buffer.from((await world().store.output.readArtifact(id, name, from, limit)).content).toString();

    it("an artifact is kept under its name until another takes its place, and is read from any offset", async () => {
      const id = await start();
      const { output } = world().store;
      expect(await output.saveArtifact(id, "log.txt", "first")).toEqual({
        name: "log.txt",
        mediaType: "text/plain",
        bytes: 5,
      });
      const bytes = Uint8Array.from({ length: 2_500_000 }, (_, index) => index * 7);
      await output.saveArtifact(id, "a.png", bytes);
      await output.saveArtifact(id, "log.txt", "second one");
      await world().restart();
      expect(await world().store.output.artifacts(id)).toEqual([
        { name: "a.png", mediaType: "image/png", bytes: bytes.length },
        { name: "log.txt", mediaType: "text/plain", bytes: 10 },
      ]);
      expect(await read(id, "log.txt")).toBe("second one");
      expect(await read(id, "log.txt", 3, 4)).toBe("ond ");
      expect(await read(id, "log.txt", 10, 4)).toBe("");
      const slice = await world().store.output.readArtifact(id, "a.png", 999_000, Infinity);
      expect(slice).toMatchObject({ name: "a.png", mediaType: "image/png", bytes: bytes.length, from: 999_000 });
      expect(Buffer.from(slice.content).equals(bytes.subarray(999_000))).toBe(true);
      await expect(read(id, "other.txt")).rejects.toMatchObject(refusal("not_found"));
      await world().store.output.remove(id);
      expect(await world().store.output.artifacts(id)).toEqual([]);
    });

    it("an artifact that comes in parts is there when the last one is, and a part that is sent again counts once", async () => {
      const id = await start();
      const { output } = world().store;
      await output.saveArtifact(id, "log.txt", "before");
      expect(await output.saveArtifactPart(id, "log.txt", part(0, "first, ", false))).toBeUndefined();
      expect(await output.saveArtifactPart(id, "log.txt", part(7, "second, ", false))).toBeUndefined();
      await output.saveArtifactPart(id, "log.txt", part(7, "second, ", false));
      expect(await output.artifacts(id)).toMatchObject([{ name: "log.txt", bytes: 6 }]);
      expect(await read(id, "log.txt")).toBe("before");
      const saved = await output.saveArtifactPart(id, "log.txt", part(15, "third", true));
      expect(saved).toEqual({ name: "log.txt", mediaType: "text/plain", bytes: 20 });
      expect(await read(id, "log.txt")).toBe("first, second, third");
    });

    it("a part takes the place of all that began where it begins", async () => {
      const id = await start();
      const { output } = world().store;
      await output.saveArtifactPart(id, "a.txt", part(0, "abcdefgh", false));
      await output.saveArtifactPart(id, "a.txt", part(8, "ijkl", false));
      await output.saveArtifactPart(id, "a.txt", part(4, "EF", true));
      expect(await read(id, "a.txt")).toBe("abcdEF");
    });

    it("a part whose beginning is missing is refused, and leaves nothing", async () => {
      const id = await start();
      const { output } = world().store;
      const late = output.saveArtifactPart(id, "a.bin", part(5, "x", true));
      await expect(late).rejects.toMatchObject(refusal("conflict"));
      await output.saveArtifactPart(id, "a.bin", part(0, "abc", false));
      const gap = output.saveArtifactPart(id, "a.bin", part(5, "x", true));
      await expect(gap).rejects.toMatchObject(refusal("conflict"));
      expect(await output.artifacts(id)).toEqual([]);
    });

    it("a type that is given is kept until the artifact is saved without one", async () => {
      const id = await start();
      const { output } = world().store;
      await output.saveArtifactPart(id, "trace", { ...part(0, "{}", true), mediaType: "application/json" });
      expect(await output.artifacts(id)).toEqual([{ name: "trace", mediaType: "application/json", bytes: 2 }]);
      expect(await output.readArtifact(id, "trace", 0, 10)).toMatchObject({ mediaType: "application/json" });
      await output.saveArtifactPart(id, "trace", part(0, "{}", true));
      expect(await output.artifacts(id)).toMatchObject([{ mediaType: "application/octet-stream" }]);
    });

    it("more artifacts than a job may have are refused", async () => {
      const id = await start();
      const { output } = world().store;
      const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
      await Promise.all(names.map((name, index) => output.saveArtifactPart(id, name, part(0, "", index % 2 === 0))));
      await expect(output.saveArtifactPart(id, "more", part(0, "", true))).rejects.toMatchObject(refusal("too_large"));
      await output.saveArtifactPart(id, "f0", part(0, "again", true));
      expect(await read(id, "f0")).toBe("again");
    });

    it.each([".hidden", "../up", "a/b", "", "-dash", "x".repeat(121), "nul\0"])(
      "the name %j, which is none of a plain file, is refused",
      async (name) => {
        const id = await start();
        const saving = world().store.output.saveArtifactPart(id, name, part(0, "", true));
        await expect(saving).rejects.toMatchObject(refusal("invalid_input"));
        expect(await world().store.output.artifacts(id)).toEqual([]);
      },
    );
  });
}
