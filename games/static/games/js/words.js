/**
 * The visitor's language: Django's JavaScript catalogue (`words_url` of the templates, loaded before the modules) and the
 * browser's own formats. Call these by these names, with the text written out, so that `manage.py words` finds it.
 *
 * @typedef {{gettext(text: string): string, ngettext(one: string, many: string, count: number): string,
 *   pgettext(context: string, text: string): string}} Catalogue
 */

const catalogue = /** @type {{django?: Catalogue}} */ (/** @type {unknown} */ (globalThis)).django;

/** The language of the page, for Intl. */
export const LANGUAGE = globalThis.document?.documentElement.lang || "en";

/** @param {string} text */
export const gettext = (text) => catalogue?.gettext(text) ?? text;

/**
 * @param {string} one
 * @param {string} many
 * @param {number} count
 */
export const ngettext = (one, many, count) => catalogue?.ngettext(one, many, count) ?? (count === 1 ? one : many);

/**
 * The same word in another sense.
 * @param {string} context
 * @param {string} text
 */
export const pgettext = (context, text) => catalogue?.pgettext(context, text) ?? text;

/**
 * `%(name)s` in a translated text replaced by its value, wherever the language puts it.
 * @param {string} text
 * @param {Record<string, string | number>} values numbers are written as the language writes them
 */
export function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? figure(value) : value;
  });
}

const figures = new Intl.NumberFormat(LANGUAGE);

/** A whole number as the language writes it: `1,204`. @param {number} value */
export const figure = (value) => figures.format(value);
