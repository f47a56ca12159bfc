# Two images: `node`, a node of a network of validators, and `service`, which every process of ours runs: compose chooses
# the command. Whoever builds the second one does not build the first.

# Nine hundred crates: half an hour on two cores.
FROM rust:1.95.0-bookworm AS node-build
RUN apt-get update && apt-get install -y --no-install-recommends protobuf-compiler clang libclang-dev libssl-dev pkg-config
WORKDIR /accredit
COPY scripts/build-node scripts/build-node
COPY chain/node chain/node
RUN scripts/build-node && mkdir /made && cp "$HOME"/.cache/accredit/node/*/accredit-node /made \
  && cd /made && sha256sum accredit-node > accredit-node.sha256

FROM debian:bookworm-slim AS node
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 libstdc++6 curl && rm -rf /var/lib/apt/lists/*
# The number is that of the service's user, which makes the keys.
RUN useradd --uid 1000 --no-create-home accredit && install -d -o accredit -g accredit -m 700 /data
COPY --from=node-build /made /usr/local/bin
USER accredit
VOLUME ["/data"]
ENTRYPOINT ["accredit-node"]

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.base.json ./
COPY chain/process/package.json chain/process/
COPY chain/client/package.json chain/client/
COPY chain/embedded/package.json chain/embedded/
COPY signer/package.json signer/
COPY indexer/package.json indexer/
COPY api/package.json api/
RUN npm install --no-save --no-audit --no-fund
COPY chain/process chain/process
COPY chain/client chain/client
COPY chain/embedded chain/embedded
COPY chain/artifact chain/artifact
COPY signer signer
COPY indexer indexer
COPY api api
COPY scripts scripts
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim AS service
# The signer runs pkcs11-tool where its master key is in a PKCS#11 token.
RUN apt-get update && apt-get install -y --no-install-recommends opensc && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
RUN mkdir -p /pkcs11 /data/signer /data/ledger /journal /run/accredit /network/keys /network/nodes/validator-1 \
  /network/nodes/validator-2 /network/nodes/validator-3 /network/nodes/validator-4 \
  && chown -R node:node /data /journal /run/accredit /network
COPY --from=build --chown=node:node /app /app
USER node
VOLUME ["/data", "/journal", "/run/accredit"]
CMD ["node", "api/dist/main.js"]
