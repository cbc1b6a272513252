"""Static files as a release serves them: compressed, named by their content, kept by browsers for good.

`manage.py up` and the image collect them (TRIPEAKS_STATIC); commands and tests read them where they lie in the source.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage

_MARK = "collected"
_OURS = ("games/", "leaderboards/")
# A third of a script's compressed bytes; types in it also refer to each other in circles (`import("./other.js").Type`),
# and what stands in a comment would count as an import. Never within a line of code: that may be a text.
_COMMENTS = re.compile(r"/\*\*.*?\*/|^[ \t]*//[^\n]*", re.DOTALL | re.MULTILINE)
_STYLE_COMMENTS = re.compile(r"/\*.*?\*/", re.DOTALL)
# No text of ours goes over a line's end, and none in a style sheet holds these marks (tests/site/test_static_files.py).
_INDENTS = re.compile(r"\n\s+")
_STYLE_ROOM = re.compile(r"\s*([{};,])\s*|(:)\s+")


def without_comments(name: str, text: str) -> str:
    """A script or style sheet of ours as it is sent: line by line, without indents, empty lines and comments."""
    if name.endswith(".css"):
        return _STYLE_ROOM.sub(r"\1\2", _STYLE_COMMENTS.sub("", text)).strip() + "\n"
    return _INDENTS.sub("\n", _COMMENTS.sub("", text)).lstrip()


class _Bare:
    """The source of a file, read without its comments."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def open(self, path: str) -> ContentFile[bytes]:
        with self._storage.open(path) as file:
            return ContentFile(without_comments(path, file.read().decode()).encode())


class ReleaseFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Each file by its content's name, the imports of modules and the URLs of style sheets with it."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 40  # one for each step of the longest chain of imports; it ends when nothing changes
    manifest_strict = False

    def url(self, name: str | None, force: bool = False) -> str:
        """The address of the content; the plain one for a file that was not collected, never an exception in a page."""
        try:
            return str(super().url(name, force))
        except ValueError:
            return str(super(CompressedManifestStaticFilesStorage, self)._url(lambda plain: plain, name, force))

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """WhiteNoise's, over our scripts and style sheets without their comments."""
        bare = {
            name: (_Bare(storage), path)
            if name.startswith(_OURS) and name.endswith((".js", ".css"))
            else (storage, path)
            for name, (storage, path) in paths.items()
        }
        yield from super().post_process(bare, dry_run=dry_run, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Only what players load, by the names that pages use: with the admin's files the first start took 8 s more."""
        named = set(self.hashed_files.values())
        yield from super().compress_files([path for path in paths if path in named and path.startswith(_OURS)])

    def save_manifest(self) -> None:
        """At the end of a collection: also what it was made from."""
        super().save_manifest()
        Path(self.path(_MARK)).write_text(state_of_sources())


def state_of_sources() -> str:
    """What would be collected, in short: another text as soon as a file has come, gone or changed."""
    seen = hashlib.sha256(Path(__file__).read_bytes())
    for finder in get_finders():
        for path, storage in finder.list(None):
            stat = Path(storage.path(path)).stat()
            seen.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def up_to_date(root: Path) -> bool:
    """Whether the files collected there are those of the source."""
    mark = root / _MARK
    return mark.exists() and mark.read_text() == state_of_sources()


def collect(root: Path) -> bool:
    """Collect into STATIC_ROOT where that is not up to date; whether it was not. What older pages name stays."""
    if up_to_date(root):
        return False
    (root / _MARK).unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    return True
