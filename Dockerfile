# One image for every process of the service: compose chooses the command.
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

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
RUN mkdir -p /data/signer /data/ledger /journal /run/accredit && chown -R node:node /data /journal /run/accredit
COPY --from=build --chown=node:node /app /app
USER node
VOLUME ["/data", "/journal", "/run/accredit"]
CMD ["node", "api/dist/main.js"]
