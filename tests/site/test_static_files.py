"""Static files of a release: collected once, compressed, named by their content, kept by browsers for good."""

from __future__ import annotations

import gzip
import posixpath
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from django.core.files.storage import FileSystemStorage

from tests import servers
from tests.processes import ROOT, ServerProcess, live_server, run_manage
from tripeaks_site.statics import ReleaseFiles, without_comments

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.fixture(scope="module")
def collected() -> Path:
    root = servers.temporary_directory() / "static"
    run_manage("collectstatic", "--noinput", "--verbosity", "0", env={"TRIPEAKS_STATIC": str(root)})
    return root


@pytest.fixture(scope="module")
def released(collected: Path) -> Iterator[ServerProcess]:
    with live_server(env={"TRIPEAKS_STATIC": str(collected)}) as server:
        yield server


def get(url: str) -> tuple[bytes, dict[str, str]]:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read(), {name.title(): value for name, value in answer.headers.items()}


def ours(root: Path, ending: str) -> list[Path]:
    """Collected files of our own with hashed names; Django's admin is its own matter."""
    found = [path for app in ("games", "leaderboards") for path in (root / app).rglob(f"*{ending}")]
    return [path for path in found if HASHED.search(path.name)]


def test_every_module_imports_its_neighbours_by_the_names_of_their_content(collected: Path) -> None:
    """One left out would be loaded a second time under its plain name, with a state of its own."""
    modules, imports = ours(collected, ".js"), 0
    assert len(modules) > 10
    for module in modules:
        text = module.read_text()
        assert "/**" not in text
        for url in re.findall(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["']([./][^"']*)["']""", text):
            imports += 1
            assert HASHED.search(url), f"{module.name} imports {url}"
            assert (module.parent / url).exists()
    assert imports > 20


def test_style_sheets_name_images_by_their_content(tmp_path: Path) -> None:
    found = collect_of({"games/a.css": 'a { background: url("b.svg"); }\n', "games/b.svg": "<svg/>"}, tmp_path)
    assert re.search(r'url\("?b\.[0-9a-f]{12}\.svg"?\)', found["games/a.css"])


def test_scripts_and_style_sheets_are_there_compressed(collected: Path) -> None:
    for path in [*ours(collected, ".js"), *ours(collected, ".css")]:
        if path.stat().st_size > 500:
            for ending, expand in ((".gz", gzip.decompress), (".br", brotli.decompress)):
                assert expand(path.with_name(path.name + ending).read_bytes()) == path.read_bytes()


def test_a_page_names_them_and_browsers_may_keep_them_for_good(released: ServerProcess) -> None:
    page = get(f"{released.url}/")[0].decode()
    found = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(found) >= 3
    for address in found:
        assert HASHED.search(address)
        body, headers = get(released.url + address)
        assert headers["Cache-Control"] == "max-age=315360000, public, immutable"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers.get("Content-Encoding") == "gzip" or len(body) < 1000, address


def test_plain_names_still_answer_and_are_asked_for_again(released: ServerProcess) -> None:
    _, headers = get(f"{released.url}/static/leaderboards/css/site.css")
    assert headers["Cache-Control"] == "max-age=60, public"


def test_before_anything_is_collected_pages_have_the_files_of_the_source(tmp_path: Path) -> None:
    empty = tmp_path / "not there"
    with live_server(env={"TRIPEAKS_STATIC": str(empty)}) as server:
        page = get(f"{server.url}/")[0].decode()
        assert "/static/leaderboards/css/site.css" in page
        assert get(f"{server.url}/static/leaderboards/css/site.css")[0]
        assert "tripeaks.W004" in server.manage("check").stderr


def test_a_missing_file_never_fails_a_page(collected: Path, tmp_path: Path) -> None:
    for root in (collected, tmp_path):
        storage = ReleaseFiles(location=root, base_url="/static/")
        assert storage.url("leaderboards/img/nobody-has-this.svg") == "/static/leaderboards/img/nobody-has-this.svg"


def test_it_is_collected_again_only_when_something_has_changed(collected: Path) -> None:
    env = {"TRIPEAKS_STATIC": str(collected)}
    assert "tripeaks.W004" not in run_manage("check", env=env).stderr
    script = "from pathlib import Path; from tripeaks_site.statics import collect; print(collect(Path({!r})))"
    again = ["shell", "--no-imports", "--command", script.format(str(collected))]
    assert run_manage(*again, env=env).stdout.split()[-1] == "False"
    (collected / "collected").write_text("what another release was made from")
    assert "tripeaks.W004" in run_manage("check", env=env).stderr
    assert run_manage(*again, env=env).stdout.split()[-1] == "True"
    assert run_manage(*again, env=env).stdout.split()[-1] == "False"


def collect_of(sources: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Collect these few files: name, and content as it is served."""
    into = tmp_path / "into"
    for name, text in sources.items():
        path = tmp_path / "from" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_text(text)
    source = FileSystemStorage(location=tmp_path / "from")
    storage = ReleaseFiles(location=into, base_url="/static/")
    done = list(storage.post_process({name: (source, name) for name in sources}))
    problems = [processed for _, _, processed in done if isinstance(processed, Exception)]
    assert not problems, problems
    return {name: (into / posixpath.relpath(storage.url(name), "/static")).read_text() for name in sources}


def test_types_may_refer_to_each_other_in_comments(tmp_path: Path) -> None:
    found = collect_of(
        {
            "games/a.js": '/** @typedef {import("./b.js").B} B */\n// import("./c.js")\nexport const a = 1;\n',
            "games/b.js": '/** @typedef {import("./a.js").A} A */\nimport { a } from "./a.js";\nexport const b = a;\n',
        },
        tmp_path,
    )
    assert found["games/a.js"] == "export const a = 1;\n"
    assert re.fullmatch(r'import \{ a \} from "\./a\.[0-9a-f]{12}\.js";\nexport const b = a;\n', found["games/b.js"])


def test_nothing_but_comments_is_taken_out_of_scripts() -> None:
    """No comment begins within a text, so none of a text is taken for one."""
    for app in ("games", "leaderboards"):
        for path in (ROOT / app / "static").rglob("*.js"):
            text = path.read_text()
            bare = without_comments(path.name, text)
            assert "/**" not in bare
            assert all(line.count("`") % 2 == 0 for line in bare.splitlines()), (
                "a text over several lines would lose its indents"
            )
            for found in re.finditer(r"/\*\*.*?\*/", text, re.DOTALL):
                line = text[: found.start()].rpartition("\n")[2]
                before = without_comments(path.name, text[: found.start()])
                assert all(line.count(quote) % 2 == 0 for quote in "\"'`"), (path.name, line)
                assert before.count("`") % 2 == 0, (path.name, line)


def test_nothing_but_room_and_comments_is_taken_out_of_style_sheets() -> None:
    """Their texts hold none of the marks around which room is taken away, and the rest is the same without any room."""
    for app in ("games", "leaderboards"):
        for path in (ROOT / app / "static").rglob("*.css"):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
            assert not [found for found in re.findall(r'"[^"]*"', text) if re.search(r"[{};,:]", found)], path.name
            bare = without_comments(path.name, path.read_text())
            assert re.sub(r"\s", "", bare) == re.sub(r"\s", "", text)
            assert len(bare) < len(text)


def test_a_long_chain_of_imports_is_followed_to_its_end(tmp_path: Path) -> None:
    chain = {f"{n:02d}.js": f'import "./{n + 1:02d}.js";\n' for n in range(15)} | {"15.js": "export {};\n"}
    first = collect_of(chain, tmp_path / "one")
    second = collect_of({**chain, "15.js": "export const changed = 1;\n"}, tmp_path / "two")
    assert all(first[name] != second[name] for name in chain)  # a change reaches every name above it
