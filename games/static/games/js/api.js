/**
 * Calls of the API from our own pages: JSON both ways, the cookie says who asks, nothing waits for ever.
 *
 * @typedef {{code: string, message: string, data: Record<string, any>}} Refusal
 *   `code` is the server's, or ours: `offline` (no answer), `timeout` (none in time), `internal_error` (no JSON came)
 * @typedef {{ok: true, status: number, data: any, error: null}
 *   | {ok: false, status: number, data: null, error: Refusal}} Answer
 */

const PATIENCE = 15_000;

/** @param {number} status @param {string} code @param {Record<string, any>} data @returns {Answer} */
const refused = (status, code, data = {}) => ({ ok: false, status, data: null, error: { code, message: "", data } });

/**
 * One request to `/api/v1` + path. Never throws: a refusal and a broken link are answers, too.
 * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @param {string} path such as "/account"
 * @param {object} [body]
 * @returns {Promise<Answer>} where the server says when to come back, `error.data.retry_after` has the seconds
 */
export async function api(method, path, body) {
  /** @type {RequestInit} */
  const options = { method, credentials: "same-origin", headers: { Accept: "application/json" }, signal: AbortSignal.timeout(PATIENCE) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { ...options.headers, "Content-Type": "application/json" };
  }
  try {
    const response = await fetch(`/api/v1${path}`, options);
    const data = await response.json().catch(() => null);
    if (response.ok) return { ok: true, status: response.status, data, error: null };
    const wait = Number(response.headers.get("Retry-After"));
    const later = wait > 0 ? { retry_after: wait } : {};
    const error = data?.error;
    if (typeof error?.code !== "string") return refused(response.status, response.status === 503 ? "unavailable" : "internal_error", later);
    return { ok: false, status: response.status, data: null, error: { ...error, data: { ...later, ...error.data } } };
  } catch (problem) {
    return refused(0, problem instanceof DOMException && problem.name === "TimeoutError" ? "timeout" : "offline");
  }
}
