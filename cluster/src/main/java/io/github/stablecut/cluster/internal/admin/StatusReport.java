package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.replication.DataCentre;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server's status as JSON. */
final class StatusReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private StatusReport() {}

  static String json(ServerInfo facts) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("ready", facts.trouble().isEmpty());
    facts.trouble().ifPresent(trouble -> report.put("trouble", trouble));
    Degradation.of(facts).ifPresent(degradation -> report.put("degraded", degradation));
    report.put("directory", directory(facts.directory()));
    report.putAll(ProcessReport.of(facts.directory()));
    report.put("warnings", facts.warnings());
    report.put("connections", facts.connections());
    report.put("openTransactions", facts.transactions());
    StoreStatus status = facts.store();
    report.put("commits", commits(status.activity().commits()));
    status.activity().oldest().stream()
        .findFirst()
        .ifPresent(oldest -> report.put("oldestSnapshotMillis", oldest.age().toMillis()));
    report.put("store", store(status));
    report.putAll(dataCentres(facts.dataCentre()));
    facts.node().ifPresent(node -> report.put("node", node));
    if (!facts.partitions().isEmpty()) {
      report.put("nodes", facts.nodes());
      report.put("leaving", facts.leaving());
      report.put("members", facts.members());
      report.put("partitions", facts.partitions().stream().map(StatusReport::location).toList());
      if (!facts.zones().isEmpty()) {
        report.put("zones", facts.zones());
        report.put("replicasNotSpread", facts.replicasNotSpread());
      }
      if (facts.replicationFactor() > 0) {
        report.put("replicationFactor", facts.replicationFactor());
        report.put("replicasUpToDate", facts.replicasUpToDate());
        report.put("keepsRegister", facts.keepsRegister());
        facts.registerLocation().ifPresent(one -> report.put("register", register(one)));
      }
      report.put("replicas", facts.replicas().stream().map(StatusReport::replica).toList());
    }
    try {
      return JSON.writeValueAsString(report) + "\n";
    } catch (JsonProcessingException e) {
      throw new AssertionError("maps, lists and numbers are JSON", e);
    }
  }

  /** The path without symbolic links, so that clients can compare it. */
  private static String directory(Path directory) {
    try {
      return directory.toRealPath().toString();
    } catch (IOException e) {
      return directory.toAbsolutePath().normalize().toString();
    }
  }

  private static Map<String, Object> commits(Latencies commits) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("count", commits.count());
    report.put("medianMicros", TimeUnit.NANOSECONDS.toMicros(commits.within(0.5).toNanos()));
    report.put("p99Micros", TimeUnit.NANOSECONDS.toMicros(commits.within(0.99).toNanos()));
    return report;
  }

  private static Map<String, Object> store(StoreStatus status) {
    Map<String, Object> store = new LinkedHashMap<>();
    store.put("id", "%016x".formatted(status.storeId()));
    store.put("openings", status.epoch());
    store.put("openSnapshots", status.openTransactions());
    store.put("times", times(status.times()));
    store.put("journal", journal(status.journal()));
    store.put("checkpoints", checkpoints(status.checkpoints()));
    store.put("memory", memory(status.memory()));
    store.put("health", health(status.health()));
    return store;
  }

  private static Map<String, Object> dataCentres(DataCentreCommands dataCentre) {
    Map<String, Object> report = new LinkedHashMap<>();
    dataCentre
        .own()
        .ifPresent(
            own -> {
              report.put("dataCentre", own);
              report.put(
                  "dataCentres", dataCentre.all().stream().map(StatusReport::dataCentre).toList());
            });
    dataCentre.last().ifPresent(order -> report.put("order", order(order)));
    return report;
  }

  /** The fields of a data centre. */
  static Map<String, @Nullable Object> dataCentre(DataCentre one) {
    Map<String, @Nullable Object> report = new LinkedHashMap<>();
    report.put("number", one.number());
    report.put("store", "%016x".formatted(one.storeId()));
    report.put("state", one.state().name());
    report.put("address", one.address().orElse(""));
    report.put("heard", one.isReachable());
    report.put("received", time(one.received()));
    report.put("acknowledged", time(one.acknowledged()));
    report.put("behindMillis", one.behind().toMillis());
    one.untilDetached().ifPresent(left -> report.put("untilDetachedMillis", left.toMillis()));
    report.put("problem", one.problem().orElse(""));
    return report;
  }

  private static Map<String, Object> order(DataCentreCommands.Operation order) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("what", order.what());
    report.put("over", order.isOver());
    report.put("problem", order.problem().orElse(""));
    return report;
  }

  private static Map<String, Object> health(StoreStatus.Health health) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("failures", health.failures());
    report.put("warnings", health.warnings());
    return report;
  }

  private static Map<String, Object> location(PartitionLocation location) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("partition", location.partition());
    report.put("node", location.node());
    report.put("address", location.address());
    report.put("epoch", location.epoch());
    report.put("reachable", location.isReachable());
    report.put("serving", location.isServing());
    report.put("lagMillis", location.lag().toMillis());
    report.put("moves", location.moves().stream().map(StatusReport::move).toList());
    return report;
  }

  private static Map<String, Object> replica(PartitionReplicaLocation replica) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("partition", replica.partition());
    report.put("replica", replica.replica());
    report.put("role", replica.role().name());
    report.put("epoch", replica.epoch());
    report.put("leader", replica.leader());
    report.put("voters", replica.voters());
    report.put("records", replica.records());
    report.put("oldest", replica.oldest());
    report.put("committed", replica.committed());
    report.put("complete", replica.isComplete());
    report.put("underReplicated", replica.isUnderReplicated());
    report.put("followers", replica.followers().stream().map(StatusReport::follower).toList());
    report.put("full", replica.isFull());
    report.put("shortened", replica.isShortened());
    report.put("failure", replica.failure());
    return report;
  }

  private static Map<String, Object> register(RegisterLocation register) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("leader", register.leader());
    report.put("followers", register.followers());
    report.put("silent", register.silent());
    report.put("missing", register.missing());
    report.put("surplus", register.surplus());
    report.put("complete", register.isComplete());
    return report;
  }

  private static Map<String, Object> follower(PartitionReplicaLocation.Follower follower) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("replica", follower.replica());
    report.put("voter", follower.isVoter());
    report.put("silent", follower.isSilent());
    report.put("full", follower.isFull());
    report.put("behind", follower.behind());
    return report;
  }

  /** The number of a move as text, because not every JSON parser supports 64-bit numbers. */
  static String number(long move) {
    return "%016x".formatted(move);
  }

  private static Map<String, Object> move(PartitionMove move) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("move", number(move.number()));
    report.put("from", move.from());
    report.put("to", move.to());
    report.put("state", move.state().name());
    report.put("copiedBytes", move.copiedBytes());
    report.put("totalBytes", move.totalBytes());
    report.put("pauseMillis", move.pause().toMillis());
    report.put("problem", move.problem());
    return report;
  }

  private static Map<String, @Nullable Object> times(StoreStatus.Times times) {
    Map<String, @Nullable Object> report = new LinkedHashMap<>();
    report.put("lowWatermark", time(times.lowWatermark()));
    report.put("checkpointTime", time(times.checkpointTime()));
    report.put("causalSafePoint", time(times.causalSafePoint()));
    report.put("minDependency", time(times.minDependency()));
    report.put("maxCommitted", time(times.maxCommitted()));
    report.put("stable", time(times.stable()));
    return report;
  }

  /** The time in ISO 8601; null for a time before all commits. */
  private static @Nullable String time(CausalToken token) {
    return token.vector().size() == 0 ? null : token.time().toString();
  }

  /** The time in ISO 8601; null for a time before all commits. */
  private static @Nullable String time(Instant time) {
    return time.toEpochMilli() <= Timestamp.epochMillis(0) ? null : time.toString();
  }

  private static Map<String, Object> journal(StoreStatus.Journal journal) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("segments", journal.segments());
    report.put("bytes", journal.allocatedBytes());
    report.put("records", journal.records());
    report.put("syncs", journal.syncs());
    report.put("largestGroup", journal.largestGroup());
    report.put("problems", journal.problems());
    return report;
  }

  private static Map<String, Object> checkpoints(StoreStatus.Checkpoints checkpoints) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("runs", checkpoints.runs());
    report.put("entries", checkpoints.entries());
    report.put("bytes", checkpoints.bytes());
    report.put("mergedBytes", checkpoints.mergedBytes());
    report.put("mergingBytes", checkpoints.mergingBytes());
    report.put("failures", checkpoints.failures());
    report.put("problems", checkpoints.problems());
    return report;
  }

  private static Map<String, Object> memory(StoreStatus.Memory memory) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("objects", memory.objects());
    report.put("misses", memory.misses());
    List<Map<String, Object>> levels = new ArrayList<>();
    for (StoreStatus.CacheLevel level : memory.cache()) {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("objects", level.objects());
      figures.put("bytes", level.bytes());
      figures.put("hits", level.hits());
      figures.put("evictions", level.evictions());
      levels.add(figures);
    }
    report.put("cache", levels);
    return report;
  }
}
