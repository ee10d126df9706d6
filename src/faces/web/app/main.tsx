import { render, type JSX } from "preact";
import { session } from "./core/api.ts";
import { followLinks } from "./core/router.ts";
import { Shell } from "./shell.tsx";
import { Login } from "./views/login.tsx";

function App(): JSX.Element {
  return session.value === undefined ? <Login /> : <Shell />;
}

const root = document.getElementById("app");
if (root !== null) {
  followLinks(document.body);
  render(<App />, root);
}
