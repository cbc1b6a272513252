/** The report form of profiles and replays. */

import { api } from "../../games/js/api.js";
import { said } from "./account_words.js";
import { listen, wake } from "./forms.js";

listen(
  {
    report: {
      send: (values, form) => {
        const { kind = "", id } = form.dataset;
        return api("POST", "/reports", { [kind]: id, reason: values.get("reason"), text: values.get("text") });
      },
      done: (_data, form) => {
        const thanks = /** @type {HTMLElement} */ (form.nextElementSibling);
        form.hidden = true;
        thanks.hidden = false;
        thanks.focus();
      },
    },
  },
  said,
);
wake(document);
