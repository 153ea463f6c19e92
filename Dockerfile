# The program of a release: docker run -v "$PWD:/repo" kitbag pack "..."
# Expects the unpacked archives of scripts/release in target/dist/amd64 and target/dist/arm64.
FROM alpine:3.22
# The repository is mounted and belongs to a user of the host; git refuses those of other users.
RUN apk add --no-cache git && git config --system --add safe.directory '*'
ARG TARGETARCH
COPY target/dist/${TARGETARCH}/kitbag /usr/local/bin/kitbag
WORKDIR /repo
ENTRYPOINT ["kitbag"]
