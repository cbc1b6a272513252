"""Who looks at a page and with what: options of a browser context. Join them: `open_page("/", **PHONE, **DARK)`."""

from __future__ import annotations

from typing import Any

Options = dict[str, Any]


def touch(width: int, height: int) -> Options:
    """A phone of this many CSS pixels."""
    return {
        "viewport": {"width": width, "height": height},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    }


DESKTOP: Options = {"viewport": {"width": 1280, "height": 800}}
PHONE = touch(390, 844)
SMALL_PHONE = touch(320, 568)
LANDSCAPE = touch(844, 390)
ALL_SIZES = {"desktop": DESKTOP, "phone": PHONE, "small phone": SMALL_PHONE, "landscape": LANDSCAPE}

LIGHT: Options = {"color_scheme": "light"}
DARK: Options = {"color_scheme": "dark"}
CALM: Options = {"reduced_motion": "reduce"}
NO_SCRIPT: Options = {"java_script_enabled": False}
FORCED_COLOURS: Options = {"forced_colors": "active"}


def language(locale: str) -> Options:
    """The browser asks for this language."""
    return {"locale": locale}


BLOCKED_STORAGE: Options = {
    "script": """
  for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
    Object.defineProperty(window, name, { get() { throw new DOMException("Storage is blocked.", "SecurityError"); } });
  }
"""
}
