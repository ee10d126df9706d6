import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface StoredEvent {
  readonly id: number;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

const maxEvents = 200;

/** The newest messages of a session, for a client that lost its stream and asks for what came after. */
export function createEventStore(): EventStore {
  let events: StoredEvent[] = [];
  let lastId = 0;
  return {
    storeEvent: async (streamId, message) => {
      lastId += 1;
      events.push({ id: lastId, streamId, message });
      if (events.length > maxEvents) events = events.slice(-maxEvents);
      return String(lastId);
    },
    getStreamIdForEventId: async (eventId) => events.find(({ id }) => id === Number(eventId))?.streamId,
    replayEventsAfter: async (lastEventId, { send }) => {
      const from = events.find(({ id }) => id === Number(lastEventId));
      const streamId = from?.streamId ?? "";
      for (const event of events) {
        if (event.streamId === streamId && event.id > Number(lastEventId)) await send(String(event.id), event.message);
      }
      return streamId;
    },
  };
}
