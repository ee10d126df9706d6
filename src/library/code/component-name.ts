/** The name of a component for a section of this type: `HeroSection`. */
export function componentNameOf(type: string): string {
  const words = type.split(/[^A-Za-z0-9]+/).filter((word) => /^[A-Za-z]/.test(word));
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
  return name === "" || name === "Unknown" ? "PageSection" : `${name}Section`;
}
