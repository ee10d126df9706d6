/** Below 0 if the first version is older. A pre-release is older than its release. */
export function compareVersions(first: string, second: string): number {
  const [a, b] = [parse(first), parse(second)];
  for (let index = 0; index < 3; index++) {
    const difference = (a.numbers[index] ?? 0) - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.preRelease === b.preRelease) return 0;
  if (a.preRelease === "" || b.preRelease === "") return a.preRelease === "" ? 1 : -1;
  return a.preRelease.localeCompare(b.preRelease, "en", { numeric: true });
}

function parse(version: string): { numbers: number[]; preRelease: string } {
  const [core = "", ...rest] = version.split("+", 1).join("").split("-");
  return { numbers: core.split(".").map((part) => Number.parseInt(part, 10) || 0), preRelease: rest.join("-") };
}
