import { LonghaulError } from "../../../../job/error.ts";
import type { FoundEntry, SearchRequest } from "../../../../library/library.ts";
import { openForReading } from "../../../../operations/library.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { ReftrixError } from "../error-codes.ts";

interface Found {
  readonly results: FoundEntry[];
  readonly total: number;
  readonly searchTimeMs: number;
}

/** A search with the codes that clients of Reftrix know. */
export async function searchLibrary(context: OperationContext, request: SearchRequest): Promise<Found> {
  const startedMs = performance.now();
  const { library, reader } = openLibraryFor(context);
  const { results, total } = await library.search(request, reader).catch((error: unknown) => {
    throw error instanceof LonghaulError ? new ReftrixError("SEARCH_FAILED", error.message) : error;
  });
  return { results, total, searchTimeMs: Math.round(performance.now() - startedMs) };
}

export function openLibraryFor(context: OperationContext): ReturnType<typeof openForReading> {
  try {
    return openForReading(context);
  } catch (error) {
    const isOff = error instanceof LonghaulError && error.code === "unavailable";
    throw isOff ? new ReftrixError("SERVICE_UNAVAILABLE", error.message) : error;
  }
}
