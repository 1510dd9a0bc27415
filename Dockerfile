# The bridge and the simulated game, and on the way to them (--target agent) an image for agents in Python. Both hold what
# tools/package makes, so make that first; tools/test-image builds and runs both without an engine.
#
# The release's workflow (.github/workflows/release.yml) gives the base images by their digests.
ARG BASE_IMAGE=debian:bookworm-slim
ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS agent
# Such as --no-index --find-links FOLDER, where PyPI is not reached.
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

# The program of this image's system.
FROM ${BASE_IMAGE} AS program
COPY dist/bin /programs
RUN mv "/programs/linux-$(dpkg --print-architecture | sed s/amd64/x64/)" /program

FROM ${BASE_IMAGE}
# OpenSSL is loaded when it is first needed: by a WebSocket's handshake, and by TLS.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libssl3 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=program /program/LICENSE /program/*NOTICES* /usr/share/doc/sc2bridge/
COPY --from=program /program/sc2bridge /usr/local/bin/
RUN useradd --create-home --uid 10001 bridge && mkdir /matches && chown bridge /matches
USER bridge
# Matches go here, and nothing elsewhere but into /tmp: the root may be read-only.
VOLUME /matches
WORKDIR /matches
EXPOSE 50051 8765
# Not where --web names another address, or TLS is spoken.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8765 && printf 'GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["sc2bridge"]
# Beyond loopback a client needs a token: one is made and printed with the address, or give SC2BRIDGE_TOKENS.
CMD ["match", "--no-agents", "--wait", "1", "--grpc", "0.0.0.0:50051", "--web", "0.0.0.0:8765"]
