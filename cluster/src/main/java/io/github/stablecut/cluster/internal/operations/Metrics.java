package io.github.stablecut.cluster.internal.operations;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.service.RequestKind;
import io.github.stablecut.cluster.internal.service.RequestMeter;
import io.github.stablecut.internal.meter.LatencyRecorder;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The server's metrics, in Prometheus' text format. Those of the store are read when the text is
 * made. Thread-safe.
 */
public final class Metrics implements RequestMeter, AutoCloseable {
  private static final Duration[] BUCKETS =
      List.of(
              100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
              1_000_000)
          .stream()
          .map(micros -> Duration.ofNanos(micros * 1_000L))
          .toArray(Duration[]::new);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<RequestKind, Timer> answered = new EnumMap<>(RequestKind.class);
  private final Map<RequestKind, Timer> failed = new EnumMap<>(RequestKind.class);
  private final Map<RequestKind, LatencyRecorder> latencies = new EnumMap<>(RequestKind.class);
  private final Timer commits;
  private final ProcessMetrics process = new ProcessMetrics();
  private volatile Optional<ClusterMetrics> cluster = Optional.empty();

  /** Registers what is counted here. */
  public Metrics() {
    for (RequestKind kind : RequestKind.values()) {
      answered.put(kind, requests(kind, "ok"));
      failed.put(kind, requests(kind, "error"));
      latencies.put(kind, new LatencyRecorder());
    }
    this.commits =
        Timer.builder("stablecut.commit")
            .description("from a commit to its being durable")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
  }

  private Timer requests(RequestKind kind, String outcome) {
    return Timer.builder("stablecut.request")
        .description("from the arrival of a request to its answer")
        .tag("kind", kind.label())
        .tag("outcome", outcome)
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /** Registers what the server knows. */
  public void register(ServerFacts facts, InstantSource clock) {
    gauge("stablecut.connections", "connected clients", facts, ServerFacts::connections);
    gauge(
        "stablecut.transactions.open",
        "interactive transactions of clients",
        facts,
        ServerFacts::transactions);
    antidote(facts);
    gauge(
        "stablecut.ready",
        "1 if the server serves as it should",
        facts,
        known -> known.trouble().isPresent() ? 0 : 1);
    store(
        "stablecut.snapshots.open",
        "open transactions and pins",
        facts,
        StoreStatus::openTransactions);
    store("stablecut.objects", "objects in memory", facts, s -> s.memory().objects());
    store(
        "stablecut.journal.bytes",
        "disk space of the journal",
        facts,
        s -> s.journal().allocatedBytes());
    store("stablecut.journal.segments", "files of the journal", facts, s -> s.journal().segments());
    store(
        "stablecut.partitions.readonly",
        "partitions on this node that take no commits now, such as on a full disk",
        facts,
        s -> s.journal().problems().size());
    store(
        "stablecut.journal.largest.group",
        "most records that one sync made durable",
        facts,
        s -> s.journal().largestGroup());
    store(
        "stablecut.checkpoint.bytes",
        "disk space of checkpoints",
        facts,
        s -> s.checkpoints().bytes());
    store(
        "stablecut.low.watermark.age.seconds",
        "how far back the store can be read; 0 while it is to the beginning",
        facts,
        s -> ageSeconds(s.times().lowWatermark(), clock));
    counter("stablecut.journal.records", "records written", facts, s -> s.journal().records());
    counter(
        "stablecut.journal.syncs",
        "syncs; records by syncs is the mean group",
        facts,
        s -> s.journal().syncs());
    counter(
        "stablecut.cache.misses", "reads that had to materialise", facts, s -> s.memory().misses());
    store(
        "stablecut.checkpoint.age.seconds",
        "how old the newest checkpoint is: what is younger is read from the journal after a"
            + " restart",
        facts,
        s -> ageSeconds(s.times().checkpointTime(), clock));
    store("stablecut.failures", "what has failed now, as status says", facts, Metrics::failures);
    store(
        "stablecut.warnings",
        "what goes on all the same, such as a checkpoint that failed, as status says",
        facts,
        s -> s.health().warnings().size());
    process.register(facts.directory(), registry);
    cluster = facts.node().map(any -> new ClusterMetrics(facts, registry));
    int levels = facts.store().memory().cache().size();
    for (int level = 0; level < levels; level++) {
      int number = level;
      FunctionCounter.builder(
              "stablecut.cache.hits",
              facts,
              known -> known.store().memory().cache().get(number).hits())
          .description("reads that a level of the cache answered")
          .tag("level", Integer.toString(level))
          .register(registry);
    }
  }

  /** What AntidoteDB's dashboards ask for, by its names. */
  private void antidote(ServerFacts facts) {
    gauge(
        "antidote.open.transactions",
        "as stablecut_transactions_open",
        facts,
        ServerFacts::transactions);
    gauge("antidote.error.count", "requests that have failed", facts, any -> sum(failed));
    operations("read", RequestKind.READ, RequestKind.STATIC_READ);
    operations("update", RequestKind.UPDATE, RequestKind.STATIC_UPDATE);
    transactions("open", RequestKind.START);
    transactions("finished", RequestKind.COMMIT);
    transactions("aborted", RequestKind.ABORT);
  }

  private static double sum(Map<RequestKind, Timer> timers) {
    return timers.values().stream().mapToLong(Timer::count).sum();
  }

  private static double count(Map<RequestKind, Timer> timers, RequestKind kind) {
    return Objects.requireNonNull(timers.get(kind)).count();
  }

  private void operations(String type, RequestKind one, RequestKind other) {
    var unused =
        FunctionCounter.builder(
                "antidote.operations", answered, all -> count(all, one) + count(all, other))
            .description("requests of clients that were answered")
            .tag("type", type)
            .register(registry);
  }

  /** Not a counter here, whose name would end with _total. */
  private void transactions(String type, RequestKind kind) {
    var unused =
        Gauge.builder("antidote.transaction", answered, all -> count(all, kind))
            .description("interactive transactions of clients since the start")
            .tag("type", type)
            .register(registry);
  }

  private void gauge(
      String name, String description, ServerFacts facts, ToDoubleFunction<ServerFacts> value) {
    var unused =
        Gauge.builder(name, facts, value)
            .description(description)
            .strongReference(true)
            .register(registry);
  }

  private void store(
      String name, String description, ServerFacts facts, ToDoubleFunction<StoreStatus> value) {
    gauge(name, description, facts, known -> value.applyAsDouble(known.store()));
  }

  private void counter(
      String name, String description, ServerFacts facts, ToDoubleFunction<StoreStatus> value) {
    var unused =
        FunctionCounter.builder(name, facts, known -> value.applyAsDouble(known.store()))
            .description(description)
            .register(registry);
  }

  private static double ageSeconds(CausalToken point, InstantSource clock) {
    VectorClock time = point.vector();
    return time.size() == 0 ? 0 : (clock.millis() - Timestamp.epochMillis(time)) / 1_000.0;
  }

  private static int failures(StoreStatus status) {
    return status.health().failures().size();
  }

  @Override
  public void answered(RequestKind kind, long nanos, boolean isFailed) {
    Timer timer = (isFailed ? failed : answered).get(kind);
    LatencyRecorder recorder = latencies.get(kind);
    if (timer != null && recorder != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
      recorder.record(nanos);
    }
  }

  /** How long requests took since the start, by their kinds, of those that were asked for. */
  Map<String, Latencies> latencies() {
    Map<String, Latencies> all = new LinkedHashMap<>();
    latencies.forEach(
        (kind, recorder) -> {
          Latencies found = recorder.latencies();
          if (found.count() > 0) {
            all.put(kind.label(), found);
          }
        });
    return all;
  }

  @Override
  public void committed(long nanos) {
    commits.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** All of them. */
  String text() {
    cluster.ifPresent(ClusterMetrics::update);
    return registry.scrape();
  }

  @Override
  public void close() {
    process.close();
    registry.close();
  }
}
