"""Finnish: 29. marraskuuta 2026 klo 18.05."""

DATETIME_FORMAT = r"j. E Y \k\l\o G.i"
MONTH_DAY_FORMAT = "j. E"
