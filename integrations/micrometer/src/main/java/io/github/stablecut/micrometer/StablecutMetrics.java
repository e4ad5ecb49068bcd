package io.github.stablecut.micrometer;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.replication.DataCentre;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * A store's figures as metrics, whose names begin with {@code stablecut}: the activity of the
 * journal, checkpoints and caches, the age of the oldest readable past, commit latencies, and
 * problems that need attention.
 *
 * <pre>{@code
 * new StablecutMetrics(store).bindTo(registry);
 * }</pre>
 *
 * <p>Metrics are read when the registry requests them; after the store was closed they keep their
 * last values. While a server does not answer, gauges are NaN and counters keep their last values.
 * Each of several stores in a program needs its own tags. Metrics with equal tags replace each
 * other in a registry, so a store that was reopened is bound again. Thread-safe.
 */
public final class StablecutMetrics implements MeterBinder, AutoCloseable {
  /** The bounds of the commit histogram's buckets, in milliseconds. */
  private static final List<Long> COMMIT_MILLIS =
      List.of(1L, 2L, 5L, 10L, 25L, 50L, 100L, 250L, 1_000L, 10_000L);

  private static final double MILLIS = 1_000;

  private final Supplier<StoreStatus> status;
  private final Supplier<List<DataCentre>> others;
  private final InstantSource clock;
  private final Tags tags;
  private final List<Bound> bound = new CopyOnWriteArrayList<>();

  /** The values of counters while the store does not answer. */
  private volatile Optional<StoreStatus> last = Optional.empty();

  /** Creates the metrics of a store. */
  public StablecutMetrics(Store store) {
    this(store, List.of());
  }

  /**
   * Creates the metrics of one of several stores.
   *
   * @param tags of each metric, such as {@code Tags.of("store", "carts")}
   */
  public StablecutMetrics(Store store, Iterable<Tag> tags) {
    this(
        new CachedStatus<>(store::status),
        new CachedStatus<>(new OtherDataCentres(store)),
        InstantSource.system(),
        tags);
  }

  /**
   * Creates the metrics of a store for which this process has no {@link Store}, such as a server's.
   *
   * @param status returns its status; called for each metric
   * @param others returns the other data centres of its group; called for each metric about them
   * @param clock the clock for ages
   * @param tags of each metric
   */
  public StablecutMetrics(
      Supplier<StoreStatus> status,
      Supplier<List<DataCentre>> others,
      InstantSource clock,
      Iterable<Tag> tags) {
    this.status = Objects.requireNonNull(status, "status");
    this.others = Objects.requireNonNull(others, "others");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.tags = Tags.of(tags);
  }

  /**
   * Registers the metrics, replacing those with the same names and tags.
   *
   * @throws io.github.stablecut.error.StablecutException if the store does not return its status
   *     now
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    last = Optional.of(status.get());
    Meters meters = new Meters(registry);
    attention(meters);
    journal(meters);
    memory(meters);
    commits(meters);
    dataCentres(meters);
  }

  /**
   * Removes the metrics from the registries that they were bound to, except those that others have
   * replaced. The store stays open.
   */
  @Override
  public void close() {
    for (Bound one : bound) {
      one.remove();
    }
    bound.clear();
  }

  /** A meter in its registry. */
  private record Bound(MeterRegistry registry, Meter meter) {
    /** Removes the meter. Meters with the same name and tags are equal: another's stays. */
    void remove() {
      boolean isThere =
          registry.find(meter.getId().getName()).meters().stream().anyMatch(any -> any == meter);
      if (isThere) {
        registry.remove(meter);
      }
    }
  }

  /** The current or last status: an exception of a counter would fail the entire scrape. */
  private StoreStatus known() {
    try {
      StoreStatus now = status.get();
      last = Optional.of(now);
      return now;
    } catch (RuntimeException e) {
      return last.orElseThrow(() -> e);
    }
  }

  private static void attention(Meters meters) {
    meters.gauge(
        "failures", "current failures, as reported by status", s -> s.health().failures().size());
    meters.gauge(
        "warnings",
        "current warnings, such as a failed checkpoint, as reported by status",
        s -> s.health().warnings().size());
    meters.gauge(
        "partitions.readonly",
        "partitions in this process that accept no commits now, for example because a disk is full",
        s -> s.journal().problems().size());
    meters.gauge(
        "checkpoint.failures",
        "failed checkpoints since the last successful one",
        s -> s.checkpoints().failures());
    meters.gauge(
        "in.doubt",
        "transactions over several partitions whose outcome a partition does not know yet",
        s -> s.activity().inDoubt().size());
  }

  private void journal(Meters meters) {
    meters.gauge("journal.bytes", "disk space of the journal", s -> s.journal().allocatedBytes());
    meters.gauge("journal.segments", "files of the journal", s -> s.journal().segments());
    meters.gauge(
        "journal.largest.group",
        "maximum number of records that one sync made durable",
        s -> s.journal().largestGroup());
    meters.counter("journal.records", "records written", s -> s.journal().records());
    meters.counter(
        "journal.syncs", "syncs; records by syncs is the mean group", s -> s.journal().syncs());
    meters.gauge("checkpoint.bytes", "disk space of checkpoints", s -> s.checkpoints().bytes());
    meters.gauge(
        "checkpoint.age.seconds",
        "age of the newest checkpoint: younger changes are read from the journal after a"
            + " restart",
        s -> ageSeconds(s.times().checkpointTime()));
    meters.gauge(
        "low.watermark.age.seconds",
        "age of the oldest readable snapshot; 0 while everything is readable",
        s -> ageSeconds(s.times().lowWatermark()));
  }

  private double ageSeconds(CausalToken point) {
    return point.vector().size() == 0 ? 0 : secondsSince(point.time());
  }

  private double secondsSince(Instant moment) {
    return Duration.between(moment, clock.instant()).toMillis() / MILLIS;
  }

  private void memory(Meters meters) {
    meters.gauge("snapshots.open", "open transactions and pins", StoreStatus::openTransactions);
    meters.gauge("objects", "objects in memory", s -> s.memory().objects());
    meters.counter("cache.misses", "reads that had to materialize", s -> s.memory().misses());
    int levels = known().memory().cache().size();
    for (int level = 0; level < levels; level++) {
      int number = level;
      meters.counter(
          "cache.hits",
          "reads answered by a level of the cache",
          Tags.of("level", Integer.toString(level)),
          s -> s.memory().cache().get(number).hits());
    }
  }

  private static void commits(Meters meters) {
    meters.counter(
        "commits", "commits that were made durable", s -> s.activity().commits().count());
    for (long millis : COMMIT_MILLIS) {
      int last = Latencies.bucketOf(Duration.ofMillis(millis).toNanos());
      meters.counter(
          "commits.within",
          "commits that were durable within le seconds, or up to a quarter more",
          Tags.of("le", Double.toString(millis / MILLIS)),
          s -> s.activity().commits().counts().limit(last + 1L).sum());
    }
    meters.counter(
        "commits.within",
        "commits that were durable within le seconds, or up to a quarter more",
        Tags.of("le", "+Inf"),
        s -> s.activity().commits().count());
  }

  private void dataCentres(Meters meters) {
    meters.others(
        "datacentres.silent",
        "other data centres that have been silent for two seconds",
        all -> all.stream().filter(other -> !other.isReachable()).count());
    meters.others(
        "datacentres.lag.seconds",
        "how long ago what is missing here was committed at the data centre that is furthest"
            + " behind",
        all -> longest(all, DataCentre::received));
    meters.others(
        "datacentres.unacknowledged.seconds",
        "how long ago what is kept here for the data centre that has received least was committed",
        all -> longest(all, DataCentre::acknowledged));
    meters.others(
        "datacentres.max.lag.used.ratio",
        "how much of the maximum lag the data centre has used that is furthest behind this one: at 1"
            + " it is detached",
        all -> all.stream().mapToDouble(StablecutMetrics::maxLagUsed).max().orElse(0));
  }

  private static double maxLagUsed(DataCentre other) {
    double behind = other.behind().toMillis();
    return other.untilDetached().map(left -> behind / (behind + left.toMillis())).orElse(0.0);
  }

  private double longest(List<DataCentre> all, Function<DataCentre, Instant> what) {
    return all.isEmpty()
        ? 0
        : Math.max(0, secondsSince(Collections.min(all.stream().map(what).toList())));
  }

  /** Registers meters in a registry. */
  private final class Meters {
    private static final String PREFIX = "stablecut.";

    private final MeterRegistry registry;

    Meters(MeterRegistry registry) {
      this.registry = registry;
    }

    void gauge(String name, String description, ToDoubleFunction<StoreStatus> value) {
      bind(id(name, description, Tags.empty(), Meter.Type.GAUGE), id -> gauge(id, status, value));
    }

    void counter(String name, String description, ToDoubleFunction<StoreStatus> value) {
      counter(name, description, Tags.empty(), value);
    }

    /**
     * Adds a counter. A registry references a counter's object weakly but its function strongly, so
     * the function references the metrics.
     */
    void counter(String name, String description, Tags more, ToDoubleFunction<StoreStatus> value) {
      bind(
          id(name, description, more, Meter.Type.COUNTER),
          id ->
              FunctionCounter.builder(
                      id.getName(), StablecutMetrics.this, metrics -> value.applyAsDouble(known()))
                  .description(id.getDescription())
                  .tags(id.getTags())
                  .register(registry));
    }

    void others(String name, String description, ToDoubleFunction<List<DataCentre>> value) {
      bind(
          id(name, description, Tags.empty(), Meter.Type.GAUGE),
          id -> gauge(id, others, all -> value.applyAsDouble(taking(all))));
    }

    private <T> Gauge gauge(Meter.Id id, Supplier<T> known, ToDoubleFunction<T> value) {
      return Gauge.builder(id.getName(), known, all -> value.applyAsDouble(all.get()))
          .description(id.getDescription())
          .tags(id.getTags())
          .strongReference(true)
          .register(registry);
    }

    private Meter.Id id(String name, String description, Tags more, Meter.Type type) {
      return new Meter.Id(PREFIX + name, tags.and(more), null, description, type);
    }

    /**
     * Replaces a meter: a registry keeps the first of equal meters, which may be of a closed store.
     */
    private void bind(Meter.Id id, Function<Meter.Id, Meter> meter) {
      registry.removeByPreFilterId(id);
      bound.add(new Bound(registry, meter.apply(id)));
    }

    private static List<DataCentre> taking(List<DataCentre> all) {
      return all.stream().filter(one -> one.state() == DataCentre.State.MEMBER).toList();
    }
  }
}
