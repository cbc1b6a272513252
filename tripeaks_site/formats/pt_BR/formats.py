"""Brazilian Portuguese: 9 de nov. de 2026, 18:05. Short, since Django's whole months are capitalised."""

DATE_FORMAT = r"j \d\e b. \d\e Y"
YEAR_MONTH_FORMAT = r"b. \d\e Y"
MONTH_DAY_FORMAT = r"j \d\e b."
DATETIME_FORMAT = r"j \d\e b. \d\e Y, H:i"
SHORT_DATETIME_FORMAT = "d/m/Y, H:i"
