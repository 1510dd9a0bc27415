# The bridge, the simulated game and the Python agents in one image. Each step is one that tools/set-up or tools/test
# exercises outside a container; the image itself has not been built by the project's tests (they have no engine).
#
# The release's workflow (.github/workflows/release.yml) gives the base images by their digests.
ARG NODE_IMAGE=node:22-slim
ARG SDK_IMAGE=mcr.microsoft.com/dotnet/sdk:10.0
ARG RUNTIME_IMAGE=mcr.microsoft.com/dotnet/aspnet:10.0

FROM ${NODE_IMAGE} AS page
WORKDIR /src
COPY proto proto
COPY agent-js agent-js
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends protobuf-compiler \
    && rm -rf /var/lib/apt/lists/*
RUN for package in agent-js agent-js/page; do \
        npm ci --prefix $package --ignore-scripts --no-audit --no-fund && npm run build --prefix $package || exit 1; \
    done

FROM ${SDK_IMAGE} AS build
WORKDIR /src
COPY global.json ./
COPY proto proto
COPY bridge-csharp bridge-csharp
COPY agent-python agent-python
COPY --from=page /src/agent-js/page/dist agent-js/page/dist
RUN dotnet publish bridge-csharp/src/Sc2Bridge.Cli -c Release -o /app

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/sc2bridge
COPY --from=build /app bridge
COPY --from=build /src/agent-python agent-python
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir "./agent-python[all]"
RUN useradd --create-home bridge && mkdir /matches && chown bridge /matches
USER bridge
WORKDIR /matches
ENV SC2BRIDGE_PYTHON_ENVIRONMENT=/opt/sc2bridge/.venv
EXPOSE 50051 8765
ENTRYPOINT ["dotnet", "/opt/sc2bridge/bridge/sc2bridge.dll"]
# Beyond loopback a client needs a token: one is made and printed with the address, or give SC2BRIDGE_TOKENS.
CMD ["match", "--grpc", "0.0.0.0:50051", "--web", "0.0.0.0:8765"]
