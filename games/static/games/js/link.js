/**
 * A WebSocket that comes back: reconnects with growing, spread-out pauses, notices silence, and says how it stands.
 * @typedef {"connecting" | "live" | "reconnecting"} LinkStatus
 */

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const SILENCE = 16_000; // three heartbeats and a little
const DOUBTFUL = 7_000; // one heartbeat and a little: enough when the device has slept or changed its network

/** @template {{type: string}} Frame */
export class Link {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #failures = 0;
  #heardAt = 0;
  #heardOn = 0; // the same by the clock on the wall, which also runs while the device sleeps
  #closed = false;
  #url;
  #listeners;

  /**
   * @param {string} path of the socket on our own host, `/ws/v1/…`
   * @param {{onOpen: () => void, onFrame: (frame: Frame) => void, onStatus: (status: LinkStatus) => void,
   *   onEnd?: (code: number) => boolean}} listeners `onOpen`: each time a connection is there; `onEnd` returns whether
   *   it makes sense to connect again after that close code
   */
  constructor(path, listeners) {
    this.#url = location.origin.replace(/^http/, "ws") + path;
    this.#listeners = listeners;
    addEventListener("online", this.#hurry);
    document.addEventListener("visibilitychange", this.#hurry);
    this.#connect();
  }

  /** Send when connected; false when it was not. @param {object} frame */
  send(frame) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
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
    this.#listeners.onStatus(this.#failures === 0 ? "connecting" : "reconnecting");
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#hears();
    this.#watch(socket, SILENCE);
    socket.addEventListener("open", () => {
      if (socket === this.#socket) this.#listeners.onOpen();
    });
    socket.addEventListener("message", (message) => {
      if (socket !== this.#socket) return;
      const frame = /** @type {Frame} */ (JSON.parse(message.data));
      if (frame.type !== "error") this.#failures = 0; // a refused handshake says so each time
      this.#hears();
      this.#listeners.onFrame(frame);
    });
    socket.addEventListener("close", (event) => this.#lost(socket, event.code));
  }

  #hears() {
    this.#heardAt = performance.now();
    this.#heardOn = Date.now();
  }

  /**
   * A link that has fallen silent is gone, whatever the browser thinks. One timer, looked at when it ends: a new one
   * for every frame cost a burst of results as much as drawing it.
   * @param {WebSocket} socket
   * @param {number} wait
   */
  #watch(socket, wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const left = this.#heardAt + SILENCE - performance.now();
      if (left > 0) {
        this.#watch(socket, left);
        return;
      }
      socket.close();
      this.#lost(socket, 1006);
    }, wait);
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  #lost(socket, code) {
    if (this.#closed || socket !== this.#socket) return;
    this.#socket = null;
    clearTimeout(this.#timer);
    if (this.#listeners.onEnd?.(code) === false) {
      this.close();
      return;
    }
    this.#listeners.onStatus("reconnecting");
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#connect(), pause * (0.5 + Math.random())); // not everybody at once
  }

  /** Back online or in view: no need to wait the pause out, or for a link that died meanwhile to be missed. */
  #hurry = () => {
    if (this.#closed || document.visibilityState !== "visible") return;
    if (this.#socket === null) this.#connect();
    else if (Date.now() - this.#heardOn > DOUBTFUL) {
      const socket = this.#socket;
      socket.close();
      this.#lost(socket, 1006);
    }
  };
}
