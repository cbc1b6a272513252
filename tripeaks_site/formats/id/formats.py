"""Indonesian: 29 November 2026, 18.05."""

DATE_FORMAT = "j F Y"
SHORT_DATE_FORMAT = "j M Y"
TIME_FORMAT = "H.i"
DATETIME_FORMAT = "j F Y, H.i"
SHORT_DATETIME_FORMAT = "j M Y, H.i"
