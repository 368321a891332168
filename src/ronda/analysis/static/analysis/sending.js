// A session from the browser's side: open, send files in batches, close. What is sent twice counts once, so whatever
// fails on the way is simply sent again.

import { contentDigest } from "./sha256.js";
import { textPieces } from "./rows.js";

const API = "/api/v1";
const BATCH_BYTES = 4 * 1024 ** 2;
const LARGEST_WHOLE = 64 * 1024 ** 2;
const AT_ONCE = 3;
const PATIENCE_MS = 120000;
const TYPES = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
  feather: "application/vnd.apache.arrow.stream",
};
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Refused extends Error {}

export class Sender {
  constructor(csrf) {
    this.csrf = csrf;
  }

  async call(method, path, body, headers = {}) {
    const end = Date.now() + PATIENCE_MS;
    for (let pause = 200; ; pause = Math.min(3000, pause * 2)) {
      let problem = null, after = 0;
      try {
        const response = await fetch(API + path, {
          method, body, headers: { "X-CSRFToken": this.csrf, "Content-Type": "application/json", ...headers },
        });
        if (response.ok) return response.status === 204 ? null : await response.json();
        problem = await response.json().catch(() => ({ detail: response.statusText }));
        after = Number(response.headers.get("Retry-After") || 0);
        if (response.status < 500 && !(response.status === 429 && after)) throw new Refused(problem.detail);
      } catch (error) {
        if (error instanceof Refused || Date.now() > end) throw error;
      }
      if (problem && Date.now() > end) throw new Refused(problem.detail);
      await wait((after ? after * 1000 : pause) * (0.5 + Math.random() / 2));
    }
  }

  async open(wanted) {
    this.session = await this.call("POST", "/sessions", JSON.stringify(wanted));
    this.path = `/sessions/${this.session.id}`;
    this.beating = setInterval(
      () => this.call("POST", `${this.path}/heartbeat`).catch(() => {}), this.session.grace_seconds * 250,
    );
    return this.session;
  }

  // All of a file; how many batches it was. `onSent` hears how many bytes of it are acknowledged.
  async send(table, file, onSent) {
    let number = 0, sent = 0;
    const flying = new Set();
    for await (const { body, type, share } of pieces(file)) {
      number += 1;
      const one = this.put(table, number, body, type)
        .then(() => { sent += share; onSent(Math.min(sent, file.size)); })
        .finally(() => flying.delete(one));
      flying.add(one);
      if (flying.size >= AT_ONCE) await Promise.race(flying);
    }
    await Promise.all(flying);
    onSent(file.size);
    return number;
  }

  async put(table, number, body, type) {
    const headers = { "Content-Type": type, "Content-Digest": await contentDigest(body) };
    return this.call("PUT", `${this.path}/tables/${table}/batches/${number}`, body, headers);
  }

  async close(batches) {
    await this.call("POST", `${this.path}/close`, JSON.stringify({ batches }));
    clearInterval(this.beating);
  }

  stop() {
    clearInterval(this.beating);
  }
}

async function* pieces(file) {
  const words = file.name.toLowerCase().split(".");
  const isPacked = words.at(-1) === "gz";
  const type = TYPES[words.at(isPacked ? -2 : -1)];
  if (!type) throw new Refused(document.body.dataset.unknownFile || `${file.name}: ?`);
  if (type === TYPES.csv || type === TYPES.ndjson) {
    const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    for await (const body of textPieces(stream, type === TYPES.csv, BATCH_BYTES)) {
      yield { body, type, share: body.length };
    }
    return;
  }
  if (file.size > LARGEST_WHOLE) throw new Refused(document.body.dataset.largeFile || `${file.name}: > 64 MB`);
  yield { body: new Uint8Array(await file.arrayBuffer()), type, share: file.size };
}
