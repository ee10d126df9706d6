import { defineCommand } from "../command.ts";

export const send = defineCommand<{ newline: boolean }, [id: string, words: string[]]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .argument("<text...>", "what to send; words are joined by spaces")
      .option("--no-newline", "do not end the text with a line end");
  },
  run: async ({ client, screen }, options, id, words) => {
    const answer = await client.call<{ id: string; sent: number }>("job_send", {
      id,
      text: words.join(" "),
      newline: options.newline,
    });
    if (options.json === true) screen.printJson(answer);
    else screen.note(`Sent ${answer.sent} bytes.`);
  },
});
