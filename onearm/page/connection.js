/* A connection to a stream of server-sent events, made by fetch, which can send a token. It is made
   again when it breaks, after a pause that grows. */

const PAUSES = [0.5, 1, 2, 4, 8]; // seconds
const SILENCE = 10; // seconds without an event after which a connection counts as broken
const TOKEN = "onearm-token"; // its key in the storage of this tab

class Connection {
  /* `on` has the functions event(name, data), ended(lost) and refused(reason). */
  constructor(address, on) {
    Object.assign(this, { address, on, failures: 0 });
    addEventListener("online", () => this.hurry?.());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry?.());
    this.run();
  }

  /* Connect for ever, except while a token is asked for. */
  async run() {
    for (;;) {
      this.aborted = new AbortController();
      const { reason, lost } = await this.listen().catch(() => ({ lost: true }));
      clearTimeout(this.alarm);
      if (reason !== undefined) return this.on.refused(reason);
      this.on.ended(lost);
      await this.pause();
    }
  }

  /* Read events until the stream ends; return the reason if a token is refused. */
  async listen() {
    this.expect();
    const token = sessionStorage.getItem(TOKEN);
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const { signal } = this.aborted;
    const how = { headers, signal, cache: "no-store", credentials: "omit" }; // no other prompt
    const response = await fetch(this.address, how);
    if (response.status === 401 || response.status === 403) return refusal(response.status, token);
    if (!response.ok) return {};
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return {};
      this.expect();
      const parts = (text + value).replaceAll("\r\n", "\n").split("\n\n");
      text = parts.pop();
      for (const part of parts) this.take(part);
    }
  }

  take(part) {
    const lines = part.split("\n").map((line) => line.split(/: ?(.*)/s));
    const name = lines.find(([key]) => key === "event")?.[1] ?? "message";
    const data = lines.filter(([key]) => key === "data").map(([, value]) => value);
    if (!data.length) return;
    this.failures = 0;
    this.on.event(name, JSON.parse(data.join("\n")));
  }

  /* Give up the connection if nothing comes. */
  expect() {
    clearTimeout(this.alarm);
    this.alarm = setTimeout(() => this.aborted.abort(), 1000 * SILENCE);
  }

  async pause() {
    const seconds = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    await new Promise((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, 1000 * seconds);
    });
    this.hurry = null;
  }

  use(token) {
    sessionStorage.setItem(TOKEN, token);
    this.run();
  }
}

/* Forget a token that was refused; return what to say. */
function refusal(status, token) {
  sessionStorage.removeItem(TOKEN);
  if (status === 403) return { reason: "This token does not have the scope read." };
  return { reason: token ? "The service does not know this token." : "" };
}
