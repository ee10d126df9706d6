import type { ComponentType } from "preact";
import type { JobDetail } from "../source.ts";
import { AgentView } from "./agent.tsx";
import { CrawlView } from "./crawl.tsx";
import { EndpointView } from "./endpoint.tsx";
import { PageView } from "./page.tsx";

/** What is shown of a job besides what every job has; loaded when the first of them is looked at. */
export const kindViews: Readonly<Record<string, ComponentType<{ readonly job: JobDetail }>>> = {
  agent: AgentView,
  crawl: CrawlView,
  endpoint: EndpointView,
  page: PageView,
};
