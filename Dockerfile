# The image of the bridge with the simulated game, and with --target agent the image for agents in Python. Both contain files of
# dist/, so run tools/package first. tools/test-image builds and runs both images without a container engine.
#
# For a release, .github/workflows/release.yml sets these base images by their digests.
ARG BASE_IMAGE=debian:bookworm-slim
ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS agent
LABEL org.opencontainers.image.title=sc2bridge-agent org.opencontainers.image.version=0.1.0 org.opencontainers.image.licenses=Apache-2.0 \
    org.opencontainers.image.source=https://github.com/sc2bridge/sc2bridge
# Options of pip, for example --no-index --find-links FOLDER on a machine that cannot reach PyPI.
ARG PIP_OPTIONS=
COPY dist/*-none-any.whl /tmp/
RUN python3 -m venv /opt/sc2bridge \
    && /opt/sc2bridge/bin/pip install --no-cache-dir $PIP_OPTIONS /tmp/*.whl \
    && rm /tmp/*.whl
RUN useradd --create-home --uid 10001 agent
USER agent
WORKDIR /home/agent
ENTRYPOINT ["/opt/sc2bridge/bin/python", "-m", "sc2bridge"]
CMD ["run", "sc2bridge.agents:Watcher", "--bridge", "grpc://bridge:50051"]

# Selects the program for the processor of this image.
FROM ${BASE_IMAGE} AS program
COPY dist/bin /programs
RUN mv "/programs/linux-$(dpkg --print-architecture | sed s/amd64/x64/)" /program

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title=sc2bridge org.opencontainers.image.version=0.1.0 org.opencontainers.image.licenses=Apache-2.0 \
    org.opencontainers.image.source=https://github.com/sc2bridge/sc2bridge
# The program loads OpenSSL when it first needs it: for the handshake of a WebSocket, and for TLS.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libssl3 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=program /program/LICENSE /program/*NOTICES* /usr/share/doc/sc2bridge/
COPY --from=program /program/sc2bridge /usr/local/bin/
RUN useradd --create-home --uid 10001 bridge && mkdir /matches && chown bridge /matches
USER bridge
# The bridge writes matches here. It writes to no other folder except /tmp, so the root can be read-only.
VOLUME /matches
WORKDIR /matches
EXPOSE 50051 8765
# This check needs port 8765 of --web, as in CMD below, without TLS.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8765 && printf 'GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["sc2bridge"]
# Clients outside of this container need a token. If SC2BRIDGE_TOKENS is not set, the bridge creates a token and prints it with the
# address.
CMD ["match", "--no-agents", "--wait", "1", "--grpc", "0.0.0.0:50051", "--web", "0.0.0.0:8765"]
