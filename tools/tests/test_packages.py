"""Tests of the files of a release: one version, the repository's addresses, and links that work on the pages of packages."""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import sys
import tarfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_links
import check_packages
import package_page
import parts_list

VERSION, ADDRESS = package_page.property_of("VersionPrefix"), package_page.property_of("RepositoryUrl")


@pytest.mark.parametrize(
    ("file", "pattern", "count"),
    [
        ("agent-python/src/sc2bridge/__init__.py", r'^__version__ = "(.*)"$', 1),
        ("agent-js/package.json", r'^  "version": "(.*)",$', 1),
        ("agent-js/package-lock.json", r'"name": "sc2bridge",\n +"version": "(.*)",$', 2),
        ("agent-js/src/protocol/versions.ts", r'VERSION = "(.*)"', 1),
        ("agent-js/page/package.json", r'^  "version": "(.*)",$', 1),
        ("agent-js/page/package-lock.json", r'"name": "sc2bridge-page",\n +"version": "(.*)",$', 2),
        ("Dockerfile", r"image\.version=(\S+)", 2),
        ("CHANGELOG.md", r"\A(?:(?!^## )[\s\S])*^## (\S+)", 1),
    ],
)
def test_the_sources_have_one_version(file: str, pattern: str, count: int) -> None:
    assert re.findall(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE) == [VERSION] * count


@pytest.mark.parametrize("file", ["agent-python/pyproject.toml", "agent-js/package.json", "Dockerfile"])
def test_the_packages_name_one_repository(file: str) -> None:
    found = re.findall(r"https://github\.com/[\w-]+/sc2bridge(?![\w-])", (ROOT / file).read_text("utf-8"))
    assert found and set(found) == {ADDRESS}


@pytest.mark.parametrize("page", ["README.md", "agent-python/README.md", "agent-js/README.md", "CHANGELOG.md"])
def test_each_link_on_the_page_of_a_package_is_absolute_and_its_file_exists(page: str) -> None:
    text = package_page.with_absolute_links((ROOT / page).read_text("utf-8"), page)
    assert list(check_packages.relative_links(text)) == []
    linked = re.findall(rf"{re.escape(ADDRESS)}/(?:blob|raw)/v{VERSION}/([^\s)]+)", text)
    assert linked
    paths = check_links.tracked_paths()
    assert [target for target in linked if check_links.problem_of("", target, paths)] == []


def test_the_build_of_the_javascript_package_finds_protoc_on_each_system() -> None:
    packages = pathlib.Path(os.environ.get("NUGET_PACKAGES") or pathlib.Path.home() / ".nuget/packages")
    wanted = re.search(
        r'Include="Grpc.Tools" Version="(.*)"', (ROOT / "bridge-csharp/Directory.Packages.props").read_text()
    )
    assert wanted
    tools = packages / "grpc.tools" / wanted[1] / "tools"
    if not tools.is_dir():
        pytest.skip("Grpc.Tools is missing: build the bridge")
    others = re.findall(
        r'\w+: "(\w+)"', (ROOT / "agent-js/generate.js").read_text().partition("SYSTEMS")[2].partition("}")[0]
    )
    assert len(others) == 2
    for system in ("linux_x64", "linux_arm64", *others):
        assert list((tools / system).glob("protoc*")), f"Grpc.Tools {wanted[1]} has no protoc for {system}"


def test_links_in_code_stay_as_they_are_and_pictures_get_their_bytes() -> None:
    page = (
        "`[a](b.md)` ![c](d.png) [e](../f.md#g) [h](#i) <https://j>\n```\n[k](l.md)\n```\n[m]: n.md\n[o](https://p)\n"
    )
    here = f"{ADDRESS}/blob/v{VERSION}"
    assert package_page.with_absolute_links(page, "docs/README.md") == (
        f"`[a](b.md)` ![c]({ADDRESS}/raw/v{VERSION}/docs/d.png) [e]({here}/f.md#g) [h]({here}/docs/README.md#i) <https://j>\n"
        f"```\n[k](l.md)\n```\n[m]: {here}/docs/n.md\n[o](https://p)\n"
    )


def test_the_text_of_a_release_is_its_section_of_the_changelog() -> None:
    changelog = "# Changelog\n\n## 0.2.0 (2027-01-01)\nNew.\n\n### A\n- b\n\n## 0.1.0\nOld.\n"
    assert package_page.section_of(changelog, "0.2.0") == "New.\n\n### A\n- b\n"
    assert package_page.section_of(changelog, "0.1.0") == "Old.\n"
    with pytest.raises(SystemExit, match="no section for 0.3.0"):
        package_page.section_of(changelog, "0.3.0")


def make_dist(dist: pathlib.Path, version: str = VERSION, address: str = ADDRESS, link: str = "https://a/b") -> None:
    """Makes small files of each kind of a release."""
    page = f"[a page]({link})\n"
    urls = "".join(f"Project-URL: {label}, {address}/{label}\n" for label in check_packages.URLS)
    metadata = f"Metadata-Version: 2.1\nName: sc2bridge\nVersion: {version}\n{urls}\n{page}"
    nuspec = f"<version>{version}</version><projectUrl>{address}</projectUrl><releaseNotes>{address}/x</releaseNotes>"
    about = {
        "version": version,
        "homepage": address,
        "repository": {"url": f"git+{address}.git"},
        "bugs": f"{address}/issues",
    }
    archives = {
        f"sc2bridge-{version}-py3-none-any.whl": {f"sc2bridge-{version}.dist-info/METADATA": metadata},
        f"sc2bridge.{version}.nupkg": {
            "sc2bridge.nuspec": f'{nuspec}<repository type="git" url="{address}" />',
            "README.md": page,
        },
        f"sc2bridge-{version}.tar.gz": {f"sc2bridge-{version}/PKG-INFO": metadata},
        f"sc2bridge-{version}-linux-x64.tar.gz": {f"sc2bridge-{version}-linux-x64/sc2bridge": "program"},
        f"sc2bridge-{version}.tgz": {"package/package.json": json.dumps(about), "package/README.md": page},
    }
    for name, files in archives.items():
        if name.endswith("gz"):
            with tarfile.open(dist / name, "w:gz") as packed:
                for inner, text in files.items():
                    entry = tarfile.TarInfo(inner)
                    entry.size = len(text)
                    packed.addfile(entry, io.BytesIO(text.encode()))
        else:
            with zipfile.ZipFile(dist / name, "w") as archive:
                for inner, text in files.items():
                    archive.writestr(inner, text)
    (dist / "sc2bridge-viewer.html").write_text(f'<meta name="generator" content="sc2bridge {version}">')
    found = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": []}
    for purl in ("pkg:nuget/Tomlyn@1", "pkg:npm/ws@8"):
        found["components"].append({"type": "library", "name": purl, "purl": purl})
    listed = parts_list.parts_list(found)
    listed["metadata"]["component"]["version"] = version
    (dist / "sc2bridge.cdx.json").write_text(json.dumps(listed))


def test_a_whole_release_has_no_problem(tmp_path: pathlib.Path) -> None:
    make_dist(tmp_path)
    assert check_packages.problems_of(tmp_path, set()) == []


def test_a_wheel_for_a_system_without_the_native_library_is_found(tmp_path: pathlib.Path) -> None:
    make_dist(tmp_path)
    pure = (tmp_path / f"sc2bridge-{VERSION}-py3-none-any.whl").read_bytes()
    for name, library in (("win_amd64", "sc2bridge.dll"), ("macosx_14_0_arm64", "another.dylib")):
        wheel = tmp_path / f"sc2bridge-{VERSION}-py3-none-{name}.whl"
        wheel.write_bytes(pure)
        with zipfile.ZipFile(wheel, "a") as packed:
            packed.writestr(f"sc2bridge/{library}", "")
    (problem,) = check_packages.problems_of(tmp_path, set())
    assert "macosx_14_0_arm64.whl: it has no native library" in problem
    assert check_packages.problems_of(tmp_path, {"library"}) == []


def test_another_version_is_found_in_each_file(tmp_path: pathlib.Path) -> None:
    make_dist(tmp_path, version="9.8.7")
    problems = check_packages.problems_of(tmp_path, set())
    assert len(problems) == 7 and all(f"its version is '9.8.7', not {VERSION}" in problem for problem in problems)


def test_another_address_and_a_relative_link_are_found_in_each_package(tmp_path: pathlib.Path) -> None:
    make_dist(tmp_path, address="https://elsewhere.example/sc2bridge", link="../docs/guide.md")
    problems = check_packages.problems_of(tmp_path, set())
    assert sum("has the relative link ../docs/guide.md" in problem for problem in problems) == 4
    assert sum("it has no address of its" in problem for problem in problems) == 5 + 5 + 3 + 3


def test_missing_files_and_unknown_files_are_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "sc2bridge-old.zip").write_text("old")
    problems = check_packages.problems_of(tmp_path, {"npm", "viewer"})
    assert len(problems) == 6 and "dist/ has no file of the kind sdist" in problems
    assert "sc2bridge-old.zip: no release has this file: remove it" in problems


def test_the_list_of_parts_is_the_same_each_time_and_names_the_product() -> None:
    part = {"type": "library", "name": "ws", "version": "8", "purl": "pkg:npm/ws@8", "evidence": "a path"}
    found = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [part], "metadata": {"timestamp": "now"}}
    first = parts_list.parts_list(found)
    assert first == parts_list.parts_list(found)
    assert first["metadata"]["component"]["version"] == VERSION and first["serialNumber"].startswith("urn:uuid:")
    names = {component["name"] for component in first["components"]}
    assert {"ws", "protobuf", "grpcio", "numpy"} <= names and "evidence" not in first["components"][0]
