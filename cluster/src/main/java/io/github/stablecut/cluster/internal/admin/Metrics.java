package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.Latencies;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.cluster.internal.service.RequestKind;
import io.github.stablecut.cluster.internal.service.RequestMeter;
import io.github.stablecut.internal.meter.LatencyRecorder;
import io.github.stablecut.micrometer.StablecutMetrics;
import io.github.stablecut.replication.DataCentre;
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
 * The server's metrics in Prometheus' text format. The store's metrics are read at each scrape.
 * Thread-safe.
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

  /** Registers the metrics that the server counts itself. */
  public Metrics() {
    for (RequestKind kind : RequestKind.values()) {
      answered.put(kind, requests(kind, "ok"));
      failed.put(kind, requests(kind, "error"));
      latencies.put(kind, new LatencyRecorder());
    }
    this.commits =
        Timer.builder("stablecut.commit")
            .description("from the start of a commit until it is durable")
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

  /** Registers the metrics that are read from the server. */
  public void register(ServerInfo facts, InstantSource clock) {
    gauge("stablecut.connections", "connected clients", facts, ServerInfo::connections);
    gauge(
        "stablecut.transactions.open",
        "interactive transactions of clients",
        facts,
        ServerInfo::transactions);
    facts.handles().keySet().forEach(kind -> handles(kind, facts));
    antidote(facts);
    gauge(
        "stablecut.ready",
        "1 if the server is ready",
        facts,
        known -> known.trouble().isPresent() ? 0 : 1);
    new StablecutMetrics(facts::store, () -> others(facts.dataCentre()), clock, List.of())
        .bindTo(registry);
    process.register(facts.directory(), registry);
    cluster = facts.node().map(any -> new ClusterMetrics(facts, registry));
  }

  /** The other data centres. */
  static List<DataCentre> others(DataCentreCommands orders) {
    return orders.all().stream()
        .filter(one -> orders.own().filter(own -> own == one.number()).isEmpty())
        .toList();
  }

  private void handles(String kind, ServerInfo facts) {
    Gauge.builder(
            "stablecut.handles.open",
            facts,
            known -> Objects.requireNonNull(known.handles().get(kind)))
        .description("pins, scans and watches of clients")
        .tag("kind", kind)
        .strongReference(true)
        .register(registry);
  }

  /** Registers the metrics of AntidoteDB's dashboards, with their names. */
  private void antidote(ServerInfo facts) {
    gauge(
        "antidote.open.transactions",
        "as stablecut_transactions_open",
        facts,
        ServerInfo::transactions);
    gauge("antidote.error.count", "failed requests", facts, any -> sum(failed));
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
    FunctionCounter.builder(
            "antidote.operations", answered, all -> count(all, one) + count(all, other))
        .description("answered requests of clients")
        .tag("type", type)
        .register(registry);
  }

  /** Registers a count as a gauge, because a counter's name would end with _total. */
  private void transactions(String type, RequestKind kind) {
    Gauge.builder("antidote.transaction", answered, all -> count(all, kind))
        .description("interactive transactions of clients since the start")
        .tag("type", type)
        .register(registry);
  }

  private void gauge(
      String name, String description, ServerInfo facts, ToDoubleFunction<ServerInfo> value) {
    Gauge.builder(name, facts, value)
        .description(description)
        .strongReference(true)
        .register(registry);
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

  /** The latencies of requests since the start, by kind; without kinds that had no requests. */
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

  /** All metrics. */
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
