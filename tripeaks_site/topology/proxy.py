"""nginx in front of the topology: our own file, with the addresses of the trial."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from .parts import ROOT

CONFIG: Final = ROOT / "tripeaks_site" / "deploy" / "nginx.conf"


def find_nginx() -> str | None:
    """The program, where it is installed."""
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def nginx_command(folder: Path, listen: str, webs: list[str]) -> list[str]:
    """nginx with our file: on `listen`, before these addresses. What only newer versions know (Docker's names) is left out."""
    text = re.sub(r"^\s*(resolver|zone) .*;$", "", CONFIG.read_text(), flags=re.MULTILINE)

    def servers(line: re.Match[str]) -> str:
        return "\n".join(f"{line[1]}server {web}{line[2]};" for web in webs)

    text = re.sub(r"^(\s*)server \w+:\d+ resolve([^;]*);", servers, text, flags=re.MULTILINE)
    text = text.replace("listen 8080;", f"listen {listen};").replace("/tmp/nginx.pid", str(folder / "nginx.pid"))
    text = text.replace("worker_rlimit_nofile 65536;", "")  # only root may
    text = text.replace("http {", f"http {{ {_folders(folder)}", 1)
    (folder / "nginx.conf").write_text(text)
    # As the user who started it, root included: its folders are ours.
    user = "user root; " if os.geteuid() == 0 else ""
    started = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", f"{user}daemon off;"]
    return [find_nginx() or "nginx", *started]


def _folders(folder: Path) -> str:
    return " ".join(f"{name}_temp_path {folder};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
