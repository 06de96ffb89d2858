# docker build -t push-enricher .

FROM swift:6.3.1-bookworm AS build
# What changes least comes first: if only the sources change, nothing is installed or fetched again.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libc-ares-dev libcurl4-openssl-dev libhiredis-dev libmagic-dev libnghttp2-dev librabbitmq-dev libsqlite3-dev libssl-dev pkg-config
WORKDIR /src
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
# The tests are not built, but the package is not valid without them.
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product push-enricher -Xlinker --strip-all
COPY .ci/copyright .ci/copyright
RUN .ci/copyright > /copyright

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends libc-ares2 libcurl4 libmagic1 libnghttp2-14 libssl3 \
    --option=Dpkg::Options::=--path-exclude='/usr/share/doc/*' --option=Dpkg::Options::=--path-include='/usr/share/doc/*/copyright' \
    --option=Dpkg::Options::=--path-exclude='/usr/share/man/*' --option=Dpkg::Options::=--path-exclude='/usr/share/locale/*' \
    --option=Dpkg::Options::=--path-exclude='/usr/lib/*/engines-3/*' --option=Dpkg::Options::=--path-exclude='/usr/lib/*/ossl-modules/*' \
    --option=Dpkg::Options::=--path-exclude='/usr/lib/*/libbrotlienc*' \
  && rm -rf /var/lib/dpkg/info/*.symbols /var/lib/dpkg/info/*.shlibs /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/cache/ldconfig/* /var/log/apt /var/log/*.log \
  && install -d -o 65532 -g 65532 -m 700 /data
# Copied, because the package ca-certificates would also install the openssl command.
COPY --from=build /usr/share/ca-certificates /usr/share/ca-certificates
COPY --from=build /etc/ssl/certs /etc/ssl/certs
# The payloads and media that `demo` uses.
COPY Fixtures/media /usr/local/share/push-enricher/Fixtures/media
COPY Fixtures/payloads /usr/local/share/push-enricher/Fixtures/payloads
COPY Fixtures/encrypted /usr/local/share/push-enricher/Fixtures/encrypted
COPY Fixtures/envelopes /usr/local/share/push-enricher/Fixtures/envelopes
COPY Fixtures/categories /usr/local/share/push-enricher/Fixtures/categories
COPY --from=build /copyright /usr/share/doc/push-enricher/copyright
COPY --from=build /src/.build/release/push-enricher /usr/local/bin/push-enricher

LABEL org.opencontainers.image.title="push-enricher" \
  org.opencontainers.image.description="Fetches, checks and stores the media of push payloads before they go to APNs" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"

# The only directory that is written to: by default it has the store and the queue file, and the files of demo.
WORKDIR /data
VOLUME /data
ENV TMPDIR=/data PUSH_ENRICHER_STATUS=127.0.0.1:8080
# A user that the image does not know, as a number, so that Kubernetes sees that it is not root.
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/usr/local/bin/push-enricher", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/push-enricher"]
