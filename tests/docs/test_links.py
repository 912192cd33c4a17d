"""What the documentation points to is there."""

import re
import subprocess

import pytest
from launch import ROOT

PAGES = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page):
    """Of its headings, as they are made of their words."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page):
    wrong = []
    for file, anchor in LINK.findall((ROOT / page).read_text()):
        if "://" in file:
            continue
        target = (ROOT / page).parent / file if file else ROOT / page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(f"{file}#{anchor}")
    assert not wrong
