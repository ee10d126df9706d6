import { agentContract } from "../kinds/agent/contract.ts";
import { crawlContract } from "../kinds/crawl/contract.ts";
import { endpointContract } from "../kinds/endpoint/contract.ts";
import { pageContract } from "../kinds/page/contract.ts";
import { shellContract } from "../kinds/shell/contract.ts";
import { startOperation } from "./start.ts";

/** How the built-in kinds are started, for whoever calls them by name. */
export const runCommand = startOperation(shellContract.name, shellContract.verbs[0]);
export const runAgent = startOperation(agentContract.name, agentContract.verbs[0]);
export const analyzePage = startOperation(pageContract.name, pageContract.verbs[0]);
export const runEndpoint = startOperation(endpointContract.name, endpointContract.verbs[0]);

const [crawl, map, markdown, extract, screenshot, browse, search, pipeline] = crawlContract.verbs;
export const crawlSite = startOperation(crawlContract.name, crawl);
export const mapSite = startOperation(crawlContract.name, map);
export const pageMarkdown = startOperation(crawlContract.name, markdown);
export const pageExtract = startOperation(crawlContract.name, extract);
export const pageScreenshot = startOperation(crawlContract.name, screenshot);
export const pageBrowse = startOperation(crawlContract.name, browse);
export const webSearch = startOperation(crawlContract.name, search);
export const searchExtract = startOperation(crawlContract.name, pipeline);
