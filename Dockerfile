# The server and the workers, with what Postgres needs. Pages are analysed without a browser unless built with
# --build-arg CHROMIUM=yes.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp

FROM node:22-bookworm-slim
ARG CHROMIUM=no
# perl starts commands, procps and util-linux look after them, bubblewrap keeps those of other owners apart, tini reaps what is left.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini perl procps bubblewrap ca-certificates git \
 && if [ "$CHROMIUM" = yes ]; then apt-get install -y --no-install-recommends chromium fonts-liberation; fi \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/longhaul-*.tgz /tmp/
# The two optional packages of a store on Postgres, in the versions that Longhaul is tested with.
RUN npm install --global --omit=dev /tmp/longhaul-*.tgz pg@8.23.1 pg-boss@12.35.0 && rm /tmp/longhaul-*.tgz && npm cache clean --force
RUN useradd --uid 10001 --create-home longhaul && install -d -o longhaul -g longhaul -m 700 /var/lib/longhaul
USER 10001
ENV LONGHAUL_HOME=/var/lib/longhaul
WORKDIR /home/longhaul
VOLUME /var/lib/longhaul
EXPOSE 7800
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["longhaul", "server", "status"]
ENTRYPOINT ["tini", "--", "longhaul"]
CMD ["serve", "--host", "0.0.0.0", "--port", "7800"]
