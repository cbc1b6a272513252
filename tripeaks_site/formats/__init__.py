"""How each language writes dates and times where Django's own way does not suit: 24 hours, and the day first in English.
Numbers are grouped as Django has it for each language."""
