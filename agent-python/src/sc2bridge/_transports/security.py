"""Who a bridge is, which TLS shows, and who asks it, which a token shows."""

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

# OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH.
OTHER_HOST = (62, 64)

# To look why there is no connection takes no longer, in seconds.
_LOOK = 1.0

# What a client of HTTP/2 begins with (RFC 9113, section 3.4): no settings. The server answers with its own.
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))

# Python has a name for it since 3.10.
_PARTIAL_CHAIN = 0x80000


# What a header may hold.
_TOKEN = "[!-~]+"


@dataclass(frozen=True)
class Tls:
    """How a bridge at `grpcs://` or `wss://` is known, and this client to it. Files are PEM.

    With neither `ca` nor `fingerprint` they are what the environment's SC2BRIDGE_CA and SC2BRIDGE_FINGERPRINT say, and
    where it says nothing the system's authorities are trusted.
    """

    ca: Optional[_Path] = None
    """The certificates that are trusted in place of the system's: an authority's, or the bridge's own."""
    cert: Optional[_Path] = None
    """This client's certificate with its chain, for a bridge that asks for one."""
    key: Optional[_Path] = None
    """Its private key, not encrypted; None where it is in `cert`."""
    fingerprint: Optional[str] = None
    """SHA-256 of the bridge's certificate, as the bridge prints it. No other is trusted, and this one under any name."""


class Security:
    """How a connection knows its bridge, and what it shows."""

    def __init__(self, address: Address, token: Optional[str], tls: Optional[Tls]) -> None:
        """Raises ValueError for what is no token, no fingerprint or no such file."""
        self._address = address
        self._token = _checked(os.environ.get("SC2BRIDGE_TOKEN", "") if token is None else token)
        self.trust: Optional[Trust] = None
        if address.is_secure:
            self.trust = Trust(address, tls or Tls())
        elif tls is not None:
            raise ValueError(f"{address.target} is no address for TLS: give grpcs://HOST:PORT or wss://HOST:PORT/v1")
        elif self._token and not address.is_local and address.target not in _warned:
            _warned.add(address.target)
            _log.warning("the token goes to %s in plain text, for all who listen: TLS hides it", address.target)

    @property
    def token(self) -> str:
        """What says who asks; may be empty."""
        return self._token

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What to send with each request."""
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    async def connect(self, network: Network, timeout: float) -> Pipe:
        """Connects, to the right one. Raises BridgeError, OSError, TimeoutError."""
        if self.trust is None:
            return await network.connect(self._address.host, self._address.port, None, timeout)
        return await self.trust.connect(network, self.trust.context, timeout)

    async def reason(self, network: Network, lost: ConnectionLostError) -> BridgeError:
        """A clearer error, for a connection that could not be made; the same where there is none."""
        if self._address.is_unix:
            return lost
        try:
            if self.trust is None:
                address = self._address
                (await network.connect(address.host, address.port, _trusting(), _LOOK)).close()
                return _wrong(
                    f"{address.target} speaks TLS: give {'grpcs' if address.transport == 'grpc' else 'wss'}:// in its address"
                )
            await self.trust.look(network, _LOOK)
        except BridgeError as clearer:
            return clearer
        except (OSError, TimeoutError):
            pass
        return lost


_warned: set[str] = set()
"""Where a token was sent to in plain text."""


class Trust:
    """Which certificates are good, and this client's own."""

    def __init__(self, address: Address, tls: Tls) -> None:
        """Raises ValueError."""
        ca, fingerprint = tls.ca, tls.fingerprint
        if not ca and not fingerprint:
            ca, fingerprint = os.environ.get("SC2BRIDGE_CA"), os.environ.get("SC2BRIDGE_FINGERPRINT")
        if ca and fingerprint:
            raise ValueError("choose a CA or a fingerprint, not both")
        if tls.key and not tls.cert:
            raise ValueError(f"{tls.key}: give the certificate of this key, too")
        self._address = address
        self._spoken = "h2" if address.transport == "grpc" else "http/1.1"
        self._fingerprint = _digits(fingerprint) if fingerprint else None
        self._files = tls.cert or "", tls.key, lambda: ""  # Asks nobody for a password.
        # As grpcio takes them; None for those that it brings.
        self.roots = _read(ca or ssl.get_default_verify_paths().cafile)
        self.chain = _read(tls.cert)
        self.key = _read(tls.key or tls.cert)
        self.context = self._context(ca)

    async def connect(self, network: Network, context: ssl.SSLContext, timeout: float) -> Pipe:
        """Connects, to the right one. Raises BridgeError, OSError, TimeoutError."""
        try:
            pipe = await network.connect(self._address.host, self._address.port, context, timeout)
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionResetError):
            raise ConnectionLostError(
                f"{self._address.target} closed before TLS was agreed on: check that it runs, and that it speaks TLS"
            ) from None
        except ssl.SSLError as error:
            raise self._error(error) from None
        shown = hashlib.sha256(pipe.tls.getpeercert(True) or b"").hexdigest()
        if self._fingerprint in (None, shown):
            return pipe
        pipe.close()
        raise _wrong(
            f"the certificate of {self._address.target} has another fingerprint, sha256:{shown}: compare with what the bridge"
            " prints, as somebody may stand between"
        )

    async def look(self, network: Network, timeout: float) -> bytes:
        """The certificate of a bridge (DER) that speaks to this client.

        Raises BridgeError, OSError, TimeoutError.
        """
        pipe = await self.connect(network, self.context, timeout)
        try:
            certificate: bytes = pipe.tls.getpeercert(True)
            # Whom it does not welcome it tells behind the handshake, by TLS 1.3.
            if self._spoken == "h2":
                pipe.write(_PREFACE)
            if not await pipe.read(timeout):
                raise self._unwelcome()
        finally:
            pipe.close()
        return certificate

    async def known(self, network: Network, timeout: float) -> tuple[Optional[bytes], Optional[str]]:
        """What grpcio is to trust (PEM; None for what it brings), and by which name; None for the address's.

        Raises BridgeError, OSError, TimeoutError.
        """
        shown = await self.look(network, timeout)  # As it would print what is wrong, and tell less.
        if self._fingerprint is None:
            return self.roots, None
        certificate = ssl.DER_cert_to_PEM_cert(shown)
        # Names are told of a certificate that was verified.
        verified = _private(ssl.create_default_context(cadata=certificate))
        verified.set_alpn_protocols([self._spoken])
        verified.check_hostname = False
        if self.chain:
            verified.load_cert_chain(*self._files)
        pipe = await self.connect(network, verified, timeout)
        of_it = pipe.tls.getpeercert()
        pipe.close()
        names = [name for kind, name in of_it.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
        names += [value for pairs in of_it.get("subject", ()) for kind, value in pairs if kind == "commonName"]
        if not names:
            raise _wrong(
                f"the certificate of {self._address.target} has no name, which gRPC needs: use a WebSocket, or a CA"
            )
        return certificate.encode(), names[0].replace("*", "any")

    def _context(self, ca: Optional[_Path]) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=ca or None)
            if ca:
                _private(context)
        except ssl.SSLError:
            raise ValueError(f"{ca}: no certificate in PEM") from None
        context.set_alpn_protocols([self._spoken])
        if self._fingerprint:  # `connect` compares it, which is stricter than authorities and names.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.chain:
            try:
                context.load_cert_chain(*self._files)
            except ssl.SSLError as error:
                raise ValueError(
                    f"{self._files[0]}: no certificate and its key, not encrypted, in PEM ({error.reason})"
                ) from None
        return context

    def _error(self, error: ssl.SSLError) -> BridgeError:
        """A handshake that failed."""
        target, reason = self._address.target, error.reason or type(error).__name__
        if isinstance(error, ssl.SSLCertVerificationError):
            if error.verify_code in OTHER_HOST:
                return _wrong(
                    f"the certificate of {target} is for other hosts ({error.verify_message}): connect to one that it names,"
                    " or give its fingerprint (--fingerprint, Tls(fingerprint=…))"
                )
            return _wrong(
                f"the certificate of {target} is not trusted ({error.verify_message}): give its CA (--ca, Tls(ca=…)) or the"
                " fingerprint that the bridge prints (--fingerprint, Tls(fingerprint=…))"
            )
        if "ALERT" in reason:
            return self._unwelcome(reason)
        return _wrong(
            f"{target} does not speak TLS ({reason}): start the bridge with --tls-self-signed or --tls-cert, or give"
            f" {'grpc' if self._address.transport == 'grpc' else 'ws'}:// for plain text"
        )

    def _unwelcome(self, reason: str = "closed") -> BridgeError:
        """A bridge that will have nothing to do with this client, whose certificate is what it has to judge by."""
        own = (
            f"the certificate {self._files[0]}"
            if self.chain
            else "a client without a certificate (--cert, Tls(cert=…))"
        )
        return _wrong(
            f"{self._address.target} does not take {own}, or not this TLS ({reason}): ask who runs the bridge"
        )


def _wrong(message: str) -> BridgeError:
    """What connecting again will not mend."""
    return BridgeError(FAILED_PRECONDITION, message)


def _private(context: ssl.SSLContext) -> ssl.SSLContext:
    """As certificates are that one makes for oneself: an authority's need not be the last of the chain, nor have all that
    RFC 5280 asks of a public one."""
    context.verify_flags |= _PARTIAL_CHAIN
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    return context


def _trusting() -> ssl.SSLContext:
    """For a look at who is there."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _read(path: Optional[_Path]) -> Optional[bytes]:
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


def token_in(path: _Path) -> str:
    """The token that a file holds. Raises ValueError."""
    token = (_read(path) or b"").decode("ascii", "replace").strip()
    if re.fullmatch(_TOKEN, token):
        return token
    raise ValueError(f"{path}: it must hold one token, and nothing else")


def _checked(token: str) -> str:
    """A token that a header may hold. No error shows what is none."""
    token = token.strip()
    if not token or re.fullmatch(_TOKEN, token):
        return token
    raise ValueError("the token has blanks or letters that no token has: give it alone, as the bridge printed it")


def _digits(fingerprint: str) -> str:
    digits = re.sub("^sha-?256[:=]", "", fingerprint.strip().lower()).replace(":", "")
    if re.fullmatch("[0-9a-f]{64}", digits):
        return digits
    raise ValueError(f"fingerprint {fingerprint!r}: give sha256: and 64 hexadecimal digits, as the bridge prints it")
