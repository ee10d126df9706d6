import { defineCommand } from "../command.ts";
import { status as serverStatus } from "./server.ts";
import { show } from "./show.ts";

export const status = defineCommand<object, [id: string | undefined]>({
  describe: (command) => {
    command.argument("[id]", "id, end of an id, or name of a job; the server without one");
  },
  run: (cli, options, id) => (id === undefined ? serverStatus.run(cli, options, []) : show.run(cli, options, [id])),
});
