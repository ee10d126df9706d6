/** An owner's page, whichever analysis of it this is. HTML that came without an address (`html.invalid`) is a page of its own. */
export function pageAddress({ id, owner, url }: { id: string; owner: string; url: string }): string {
  return `${owner} ${/^https?:\/\/[^/]+\.invalid\//.test(url) ? id : url}`;
}
