export interface CrawlBenchRequest {
  readonly url: string;
  readonly pages: number;
  readonly concurrency: number;
}
