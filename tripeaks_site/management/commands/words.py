"""`manage.py words`: bring the catalogues of all languages up to the source, and compile them."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = (
        "Collect every text of the source, merge it into the catalogues of all languages (new texts come in empty, "
        "unused ones go) and compile them. Says how many texts wait for a translation."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory",
            nargs="?",
            type=Path,
            help="catalogues of languages that you add (TRIPEAKS_LOCALES); default: ours",
        )
        parser.add_argument("--compile", action="store_true", help="only compile what is there")

    def handle(self, *args: Any, directory: Path | None, **options: Any) -> None:
        try:
            from tripeaks_site import catalogues
        except ImportError as error:
            raise CommandError(
                "This needs the developers' packages (Babel): pip install -r requirements-dev.txt"
            ) from error
        place = directory or catalogues.LOCALE
        files = sorted(place.glob("*/LC_MESSAGES/*.po")) if directory else catalogues.catalogue_files()
        if not files:
            raise CommandError(f"There is no file such as pl/LC_MESSAGES/django.po in {place}.")
        templates = {} if options["compile"] else {name: catalogues.collected(name) for name in catalogues.DOMAINS}
        for path in files:
            if path.stem in templates:
                catalog = catalogues.update(path, templates[path.stem])
                waiting = sum(1 for message in catalog if message.id and not all(catalogues.texts(message)))
                self.stdout.write(f"{path.relative_to(place)}: {len(catalog)} texts, {waiting} without a translation")
        catalogues.compile_all(place)
