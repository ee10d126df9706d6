import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call, messageOf, session } from "../core/api.ts";
import { formatBytes, visible } from "../core/format.ts";
import { isAdmin, me, mayRun } from "../core/me.ts";
import { Fields, FormState } from "../ui/form.tsx";
import { Ago, attempt, Button, confirm, Copyable, Panel, Problem, Skeleton, tell } from "../ui/parts.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { useLoad, type Loaded } from "../ui/use-load.ts";

type Token = AnswerOf<"token_list">["tokens"][number];
type Session = AnswerOf<"session_list">["sessions"][number];
type Delivery = AnswerOf<"webhook_list">["deliveries"][number];

export function Settings(): JSX.Element {
  return (
    <main class="view">
      <h1>Settings</h1>
      <Server />
      <Sessions />
      {isAdmin() && <Tokens />}
      <Webhooks />
    </main>
  );
}

/** A list that is loaded, or why it is not. */
function List<Row, Data>(props: {
  readonly label: string;
  readonly loaded: Loaded<Data>;
  readonly rowsOf: (data: Data) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
}): JSX.Element {
  const { data, error, reload } = props.loaded;
  if (data.value === undefined)
    return error.value === undefined ? <Skeleton rows={2} /> : <Problem error={error.value} onRetry={reload} />;
  const rows = props.rowsOf(data.value);
  if (rows.length === 0) return <p class="muted">{props.empty}</p>;
  return <Table label={props.label} columns={props.columns} rows={rows} keyOf={props.keyOf} />;
}

function Server(): JSX.Element {
  const { data } = useLoad((signal) => call("server_status", {}, signal), []);
  const { value: server } = data;
  const { value: who } = me;
  return (
    <Panel title="Server">
      <dl class="pairs">
        <dt>You</dt>
        <dd>
          {visible(who?.name ?? "this machine's user")} · may {who?.scope ?? "…"}
          {who?.owner === undefined ? "" : ` · jobs of ${visible(who.owner)}`}
          {who?.kinds === undefined ? "" : ` · ${who.kinds.join(", ")}`}
        </dd>
        {server !== undefined && (
          <>
            <dt>Version</dt>
            <dd>
              {server.version}, started <Ago at={server.started_at} />
            </dd>
            <dt>Memory</dt>
            <dd>{formatBytes(server.memory_bytes)}</dd>
            {server.home !== undefined && (
              <>
                <dt>Folder</dt>
                <dd>
                  <code>{server.home}</code>
                </dd>
              </>
            )}
          </>
        )}
        <dt>API</dt>
        <dd>
          <a href="/docs">/docs</a>
        </dd>
      </dl>
    </Panel>
  );
}

function Sessions(): JSX.Element {
  const loaded = useLoad((signal) => call("session_list", {}, signal), []);
  const own = session.value?.split(".")[0];
  const columns: Column<Session>[] = [
    {
      head: "Of",
      width: "1fr",
      area: "title",
      cell: ({ id, of }) => <b>{`${visible(of)}${id === own ? " (this browser)" : ""}`}</b>,
    },
    { head: "Opened", width: "110px", area: "line", cell: (row) => <Ago at={row.created_at} /> },
    { head: "Until", width: "150px", cell: (row) => new Date(row.expires_at).toLocaleTimeString() },
    {
      head: "End",
      width: "90px",
      area: "side",
      cell: (row) => (
        <Button
          label="End"
          onPress={async () => {
            await call("session_revoke", { session: row.id });
            await loaded.reload();
          }}
        />
      ),
    },
  ];
  return (
    <Panel title="Browsers that are logged in">
      <List
        label="Sessions"
        loaded={loaded}
        rowsOf={(data) => data.sessions}
        columns={columns}
        keyOf={({ id }) => id}
        empty="None."
      />
    </Panel>
  );
}

const tokenSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", description: "What it is called in lists, and in the record of who did what." },
    scope: { type: "string", enum: ["read", "run", "admin"], default: "run" },
    owner: { type: "string", description: "Whose jobs it is for; yours unless given." },
    expires_in_ms: { type: "integer", title: "Expires in (ms)", description: "Never unless given." },
  },
};

function Tokens(): JSX.Element {
  const loaded = useLoad((signal) => call("token_list", {}, signal), []);
  const made = useSignal("");
  const problem = useSignal("");
  const form = useMemo(() => new FormState(tokenSchema), [made.value]);
  const make = async (): Promise<void> => {
    const values = form.collect();
    if (values === undefined) return;
    problem.value = "";
    try {
      made.value = (await call("token_create", values as { name: string })).token;
      await loaded.reload();
    } catch (error) {
      if (!form.refuse(error)) problem.value = messageOf(error);
    }
  };
  const revoke = ({ id, name }: Token): void =>
    confirm({
      title: `Revoke “${visible(name)}”?`,
      text: "It opens nothing from then on, and sessions that stand for it end.",
      verb: "Revoke",
      run: () => attempt(() => call("token_revoke", { token: id }).then(loaded.reload)),
    });
  const columns: Column<Token>[] = [
    { head: "Name", width: "minmax(120px, 1.5fr)", area: "title", cell: ({ name }) => <b>{visible(name)}</b> },
    { head: "May", width: "80px", area: "end", cell: ({ scope }) => scope },
    {
      head: "Jobs of",
      width: "1fr",
      area: "line",
      cell: ({ owner }) => (owner === undefined ? "everybody" : visible(owner)),
    },
    {
      head: "Last used",
      width: "110px",
      cell: (row) => (row.last_used_at === undefined ? "never" : <Ago at={row.last_used_at} />),
    },
    {
      head: "Revoke",
      width: "100px",
      area: "side",
      cell: (row) => <Button label="Revoke" onPress={() => revoke(row)} />,
    },
  ];
  return (
    <Panel title="Tokens">
      <List
        label="Tokens"
        loaded={loaded}
        rowsOf={({ tokens }) => tokens.filter(({ state }) => state === "active")}
        columns={columns}
        keyOf={({ id }) => id}
        empty="None: only this machine's user can come in."
      />
      {made.value !== "" && (
        <p class="made">
          Shown this once: <Copyable text={made.value} />
        </p>
      )}
      <details class="more">
        <summary>Make a token</summary>
        <form
          aria-label="Make a token"
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
        >
          <Fields form={form} prefix="token" />
          <p class="wrong" role="alert">
            {problem.value}
          </p>
          <Button label="Make the token" icon="plus" look="main" type="submit" />
        </form>
      </details>
    </Panel>
  );
}

function Webhooks(): JSX.Element {
  const loaded = useLoad((signal) => call("webhook_list", { limit: 50 }, signal), []);
  const columns: Column<Delivery>[] = [
    { head: "To", width: "minmax(140px, 2fr)", area: "title", cell: ({ url }) => <b>{visible(url)}</b> },
    { head: "State", width: "100px", area: "side", cell: ({ state }) => state },
    {
      head: "About",
      width: "130px",
      area: "line",
      cell: ({ job_id: id }) => <a href={`/jobs/${id}`}>{id.slice(-12)}</a>,
    },
    { head: "Attempts", width: "80px", area: "end", cell: ({ attempts }) => attempts },
    {
      head: "Again",
      width: "120px",
      cell: (row) =>
        mayRun() && row.state === "failed" ? (
          <Button
            label="Send again"
            onPress={async () => {
              await call("webhook_redeliver", { id: row.id });
              tell("It is sent again.");
              await loaded.reload();
            }}
          />
        ) : null,
    },
  ];
  return (
    <Panel title="Webhook deliveries">
      <List
        label="Webhook deliveries"
        loaded={loaded}
        rowsOf={(data) => data.deliveries}
        columns={columns}
        keyOf={({ id }) => id}
        empty="None yet."
      />
    </Panel>
  );
}
