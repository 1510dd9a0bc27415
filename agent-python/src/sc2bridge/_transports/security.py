"""TLS, which verifies the bridge, and the token, which authenticates this client."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import ssl
from dataclasses import dataclass
from typing import Optional, Union

from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network, Pipe
from sc2bridge.errors import FAILED_PRECONDITION, BridgeError, ConnectionLostError

_log = logging.getLogger("sc2bridge")

_Path = Union[str, "os.PathLike[str]"]

# OpenSSL's codes for a certificate of another host: X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH.
OTHER_HOST_CODES = (62, 64)

# The time limit in seconds for finding out why a connection failed.
_DIAGNOSIS_TIMEOUT = 1.0

# The first bytes of an HTTP/2 connection, with empty settings (RFC 9113, section 3.4). The server answers them.
_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))

# ssl.VERIFY_X509_PARTIAL_CHAIN, a name that Python has since 3.10.
_PARTIAL_CHAIN = 0x80000

# The characters that a token in a header may have.
_TOKEN = "[!-~]+"


@dataclass(frozen=True)
class Tls:
    """How to verify a bridge at `grpcs://` or `wss://`, and this client's own certificate. The files are in PEM format.

    Without `ca` and `fingerprint`, the environment variables SC2BRIDGE_CA and SC2BRIDGE_FINGERPRINT apply. If these are
    also missing, the system's certificate authorities are trusted.
    """

    ca: Optional[_Path] = None
    """A file with certificates to trust instead of the system's: an authority's, or the bridge's own."""
    cert: Optional[_Path] = None
    """A file with this client's certificate and its chain, if the bridge requires a certificate."""
    key: Optional[_Path] = None
    """A file with the private key of `cert`, not encrypted; None if `cert` contains the key."""
    fingerprint: Optional[str] = None
    """SHA-256 of the bridge's certificate, as the bridge prints it. Only this certificate is trusted, with any host
    name."""


class Security:
    """The TLS settings and the token of a connection."""

    def __init__(self, address: Address, token: Optional[str], tls: Optional[Tls]) -> None:
        """Raises ValueError for an invalid token or fingerprint, and for a missing or invalid file."""
        self._address = address
        self._token = _checked_token(os.environ.get("SC2BRIDGE_TOKEN", "") if token is None else token)
        self.trust: Optional[Trust] = None
        if address.is_secure:
            self.trust = Trust(address, tls or Tls())
        elif tls is not None:
            raise ValueError(f"{address.target} is not a TLS address: use grpcs://HOST:PORT or wss://HOST:PORT/v1")
        elif self._token and not address.is_local and address.target not in _warned_targets:
            _warned_targets.add(address.target)
            _log.warning("the token is sent to %s in plain text: use TLS to protect it", address.target)

    @property
    def token(self) -> str:
        """The token; empty for no token."""
        return self._token

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    async def connect(self, network: Network, timeout: float) -> Pipe:
        """Connects and verifies the bridge. Raises BridgeError, OSError, TimeoutError."""
        if self.trust is None:
            return await network.connect(self._address.host, self._address.port, None, timeout)
        return await self.trust.connect(network, self.trust.context, timeout)

    async def clearer_error(self, network: Network, lost: ConnectionLostError) -> BridgeError:
        """Tries to find out why a connection was lost. Returns a clearer error, or `lost` if the reason is unknown."""
        if self._address.is_unix:
            return lost
        try:
            if self.trust is None:
                address = self._address
                (await network.connect(address.host, address.port, _accept_all_context(), _DIAGNOSIS_TIMEOUT)).close()
                return _permanent_error(
                    f"{address.target} speaks TLS: use {'grpcs' if address.transport == 'grpc' else 'wss'}://"
                )
            await self.trust.checked_certificate(network, _DIAGNOSIS_TIMEOUT)
        except BridgeError as clearer:
            return clearer
        except (OSError, TimeoutError):
            pass
        return lost


_warned_targets: set[str] = set()
"""The targets for which the plain-text warning was already logged."""


class Trust:
    """The trusted certificates, and this client's own certificate."""

    def __init__(self, address: Address, tls: Tls) -> None:
        """Raises ValueError."""
        ca, fingerprint = tls.ca, tls.fingerprint
        if not ca and not fingerprint:
            ca, fingerprint = os.environ.get("SC2BRIDGE_CA"), os.environ.get("SC2BRIDGE_FINGERPRINT")
        if ca and fingerprint:
            raise ValueError("both a CA and a fingerprint were given: choose a CA or a fingerprint")
        if tls.key and not tls.cert:
            raise ValueError(f"{tls.key}: give the certificate of this key too (cert=)")
        self._address = address
        self._application_protocol = "h2" if address.transport == "grpc" else "http/1.1"
        self._fingerprint = _fingerprint_digits(fingerprint) if fingerprint else None
        self._pem_files = tls.cert or "", tls.key, lambda: ""  # The function prevents a password prompt.
        # The certificates for grpcio. None: grpcio's own root certificates.
        self.roots = _read_file(ca or ssl.get_default_verify_paths().cafile)
        self.chain = _read_file(tls.cert)
        self.key = _read_file(tls.key or tls.cert)
        self.context = self._create_context(ca)

    async def connect(self, network: Network, context: ssl.SSLContext, timeout: float) -> Pipe:
        """Connects and verifies the bridge. Raises BridgeError, OSError, TimeoutError."""
        try:
            pipe = await network.connect(self._address.host, self._address.port, context, timeout)
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionResetError):
            raise ConnectionLostError(
                f"{self._address.target} disconnected during the TLS handshake: check that it runs and speaks TLS"
            ) from None
        except ssl.SSLError as error:
            raise self._tls_error(error) from None
        fingerprint = hashlib.sha256(pipe.tls.getpeercert(True) or b"").hexdigest()
        if self._fingerprint in (None, fingerprint):
            return pipe
        pipe.close()
        raise _permanent_error(
            f"the certificate of {self._address.target} has another fingerprint, sha256:{fingerprint}: compare it with"
            " the fingerprint that the bridge prints; another program may intercept the connection"
        )

    async def checked_certificate(self, network: Network, timeout: float) -> bytes:
        """Connects, and checks that the bridge accepts this client. Returns the bridge's certificate (DER).

        Raises BridgeError, OSError, TimeoutError.
        """
        pipe = await self.connect(network, self.context, timeout)
        try:
            certificate: bytes = pipe.tls.getpeercert(True)
            # With TLS 1.3, a server rejects a client's certificate only after the handshake.
            if self._application_protocol == "h2":
                pipe.write(_HTTP2_PREFACE)
            if not await pipe.read(timeout):
                raise self._rejected_error()
        finally:
            pipe.close()
        return certificate

    async def roots_and_name(self, network: Network, timeout: float) -> tuple[Optional[bytes], Optional[str]]:
        """Returns the root certificates for grpcio (PEM; None for grpcio's own), and the name to expect in the bridge's
        certificate (None for the host of the address).

        Raises BridgeError, OSError, TimeoutError.
        """
        # Checks the bridge before grpcio does, because grpcio prints errors and reports them less clearly.
        der_certificate = await self.checked_certificate(network, timeout)
        if self._fingerprint is None:
            return self.roots, None
        pem_certificate = ssl.DER_cert_to_PEM_cert(der_certificate)
        # Python only returns the names of a verified certificate.
        verifying_context = _allow_private_certificates(ssl.create_default_context(cadata=pem_certificate))
        verifying_context.set_alpn_protocols([self._application_protocol])
        verifying_context.check_hostname = False
        if self.chain:
            verifying_context.load_cert_chain(*self._pem_files)
        pipe = await self.connect(network, verifying_context, timeout)
        details = pipe.tls.getpeercert()
        pipe.close()
        names = [name for kind, name in details.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
        names += [value for pairs in details.get("subject", ()) for kind, value in pairs if kind == "commonName"]
        if not names:
            raise _permanent_error(
                f"the certificate of {self._address.target} has no name, but gRPC needs a name: use a WebSocket or a CA"
            )
        return pem_certificate.encode(), names[0].replace("*", "any")

    def _create_context(self, ca: Optional[_Path]) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=ca or None)
            if ca:
                _allow_private_certificates(context)
        except ssl.SSLError:
            raise ValueError(f"{ca}: the file contains no certificate in PEM format") from None
        context.set_alpn_protocols([self._application_protocol])
        if self._fingerprint:  # `connect` compares the fingerprint, which is stricter than the usual checks.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.chain:
            try:
                context.load_cert_chain(*self._pem_files)
            except ssl.SSLError as error:
                raise ValueError(
                    f"{self._pem_files[0]}: expected a certificate and its unencrypted key in PEM format"
                    f" ({error.reason})"
                ) from None
        return context

    def _tls_error(self, error: ssl.SSLError) -> BridgeError:
        target, reason = self._address.target, error.reason or type(error).__name__
        if isinstance(error, ssl.SSLCertVerificationError):
            if error.verify_code in OTHER_HOST_CODES:
                return _permanent_error(
                    f"the certificate of {target} is for other hosts ({error.verify_message}): connect to a host that"
                    " it names, or give its fingerprint (--fingerprint, Tls(fingerprint=…))"
                )
            return _permanent_error(
                f"the certificate of {target} is not trusted ({error.verify_message}): give its CA (--ca, Tls(ca=…)) or"
                " the fingerprint that the bridge prints (--fingerprint, Tls(fingerprint=…))"
            )
        if "ALERT" in reason:
            return self._rejected_error(reason)
        return _permanent_error(
            f"{target} does not speak TLS ({reason}): start the bridge with --tls-self-signed or --tls-cert, or use"
            f" {'grpc' if self._address.transport == 'grpc' else 'ws'}:// for plain text"
        )

    def _rejected_error(self, reason: str = "closed") -> BridgeError:
        """The error for a bridge that rejects this client's certificate, or clients without a certificate."""
        client_text = (
            f"the certificate {self._pem_files[0]}"
            if self.chain
            else "a client without a certificate (--cert, Tls(cert=…))"
        )
        return _permanent_error(
            f"{self._address.target} does not accept {client_text}, or this TLS version ({reason}): ask the bridge's"
            " operator"
        )


def _permanent_error(message: str) -> BridgeError:
    """An error that a retry cannot fix."""
    return BridgeError(FAILED_PRECONDITION, message)


def _allow_private_certificates(context: ssl.SSLContext) -> ssl.SSLContext:
    """Relaxes the checks for private certificates. The trusted certificate need not end the chain, and need not
    meet all rules of RFC 5280."""
    context.verify_flags |= _PARTIAL_CHAIN
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    return context


def _accept_all_context() -> ssl.SSLContext:
    """A context that accepts every certificate, to find out whether the peer speaks TLS."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _read_file(path: Optional[_Path]) -> Optional[bytes]:
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


def read_token(path: _Path) -> str:
    """Reads a token from a file. Raises ValueError."""
    token = (_read_file(path) or b"").decode("ascii", "replace").strip()
    if re.fullmatch(_TOKEN, token):
        return token
    raise ValueError(f"{path}: the file must contain one token and nothing else")


def _checked_token(token: str) -> str:
    """Removes surrounding spaces. Raises ValueError for an invalid token; the error's text lacks the token."""
    token = token.strip()
    if not token or re.fullmatch(_TOKEN, token):
        return token
    raise ValueError("the token has spaces or invalid characters: give only the token, as the bridge printed it")


def _fingerprint_digits(fingerprint: str) -> str:
    digits = re.sub("^sha-?256[:=]", "", fingerprint.strip().lower()).replace(":", "")
    if re.fullmatch("[0-9a-f]{64}", digits):
        return digits
    raise ValueError(f"fingerprint {fingerprint!r}: give sha256: and 64 hexadecimal digits, as the bridge prints it")
