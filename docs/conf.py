"""The documentation site: `tools/build_docs.py` builds it with Sphinx from the Markdown pages of the repository.

The pages are written for GitHub. Here they get what only the site needs: the order of the sidebar, which is the order of
docs/README.md; addresses of files that are not pages; one page for each public module of the Python package; the demo.
"""

from __future__ import annotations

import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(ROOT / "tools"), str(ROOT / "agent-python/src")]

import api_pages  # noqa: E402
import package_page  # noqa: E402

REPOSITORY = package_page.property_of("RepositoryUrl")
VIEWER = ROOT / "agent-js/page/viewer/dist/sc2bridge-viewer.html"
SAMPLE = ROOT / "recordings/sample.mcap"
DEMO_PAGE = f"{DOCS.name}/demo.md"
DEMO = f"""# Demo
This is [the viewer](guide/page.md#the-viewer) with [a recording](../recordings/README.md) of a simulated match. It plays by
itself. Select a unit on the map, or move in time below it. You can also <a href="../{VIEWER.name}?file={SAMPLE.name}">open the viewer alone</a>.

<iframe class="demo" title="The viewer with a recorded match" src="../{VIEWER.name}?file={SAMPLE.name}"></iframe>
"""

TRACKED = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
    "\0"
)
PAGES = [name for name in TRACKED if name.endswith((".md", ".ipynb"))]

# ---- the settings of Sphinx -------------------------------------------------------------------------------------------------
project = "sc2bridge"
copyright = "the authors of sc2bridge"
root_doc = "README"
extensions = ["myst_parser", "nbsphinx", "sphinx.ext.autodoc", "sphinx.ext.imgmath"]
html_math_renderer = (
    "imgmath"  # The default, which nbsphinx adds to each notebook, loads MathJax from a server. No page has formulas.
)
include_patterns = [*PAGES, DEMO_PAGE, "docs/api/*.md"]
exclude_patterns = [".*", "**/node_modules", "**/bin", "**/obj", "build", "out", "dist", "TestResults"]
html_theme = "furo"
html_title = "sc2bridge"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = [str(VIEWER), str(SAMPLE)]
html_copy_source = False
html_favicon = str(ROOT / "agent-js/page/public/icon.svg")
myst_heading_anchors = 6
nbsphinx_execute = "never"
nbsphinx_requirejs_path = ""  # By default, nbsphinx loads RequireJS from a server. The notebooks have no widgets.
autodoc_default_options = {"members": True, "show-inheritance": True, "inherited-members": api_pages.PLAIN_BASES}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_mock_imports = api_pages.MISSING
default_role = "literal"
nitpicky = True
# Types of other packages, of messages, aliases of types, and types that are not public.
nitpick_ignore_regex = [
    ("py:.*", rf"~?_.*|[^.]+|(?!sc2bridge\.).*|sc2bridge(\..*)?(_pb2\..*|\._.*|\.({'|'.join(api_pages.BASES)}))"),
]

# ---- the pages --------------------------------------------------------------------------------------------------------------
# A piece of code, or the target of a link. Code contains no links.
CODE_OR_LINK = re.compile(
    r"^(?P<fence>```|~~~).*?^(?P=fence)|(?P<ticks>`+)[^`].*?(?P=ticks)|(?<=\]\()(?P<target>[^)\s:]+)(?=\))",
    re.MULTILINE | re.DOTALL,
)
DEBIAN_STYLES = "/javascript/normalize.css/normalize.css"
PICTURES = (".png", ".svg")


def linked_file(target: str, page: str) -> str:
    """The path in the repository of the file or folder to which a relative link points."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target.partition("#")[0]))


def site_link(target: str, page: str) -> str:
    """The target of a link as the site needs it: the address on the web of a file that is not on the site."""
    file = linked_file(target, page)
    if target.startswith("#") or file in include_patterns or file.endswith(PICTURES):
        return target
    kind = "tree" if (ROOT / file).is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{file}{''.join(target.partition('#')[1:])}"


def toctree(caption: str, pages: list[str]) -> str:
    """A part of the sidebar. pages: paths in the repository."""
    return "\n".join(
        ["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *(f"/{page}" for page in pages), "```", ""]
    )


def sidebar() -> str:
    """The pages in the order of docs/README.md, then all others outside docs/. Sphinx reports a page in docs/ that is missing."""
    made, single, listed = "", [], {"README.md"}
    for section in re.split(r"^## ", (DOCS / "README.md").read_text("utf-8"), flags=re.MULTILINE):
        links = [
            linked_file(found["target"], "docs/README.md")
            for found in CODE_OR_LINK.finditer(section)
            if found["target"]
        ]
        new = [file for file in dict.fromkeys(links) if file in PAGES and file not in listed and file.endswith(".md")]
        listed.update(new)
        if section.startswith("# "):
            new = ["docs/README.md", DEMO_PAGE, *new]
        if len(new) == 1:
            single += new
        else:
            made += toctree(section.partition("\n")[0].lstrip("# "), new)
    others = [page for page in PAGES if page not in listed and not page.startswith("docs/")]
    return made + toctree("Project", [*single, *others])


def complete_page(app: Sphinx, docname: str, source: list[str]) -> None:
    page = str(pathlib.Path(app.env.doc2path(docname)).relative_to(ROOT))
    if not page.endswith(".md") or page == DEMO_PAGE:
        return
    source[0] = CODE_OR_LINK.sub(
        lambda found: site_link(found["target"], page) if found["target"] else found[0], source[0]
    )
    if docname == root_doc:
        source[0] += sidebar()
    elif page == "docs/reference/python.md":
        source[0] += toctree("Modules", [f"docs/api/{name}.md" for name in (*api_pages.MODULES, api_pages.OTHERS)])
    elif posixpath.basename(page) == "README.md" and page.startswith("docs/") and page != "docs/README.md":
        folder = posixpath.dirname(page)
        source[0] += toctree("Pages", [each for each in PAGES if each.startswith(f"{folder}/") and each != page])


def make_pages(app: Sphinx) -> None:
    (ROOT / DEMO_PAGE).write_text(DEMO, "utf-8")
    api_pages.write(DOCS / "api")


def repair_theme(static: pathlib.Path) -> None:
    """Repairs Debian's Furo, which is not bundled: a style sheet is on Debian's web servers, the script imports another, and dark
    colours need a click. Does nothing to the Furo of PyPI."""
    for styles in (static / "styles").glob("*.css"):
        text = styles.read_text("utf-8")
        if DEBIAN_STYLES in text:
            shutil.copy(f"/usr/share{DEBIAN_STYLES}", styles.parent)
            dark = re.search(r'body\[data-theme="dark"\] (\{[^}]*\})', text)
            colours = dark[1] if dark else "{}"
            text += f'@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {colours} }}\n'
            styles.write_text(text.replace(DEBIAN_STYLES, posixpath.basename(DEBIAN_STYLES)), "utf-8")
    script = static / "scripts/furo.js"
    first, _, rest = script.read_text("utf-8").partition("\n")
    if first.startswith("import Gumshoe"):
        script.write_text((script.parent / "gumshoe-patched.js").read_text("utf-8") + rest, "utf-8")


def complete_site(app: Sphinx, error: Exception | None) -> None:
    """Adds index.html, which servers open."""
    if not error:
        site = pathlib.Path(app.outdir)
        shutil.copy(site / f"{root_doc}.html", site / "index.html")
        repair_theme(site / "_static")


def setup(app: Sphinx) -> dict[str, Any]:
    for name in ("bat", "facts", "map", "mermaid", "plan"):
        app.add_lexer(name, TextLexer)
    app.connect("builder-inited", make_pages)
    app.connect("source-read", complete_page)
    app.connect("build-finished", complete_site)
    app.connect("autodoc-process-docstring", api_pages.as_rst)
    return {"parallel_read_safe": True}
