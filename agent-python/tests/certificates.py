"""Certificates that openssl makes for each test run: an authority's, a bridge's, a client's."""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import ssl
import subprocess

import pytest


class Certificates:
    """Files (PEM) with a certificate and its key. The authority's file has no key."""

    def __init__(self, folder: pathlib.Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl")
        self._folder = folder
        self.ca = self._make("ca", "-addext", "keyUsage=critical,keyCertSign", signed=False)
        self.bridge = self._make("bridge", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.elsewhere = self._make("elsewhere", "-addext", "subjectAltName=DNS:elsewhere.example")
        self.client = self._make("client")
        self.own = self._make("own", "-addext", "subjectAltName=DNS:elsewhere.example", signed=False)
        self.nameless = self._make("nameless", signed=False)

    def fingerprint(self, path: pathlib.Path) -> str:
        certificate = path.read_text().partition("-----END PRIVATE KEY-----\n")[2] or path.read_text()
        return "sha256:" + hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()

    def _make(self, name: str, *more: str, signed: bool = True) -> pathlib.Path:
        key, certificate, both = (self._folder / f"{name}.{kind}" for kind in ("key", "crt", "pem"))
        by = ["-CA", str(self._folder / "ca.crt"), "-CAkey", str(self._folder / "ca.key")] if signed else []
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += [
            "-subj",
            f"/O=sc2bridge's tests/OU={name}",
            "-days",
            "2",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ]
        command += [] if name == "ca" else ["-addext", "basicConstraints=critical,CA:FALSE"]
        subprocess.run([*command, *by, *more], check=True, capture_output=True)
        if name == "ca":
            return certificate
        both.write_text(key.read_text() + certificate.read_text())
        return both
