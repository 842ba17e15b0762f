"""Fetches the pinned packages of sources.json and checks their hashes."""

import hashlib
import html
import os
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request


def index():
    """The package index that pip itself uses."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
    )
    found = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()
    if not found:
        from pip._internal.models.index import PyPI

        found = PyPI.simple_url
    return found.rstrip("/") + "/"


def from_pypi(source, folder):
    """The source archive as it is published; pip itself would build it."""
    name = re.sub(r"[-_.]+", "-", source["name"]).lower()
    page = urllib.parse.urljoin(index(), name + "/")
    with urllib.request.urlopen(page, timeout=60) as answer:
        links = re.findall(r'href="([^"]+)"', answer.read().decode())
    for link in links:
        address = urllib.parse.urljoin(page, html.unescape(link)).split("#")[0]
        if address.rsplit("/", 1)[-1] == source["file"]:
            break
    else:
        raise LookupError(f"{source['file']} is not in the index")
    with urllib.request.urlopen(address, timeout=300) as answer:
        (folder / source["file"]).write_bytes(answer.read())


def from_npm(source, folder):
    wanted = f"{source['name']}@{source['version']}"
    subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", folder, wanted],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def from_debian(source, folder):
    """`address` is the path of the package on a mirror."""
    mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org").rstrip("/")
    with urllib.request.urlopen(f"{mirror}/{source['address']}", timeout=300) as answer:
        (folder / source["file"]).write_bytes(answer.read())


GETTERS = {"pypi": from_pypi, "npm": from_npm, "debian": from_debian}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(source, folder):
    path = folder / source["file"]
    if not path.exists():
        print("fetching", source["name"], source["version"], flush=True)
        get = GETTERS[source["registry"]]
        for wait in (5, 20, 0):
            try:
                get(source, folder)
                break
            except OSError:
                if not wait:
                    raise
                time.sleep(wait)
    if digest(path) != source["sha256"]:
        raise ValueError(f"{path.name} has another hash than the pinned one")
    return path
