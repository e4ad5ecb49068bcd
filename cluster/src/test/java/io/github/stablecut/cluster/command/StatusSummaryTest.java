package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What stablecut status prints for people. */
final class StatusSummaryTest {
  private static final String STORE =
      """
      "ready": true, "directory": "/data", "version": "1.2", "time": "2026-11-29T14:00:00Z",
      "started": "2026-11-29T10:30:00Z", "warnings": [], "connections": 3, "openTransactions": 1,
      "heap": {"usedBytes": 104857600, "maxBytes": 536870912},
      "disk": {"freeBytes": 53687091200, "totalBytes": 107374182400},
      "commits": {"count": 1234, "medianMicros": 800, "p99Micros": 3100},
      "oldestSnapshotMillis": 65000,
      "store": {"openSnapshots": 2,
        "times": {"lowWatermark": "2026-11-29T13:00:00Z", "checkpointTime": "2026-11-29T13:59:48Z"},
        "journal": {"segments": 2, "bytes": 134217728, "problems": []},
        "checkpoints": {"runs": 1, "bytes": 43000000, "mergingBytes": 0, "failures": 0, "problems": []},
        "memory": {"misses": 25, "cache": [{"bytes": 1048576, "hits": 50}, {"bytes": 0, "hits": 25}]},
        "health": {"failures": [], "warnings": []}}
      """;

  private static StatusSummary summary(String more) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode report = mapper.readTree("{" + STORE + "}");
    return new StatusSummary(mapper.readerForUpdating(report).readTree("{" + more + "}"));
  }

  private static String line(StatusSummary summary, String name) {
    Optional<String> line =
        summary.lines().stream().filter(one -> one.startsWith(name + " ")).findFirst();
    return line.orElseThrow().substring(name.length()).strip();
  }

  @Test
  void describesAHealthyServerInEightLines() throws Exception {
    StatusSummary summary = summary("");

    assertThat(summary.exit()).isEqualTo(Exit.DONE);
    assertThat(summary.lines())
        .containsExactly(
            "ready: all is well",
            "server         store in /data, version 1.2, up for 3 hours 30 minutes",
            "data           41.0 MiB in 1 checkpoint file; 50.0 GiB of the disk's 100 GiB are free",
            "journal        128 MiB in 2 files; the last 1 hour can be read",
            "checkpoints    the newest is 12 seconds old",
            "commits        1,234 since the start; half of them took up to 800 µs, 99% up to 3.1 ms",
            "clients        3 connections, 1 open transaction; 2 retained snapshots of the past, the oldest for 1 minute 5 seconds",
            "memory         100 MiB of the heap's 512 MiB; the cache has 1.0 MiB and answered 75% of the reads");
  }

  @Test
  void saysFirstThatAServerIsNotReady() throws Exception {
    StatusSummary summary = summary("\"ready\": false, \"trouble\": \"the disk is full\"");

    assertThat(summary.exit()).isEqualTo(Exit.FAILED);
    assertThat(summary.lines().get(0)).isEqualTo("NOT READY: the disk is full");
  }

  @Test
  void saysFirstThatAPartHasFailed() throws Exception {
    StatusSummary summary =
        summary("\"store\": {\"health\": {\"failures\": [\"the journal of 0 failed\", \"b\"]}}");

    assertThat(summary.exit()).isEqualTo(Exit.FAILED);
    assertThat(summary.lines().get(0)).isEqualTo("FAILED: the journal of 0 failed");
    assertThat(line(summary, "WARNING")).isEqualTo("b");
  }

  @Test
  void saysFirstThatAClusterIsDegradedWithAnExitCodeOfItsOwn() throws Exception {
    StatusSummary summary = summary("\"degraded\": \"2 of 6 replicas are missing: n2 is silent\"");

    assertThat(summary.exit()).isEqualTo(Exit.DEGRADED);
    assertThat(summary.lines().get(0))
        .isEqualTo("DEGRADED: 2 of 6 replicas are missing: n2 is silent");
  }

  @Test
  void printsEachWarningOnceAndLast() throws Exception {
    StatusSummary summary =
        summary(
            "\"warnings\": [\"a\"], \"store\": {\"health\": {\"failures\": [], \"warnings\": [\"b\", \"a\"]}}");

    List<String> lines = summary.lines();

    assertThat(summary.exit()).isEqualTo(Exit.DONE);
    assertThat(lines.get(0)).isEqualTo("ready, with 2 warnings");
    assertThat(lines).endsWith("WARNING        a", "WARNING        b");
  }

  @Test
  void describesPartitionsAndReplicasOfACluster() throws Exception {
    StatusSummary summary =
        summary(
            """
            "node": "n1", "nodes": ["n1", "n2"], "members": ["h:1", "h:2", "h:3"],
            "partitions": [
              {"node": "n1", "serving": true, "moves": [{"state": "COPYING"}]},
              {"node": "n3", "serving": false, "moves": [{"state": "DONE"}]}],
            "replicationFactor": 3, "replicasUpToDate": 5,
            "replicas": [{"role": "LEADS"}, {"role": "FOLLOWS"}]
            """);

    assertThat(line(summary, "server")).startsWith("node n1, store in /data");
    assertThat(line(summary, "partitions"))
        .isEqualTo("1 of 2 served, 1 by this node, 1 being moved; 2 of 3 nodes reached");
    assertThat(line(summary, "replicas")).isEqualTo("5 of 6 up to date; 2 here, of which 1 lead");
  }

  @Test
  void saysHowFarDataCentresAreBehind() throws Exception {
    StatusSummary summary =
        summary(
            """
            "dataCentre": 0, "dataCentres": [
              {"number": 0, "state": "MEMBER", "address": "a:1", "heard": true},
              {"number": 1, "state": "MEMBER", "address": "b:1", "heard": true, "problem": "",
               "received": "2026-11-29T13:59:59Z", "acknowledged": "2026-11-29T13:48:00Z",
               "behindMillis": 720000, "untilDetachedMillis": 604080000},
              {"number": 2, "state": "JOINING", "address": "", "heard": false, "problem": "no route",
               "received": null, "acknowledged": null},
              {"number": 3, "state": "DETACHED", "address": "d:1", "heard": false}]
            """);

    assertThat(line(summary, "data centre 0")).isEqualTo("this one, at a:1");
    assertThat(line(summary, "data centre 1"))
        .isEqualTo(
            "b:1 is active; it lacks the last 12 minutes; everything that it lacks is retained for it until it is detached in 6 days 23 hours; this one lacks nothing");
    assertThat(line(summary, "data centre 2"))
        .isEqualTo("is silent; no route; it lacks everything; this one lacks everything");
    assertThat(line(summary, "data centre 3")).isEqualTo("is detached");
  }

  @Test
  void replacesControlCharacters() throws Exception {
    assertThat(line(summary("\"directory\": \"/a\\u001b[31m\""), "server")).contains("/a\\u001b");
  }
}
