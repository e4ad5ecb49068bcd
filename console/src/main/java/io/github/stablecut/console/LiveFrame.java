package io.github.stablecut.console;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.replication.DataCentre;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The event that shows one sample of the store. Times are milliseconds since 1970, or 0 for the
 * store's beginning. Durations are microseconds; rates are per second since the previous sample.
 */
final class LiveFrame {
  /** A transaction in doubt for less than this is still being committed. */
  private static final Duration SETTLING = Duration.ofSeconds(2);

  private LiveFrame() {}

  /** The frame of a sample, with rates since the previous one. */
  static Map<String, Object> of(Sample now, Optional<Sample> before) {
    StoreStatus status = now.status();
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("time", now.millis());
    frame.put("name", now.name());
    frame.put("store", "%016x".formatted(status.storeId()));
    frame.put("openings", status.epoch());
    frame.put("times", times(status.times()));
    frame.put("rates", rates(now, before));
    frame.put("latencies", latencies(now, before));
    frame.put("journal", journal(status.journal()));
    frame.put("checkpoints", checkpoints(status.checkpoints()));
    frame.put("memory", memory(status.memory()));
    frame.put("nodes", now.nodes().stream().map(LiveFrame::node).toList());
    frame.put("partitions", partitions(now));
    now.cluster().ifPresent(cluster -> frame.put("cluster", cluster(cluster)));
    frame.put("replicas", now.replicas().stream().map(LiveFrame::group).toList());
    frame.put("dataCentres", now.dataCentres().stream().map(LiveFrame::dataCentre).toList());
    frame.put("open", status.openTransactions());
    frame.put("oldest", status.activity().oldest().stream().map(LiveFrame::open).toList());
    frame.put("inDoubt", inDoubt(now));
    frame.put("failures", status.health().failures());
    List<String> warnings = new ArrayList<>(now.warnings());
    warnings.addAll(status.health().warnings());
    warnings.addAll(status.journal().problems());
    warnings.addAll(status.checkpoints().problems());
    frame.put("warnings", warnings);
    return frame;
  }

  private static Map<String, Object> times(StoreStatus.Times times) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("lowWatermark", millis(times.lowWatermark()));
    all.put("checkpointTime", millis(times.checkpointTime()));
    all.put("minDependency", millis(times.minDependency()));
    all.put("causalSafePoint", millis(times.causalSafePoint()));
    all.put("maxCommitted", millis(times.maxCommitted()));
    all.put("stable", millis(times.stable()));
    return all;
  }

  private static long millis(CausalToken token) {
    return token.time().toEpochMilli();
  }

  private static Map<String, Object> rates(Sample now, Optional<Sample> before) {
    StoreStatus.Journal journal = now.status().journal();
    long records =
        before.map(one -> journal.records() - one.status().journal().records()).orElse(0L);
    long syncs = before.map(one -> journal.syncs() - one.status().journal().syncs()).orElse(0L);
    double seconds = before.map(one -> (now.nanos() - one.nanos()) / 1e9).orElse(1.0);
    Map<String, Object> rates = new LinkedHashMap<>();
    rates.put("commits", perSecond(commits(now, before).count(), seconds));
    rates.put("requests", perSecond(requests(now, before).count(), seconds));
    rates.put("records", perSecond(records, seconds));
    rates.put("syncs", perSecond(syncs, seconds));
    rates.put("group", syncs <= 0 ? 0 : Math.round(10.0 * records / syncs) / 10.0);
    rates.put(
        "misses",
        perSecond(misses(now) - before.map(LiveFrame::misses).orElse(misses(now)), seconds));
    return rates;
  }

  private static long misses(Sample sample) {
    return sample.status().memory().misses();
  }

  private static double perSecond(long count, double seconds) {
    return Math.round(10 * Math.max(0, count) / seconds) / 10.0;
  }

  private static Latencies commits(Sample now, Optional<Sample> before) {
    Latencies all = now.status().activity().commits();
    return before.map(one -> all.since(one.status().activity().commits())).orElse(Latencies.none());
  }

  private static Latencies requests(Sample now, Optional<Sample> before) {
    return sum(now).since(before.map(LiveFrame::sum).orElse(sum(now)));
  }

  private static Latencies sum(Sample sample) {
    return sample.requests().values().stream().reduce(Latencies.none(), Latencies::and);
  }

  private static Map<String, Object> latencies(Sample now, Optional<Sample> before) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("commit", latency(commits(now, before)));
    now.requests()
        .forEach(
            (kind, latencies) ->
                all.put(
                    kind,
                    latency(
                        before
                            .map(one -> one.requests().getOrDefault(kind, Latencies.none()))
                            .map(latencies::since)
                            .orElse(Latencies.none()))));
    return all;
  }

  private static Map<String, Object> latency(Latencies latencies) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("count", latencies.count());
    figures.put("median", micros(latencies.within(0.5)));
    figures.put("p99", micros(latencies.within(0.99)));
    figures.put("longest", micros(latencies.within(1)));
    return figures;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  private static Map<String, Object> journal(StoreStatus.Journal journal) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("firstSegment", journal.firstSegment());
    figures.put("segments", journal.segments());
    figures.put("bytes", journal.allocatedBytes());
    figures.put("records", journal.records());
    figures.put("syncs", journal.syncs());
    figures.put("largestGroup", journal.largestGroup());
    return figures;
  }

  private static Map<String, Object> checkpoints(StoreStatus.Checkpoints checkpoints) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("runs", checkpoints.runs());
    figures.put("entries", checkpoints.entries());
    figures.put("bytes", checkpoints.bytes());
    figures.put("mergedBytes", checkpoints.mergedBytes());
    figures.put("mergingBytes", checkpoints.mergingBytes());
    return figures;
  }

  private static Map<String, Object> memory(StoreStatus.Memory memory) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("objects", memory.objects());
    figures.put("cached", memory.cache().stream().mapToLong(StoreStatus.CacheLevel::objects).sum());
    figures.put(
        "cachedBytes", memory.cache().stream().mapToLong(StoreStatus.CacheLevel::bytes).sum());
    figures.put(
        "heapBytes", Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    figures.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
    return figures;
  }

  private static Map<String, Object> node(ConsoleSource.Node node) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("name", node.name());
    figures.put("state", node.state().name());
    return figures;
  }

  private static Map<String, Object> cluster(ConsoleSource.Cluster cluster) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("members", cluster.members());
    figures.put("reached", cluster.reached());
    figures.put("partitions", cluster.partitions());
    figures.put("served", cluster.served());
    figures.put("replicas", cluster.replicas());
    figures.put("upToDate", cluster.upToDate());
    return figures;
  }

  private static Map<String, Object> group(ConsoleSource.ReplicaGroup group) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("partition", group.partition());
    figures.put("leader", group.leader());
    figures.put("replicas", group.replicas().stream().map(LiveFrame::replica).toList());
    figures.put("lacks", group.lacks());
    return figures;
  }

  private static Map<String, Object> replica(ConsoleSource.Replica replica) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("name", replica.name());
    figures.put("state", replica.state().name());
    figures.put("behind", replica.behind());
    figures.put("records", replica.records());
    return figures;
  }

  private static Map<String, Object> dataCentre(DataCentre one) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("number", one.number());
    figures.put("address", one.address().orElse(""));
    figures.put("state", one.state().name());
    figures.put("heard", one.isReachable());
    figures.put("received", one.received().toEpochMilli());
    figures.put("behindMillis", one.behind().toMillis());
    figures.put("untilDetachedMillis", one.untilDetached().map(Duration::toMillis).orElse(-1L));
    figures.put("problem", one.problem().orElse(""));
    return figures;
  }

  /** The partitions; those of a store in one process are all local. */
  private static List<Map<String, Object>> partitions(Sample now) {
    List<Map<String, Object>> all = new ArrayList<>();
    if (now.places().isEmpty()) {
      for (int number = 0; number < now.status().partitions(); number++) {
        all.add(place(number, "", true, 0));
      }
    }
    for (ConsoleSource.Partition one : now.places()) {
      Map<String, Object> place =
          place(one.partition(), one.node(), one.isServing(), one.lagMillis());
      one.move()
          .ifPresent(
              move -> {
                place.put("movingTo", move.to());
                place.put("movedPercent", move.percent());
              });
      all.add(place);
    }
    return all;
  }

  private static Map<String, Object> place(
      int number, String node, boolean isServing, long lagMillis) {
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("number", number);
    place.put("node", node);
    place.put("serving", isServing);
    place.put("lagMillis", lagMillis);
    return place;
  }

  private static Map<String, Object> open(StoreStatus.OpenSnapshot open) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("ageMillis", open.age().toMillis());
    figures.put("limited", open.isLimited());
    figures.put("snapshot", millis(open.snapshot()));
    figures.put("thread", open.thread());
    return figures;
  }

  private static List<Map<String, Object>> inDoubt(Sample now) {
    List<Map<String, Object>> all = new ArrayList<>();
    now.doubts()
        .forEach(
            (id, sinceNanos) -> {
              Duration age = Duration.ofNanos(now.nanos() - sinceNanos);
              if (age.compareTo(SETTLING) >= 0) {
                all.add(Map.of("id", id, "ageMillis", age.toMillis()));
              }
            });
    return all;
  }
}
