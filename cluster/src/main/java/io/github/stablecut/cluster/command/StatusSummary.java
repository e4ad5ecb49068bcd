package io.github.stablecut.cluster.command;

import static io.github.stablecut.cluster.terminal.Quantities.bytes;
import static io.github.stablecut.cluster.terminal.Quantities.count;
import static io.github.stablecut.cluster.terminal.Quantities.micros;
import static io.github.stablecut.cluster.terminal.Quantities.span;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.error.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * A server's status in a few lines: health first, then what an operator looks at, with warnings at
 * the end. Immutable.
 */
final class StatusSummary {
  /** The paths of the status that hold warnings. */
  private static final List<String> WARNINGS =
      List.of(
          "/store/health/failures",
          "/store/journal/problems",
          "/warnings",
          "/store/health/warnings",
          "/store/checkpoints/problems");

  /** A data centre that is behind by less is up to date: messages take that long. */
  private static final Duration CURRENT = Duration.ofSeconds(3);

  private final JsonNode report;
  private final Instant now;

  /**
   * @param report the server's status as JSON
   */
  StatusSummary(JsonNode report) {
    this.report = report;
    this.now = moment(report.path("time")).orElseGet(Instant::now);
  }

  /** Whether the server serves, and how well. */
  Exit exit() {
    if (!report.path("ready").asBoolean() || !report.at("/store/health/failures").isEmpty()) {
      return Exit.FAILED;
    }
    return report.has("degraded") ? Exit.DEGRADED : Exit.DONE;
  }

  /** The lines, without characters that would control a terminal. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    Set<String> warnings = warnings();
    lines.add(health(warnings.size()));
    lines.add(line("server", server()));
    lines.add(line("data", data()));
    lines.add(line("journal", journal()));
    lines.add(line("checkpoints", checkpoints()));
    lines.add(line("commits", commits()));
    lines.add(line("clients", clients()));
    lines.add(line("memory", memory()));
    partitions().ifPresent(text -> lines.add(line("partitions", text)));
    replicas().ifPresent(text -> lines.add(line("replicas", text)));
    for (JsonNode one : report.path("dataCentres")) {
      lines.add(line("data centre %d".formatted(one.path("number").asInt()), dataCentre(one)));
    }
    warnings.forEach(warning -> lines.add(line("WARNING", warning)));
    return lines.stream().map(PrintableText::of).toList();
  }

  private static String line(String name, String text) {
    return "%-14s %s".formatted(name, text);
  }

  private String health(int warnings) {
    JsonNode failures = report.at("/store/health/failures");
    if (!report.path("ready").asBoolean()) {
      return "NOT READY: " + report.path("trouble").asText("the server gives no reason");
    }
    if (!failures.isEmpty()) {
      return "FAILED: " + failures.path(0).asText();
    }
    if (report.has("degraded")) {
      return "DEGRADED: " + report.path("degraded").asText();
    }
    return warnings == 0 ? "ready: all is well" : "ready, with " + count(warnings, "warning");
  }

  private Set<String> warnings() {
    Set<String> all = new LinkedHashSet<>();
    for (String place : WARNINGS) {
      report.at(place).forEach(text -> all.add(text.asText()));
    }
    String said = health(0);
    all.removeIf(text -> said.endsWith(": " + text));
    return all;
  }

  private String server() {
    List<String> facts = new ArrayList<>();
    if (report.has("node")) {
      facts.add("node " + report.path("node").asText());
    }
    facts.add("store in " + report.path("directory").asText());
    if (!report.path("version").asText("unknown").equals("unknown")) {
      facts.add("version " + report.path("version").asText());
    }
    moment(report.path("started")).ifPresent(since -> facts.add("up for " + age(since)));
    return String.join(", ", facts);
  }

  private String data() {
    JsonNode disk = report.path("disk");
    long files = report.at("/store/checkpoints/runs").asLong();
    String used =
        files == 0
            ? "all in the journal yet"
            : "%s in %s"
                .formatted(
                    bytes(report.at("/store/checkpoints/bytes").asLong()),
                    count(files, "checkpoint file"));
    return disk.isMissingNode()
        ? used
        : "%s; %s of the disk's %s are free"
            .formatted(
                used,
                bytes(disk.path("freeBytes").asLong()),
                bytes(disk.path("totalBytes").asLong()));
  }

  private String journal() {
    String past =
        moment(report.at("/store/times/lowWatermark"))
            .map(since -> "the last " + age(since) + " can be read")
            .orElse("everything since the beginning can be read");
    return "%s in %s; %s"
        .formatted(
            bytes(report.at("/store/journal/bytes").asLong()),
            count(report.at("/store/journal/segments").asLong(), "file"),
            past);
  }

  private String checkpoints() {
    String newest =
        moment(report.at("/store/times/checkpointTime"))
            .map(since -> "the newest is %s old".formatted(age(since)))
            .orElse("none yet");
    long failures = report.at("/store/checkpoints/failures").asLong();
    long merging = report.at("/store/checkpoints/mergingBytes").asLong();
    return newest
        + (failures == 0 ? "" : "; the last %,d have failed".formatted(failures))
        + (merging == 0 ? "" : "; up to %s are being merged".formatted(bytes(merging)));
  }

  private String commits() {
    JsonNode commits = report.path("commits");
    long count = commits.path("count").asLong();
    return count == 0
        ? "none since the start"
        : "%,d since the start; half of them took up to %s, 99%% up to %s"
            .formatted(
                count,
                micros(commits.path("medianMicros").asLong()),
                micros(commits.path("p99Micros").asLong()));
  }

  private String clients() {
    long connections = report.path("connections").asLong();
    long transactions = report.path("openTransactions").asLong();
    long snapshots = report.at("/store/openSnapshots").asLong();
    if (connections + transactions + snapshots == 0) {
      return "none connected, nothing open";
    }
    long oldest = report.path("oldestSnapshotMillis").asLong(-1);
    return "%s, %s; %s of the past%s"
        .formatted(
            count(connections, "connection"),
            count(transactions, "open transaction"),
            count(snapshots, "retained snapshot"),
            oldest < 0 ? "" : ", the oldest for " + span(Duration.ofMillis(oldest)));
  }

  private String memory() {
    JsonNode heap = report.path("heap");
    long cached = sum("bytes");
    long hits = sum("hits");
    long reads = hits + report.at("/store/memory/misses").asLong();
    return "%s of the heap's %s; the cache has %s%s"
        .formatted(
            bytes(heap.path("usedBytes").asLong()),
            bytes(heap.path("maxBytes").asLong()),
            bytes(cached),
            reads == 0 ? "" : " and answered %.0f%% of the reads".formatted(100.0 * hits / reads));
  }

  private long sum(String figure) {
    return StreamSupport.stream(report.at("/store/memory/cache").spliterator(), false)
        .mapToLong(level -> level.path(figure).asLong())
        .sum();
  }

  private Optional<String> partitions() {
    JsonNode all = report.path("partitions");
    if (all.isEmpty()) {
      return Optional.empty();
    }
    String self = report.path("node").asText();
    long localCount = number(all, one -> one.path("node").asText().equals(self));
    long served = number(all, one -> one.path("serving").asBoolean());
    long moving =
        number(
            all,
            one ->
                StreamSupport.stream(one.path("moves").spliterator(), false)
                    .anyMatch(
                        move ->
                            Set.of("COPYING", "SWITCHING").contains(move.path("state").asText())));
    String nodes =
        "%d of %s reached"
            .formatted(report.path("nodes").size(), count(report.path("members").size(), "node"));
    return Optional.of(
        "%s served, %d by this node%s; %s"
            .formatted(
                served == all.size()
                    ? "all %d".formatted(served)
                    : "%d of %d".formatted(served, all.size()),
                localCount,
                moving == 0 ? "" : ", %d being moved".formatted(moving),
                nodes));
  }

  private Optional<String> replicas() {
    int factor = report.path("replicationFactor").asInt();
    if (factor == 0) {
      return Optional.empty();
    }
    JsonNode localReplicas = report.path("replicas");
    long leading = number(localReplicas, one -> one.path("role").asText().equals("LEADS"));
    return Optional.of(
        "%d of %d up to date; %d here, of which %d lead"
            .formatted(
                report.path("replicasUpToDate").asInt(),
                factor * report.path("partitions").size(),
                localReplicas.size(),
                leading));
  }

  private String dataCentre(JsonNode one) {
    String address = one.path("address").asText();
    if (one.path("state").asText().equals("DETACHED")) {
      return "is detached";
    }
    if (one.path("number").asInt() == report.path("dataCentre").asInt()) {
      return "this one, at " + address;
    }
    List<String> facts = new ArrayList<>();
    facts.add(
        "%s %s"
            .formatted(address, one.path("heard").asBoolean() ? "is active" : "is silent")
            .strip());
    if (!one.path("problem").asText().isEmpty()) {
      facts.add(one.path("problem").asText());
    }
    facts.add(lag("it lacks", one.path("acknowledged")));
    long left = one.path("untilDetachedMillis").asLong(-1);
    if (left >= 0 && one.path("behindMillis").asLong() >= CURRENT.toMillis()) {
      facts.add(
          "everything that it lacks is retained for it until it is detached in %s"
              .formatted(span(Duration.ofMillis(left))));
    }
    facts.add(lag("this one lacks", one.path("received")));
    return String.join("; ", facts);
  }

  private String lag(String who, JsonNode reached) {
    Optional<Duration> lag = moment(reached).map(since -> Duration.between(since, now));
    if (lag.isEmpty()) {
      return who + " everything";
    }
    return who + (lag.get().compareTo(CURRENT) < 0 ? " nothing" : " the last " + span(lag.get()));
  }

  private String age(Instant since) {
    return span(Duration.between(since, now));
  }

  private static long number(JsonNode all, Predicate<JsonNode> isCounted) {
    return StreamSupport.stream(all.spliterator(), false).filter(isCounted).count();
  }

  private static Optional<Instant> moment(JsonNode time) {
    return time.isTextual() ? Optional.of(Instant.parse(time.asText())) : Optional.empty();
  }
}
