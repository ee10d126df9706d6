/** The name by which a robots.txt can address us. */
export const productToken = "Longhaul";

/** Says who asks and where to read about it, so that a site's owner can tell us apart and turn us away. */
export function defaultUserAgent(version: string): string {
  return `${productToken}/${version} (+https://www.npmjs.com/package/longhaul)`;
}
