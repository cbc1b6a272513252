/**
 * The standings socket: subscribes, reconnects with growing, spread-out pauses, and says how it stands.
 * @import {Frame, Status, Topic} from "./types.js"
 */

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const SILENCE = 16_000; // three heartbeats and a little

export class StandingsSocket {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Topic[]} */ #topics;
  /** @type {(frame: Frame) => void} */ #onFrame;
  /** @type {(status: Status) => void} */ #onStatus;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #failures = 0;
  #closed = false;
  #url;

  /**
   * @param {string} url ws:// or wss://
   * @param {Topic[]} topics
   * @param {{onFrame: (frame: Frame) => void, onStatus: (status: Status) => void}} listeners
   */
  constructor(url, topics, { onFrame, onStatus }) {
    this.#url = url;
    this.#topics = topics;
    this.#onFrame = onFrame;
    this.#onStatus = onStatus;
    addEventListener("online", this.#hurry);
    document.addEventListener("visibilitychange", this.#hurry);
    this.#connect();
  }

  /** Follow these lists instead. @param {Topic[]} topics */
  follow(topics) {
    for (const topic of this.#topics) this.send({ type: "unsubscribe", ...topic });
    this.#topics = topics;
    for (const topic of topics) this.send({ type: "subscribe", ...topic });
  }

  /** Ask for a fresh snapshot. @param {Topic} topic */
  resync(topic) {
    this.send({ type: "resync", ...topic });
  }

  /** Send when connected; a new connection subscribes by itself. @param {object} frame */
  send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    removeEventListener("online", this.#hurry);
    document.removeEventListener("visibilitychange", this.#hurry);
    this.#socket?.close();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#onStatus(this.#failures === 0 ? "connecting" : "reconnecting");
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#watch(socket);
    socket.addEventListener("open", () => {
      for (const topic of this.#topics) this.send({ type: "subscribe", ...topic });
    });
    socket.addEventListener("message", (message) => {
      if (socket !== this.#socket) return;
      const frame = /** @type {Frame} */ (JSON.parse(message.data));
      if (frame.type !== "error") this.#failures = 0; // a refused handshake says so each time
      this.#watch(socket);
      this.#onFrame(frame);
    });
    socket.addEventListener("close", () => this.#lost(socket));
  }

  /** A link that has fallen silent is gone, whatever the browser thinks. @param {WebSocket} socket */
  #watch(socket) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      socket.close();
      this.#lost(socket);
    }, SILENCE);
  }

  /** @param {WebSocket} socket */
  #lost(socket) {
    if (this.#closed || socket !== this.#socket) return;
    this.#socket = null;
    clearTimeout(this.#timer);
    this.#onStatus("reconnecting");
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#connect(), pause * (0.5 + Math.random())); // not everybody at once
  }

  /** Back online or in view: no need to wait the pause out. */
  #hurry = () => {
    if (this.#socket === null && !this.#closed && document.visibilityState === "visible") this.#connect();
  };
}
