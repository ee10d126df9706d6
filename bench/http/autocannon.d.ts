declare module "autocannon" {
  interface Result {
    readonly requests: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly non2xx: number;
    readonly errors: number;
  }
  const autocannon: (options: object) => Promise<Result>;
  export default autocannon;
}
