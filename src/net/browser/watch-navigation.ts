import type { Page, Request } from "playwright-core";
import { JobFailure } from "../../job/failure.ts";
import { parseUrl } from "../../job/parse-url.ts";

/**
 * Watches where a page sends its browser by itself, as a refresh or a script does. Ask for the failure when the page has come to rest:
 * what it shows after a step that failed is the browser's own message, or the proxy's, and not a page.
 */
export function watchNavigation(page: Page): { readonly failure: () => JobFailure | undefined } {
  let failure: JobFailure | undefined;
  page.on("response", (response) => {
    if (!isMainNavigation(response.request(), page)) return;
    // Only our proxy says this where nobody has asked for a password.
    const isRefusal = response.status() === 403 && "proxy-authenticate" in response.headers();
    failure = isRefusal ? refused(response.url()) : undefined;
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // What the page itself, or a download, has cut short leaves the page as it was.
    if (isMainNavigation(request, page) && !reason.includes("ERR_ABORTED"))
      failure = unreachable(request.url(), reason);
  });
  return { failure: () => failure };
}

function isMainNavigation(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The frame of a navigation that has only just begun is not known yet; frames of their own have none so early.
    return true;
  }
}

function refused(url: string): JobFailure {
  const message = `The page leads to ${hostOf(url)}, which is not allowed: only public addresses and what net.allow names are opened.`;
  return new JobFailure("blocked_address", message, { retryable: false });
}

function unreachable(url: string, reason: string): JobFailure {
  const code = /ERR_[A-Z_]+/.exec(reason)?.[0] ?? reason;
  const message = `The page leads to ${hostOf(url)}, which cannot be reached or is not allowed (${code}).`;
  return new JobFailure("load_failed", message);
}

function hostOf(url: string): string {
  return parseUrl(url)?.host ?? url.slice(0, 200);
}
