export { openTestHome, type TestHome, type TestOptions } from "./testing/test-engine.ts";
export { MovingClock } from "./testing/moving-clock.ts";
export { until } from "./testing/until.ts";
