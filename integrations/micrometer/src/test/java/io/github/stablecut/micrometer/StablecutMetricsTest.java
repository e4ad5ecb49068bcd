package io.github.stablecut.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.junit.StoreExtension;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.replication.DataCentre;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store's figures as metrics. */
final class StablecutMetricsTest {
  private static final CounterKey PAID = Key.counter("carts", "paid");

  private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");

  @RegisterExtension final StoreExtension stores = StoreExtension.onLossyDisk();

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double gauge(String name) {
    return registry.get("stablecut." + name).gauge().value();
  }

  private double counter(String name, String... tags) {
    return registry.get("stablecut." + name).tags(tags).functionCounter().count();
  }

  @Test
  void showWhatAStoreDoes(Store store) {
    for (int i = 0; i < 5; i++) {
      store.update(PAID.increment());
    }

    new StablecutMetrics(store).bindTo(registry);

    assertThat(counter("commits")).isEqualTo(5);
    assertThat(counter("commits.within", "le", "+Inf")).isEqualTo(5);
    assertThat(counter("commits.within", "le", "0.001"))
        .isLessThanOrEqualTo(counter("commits.within", "le", "10.0"));
    assertThat(counter("journal.records")).isGreaterThanOrEqualTo(5);
    assertThat(counter("cache.hits", "level", "0")).isNotNegative();
    assertThat(gauge("journal.bytes")).isPositive();
    assertThat(gauge("objects")).isEqualTo(1);
    assertThat(gauge("low.watermark.age.seconds")).isZero();
    assertThat(gauge("datacentres.silent")).isZero();
    assertThat(gauge("datacentres.lag.seconds")).isZero();
    assertThat(gauge("warnings")).isZero();
  }

  @Test
  void stayAsTheyWereOnceTheStoreIsClosed(Store store) {
    store.update(PAID.increment());
    new StablecutMetrics(store).bindTo(registry);
    store.close();

    assertThat(counter("commits")).isEqualTo(1);
    assertThat(gauge("datacentres.silent")).isZero();
  }

  /** A filtering registry admits few meters; each of them works alone. */
  @Test
  void continueWithoutTheOthersAndWithoutTheirBinder(Store store) {
    registry
        .config()
        .meterFilter(MeterFilter.denyUnless(id -> id.getName().equals("stablecut.commits")));
    store.update(PAID.increment());
    new StablecutMetrics(store).bindTo(registry);
    WeakReference<Object> collected = new WeakReference<>(new Object());

    while (collected.get() != null) {
      System.gc();
    }

    assertThat(registry.getMeters()).hasSize(1);
    assertThat(counter("commits")).isEqualTo(1);
  }

  @Test
  void areToldApartByTags(Store store) {
    store.update(PAID.increment());
    new StablecutMetrics(store, Tags.of("store", "carts")).bindTo(registry);
    new StablecutMetrics(store, Tags.of("store", "users")).bindTo(registry);

    assertThat(registry.get("stablecut.commits").tag("store", "carts").functionCounter().count())
        .isEqualTo(1);
    assertThat(registry.find("stablecut.objects").tag("store", "users").gauges()).hasSize(1);
  }

  @Test
  void areWrittenAsPrometheusReadsThem(Store store) {
    store.update(PAID.increment());
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new StablecutMetrics(store).bindTo(prometheus);

    assertThat(prometheus.scrape())
        .contains("stablecut_commits_total 1.0\n")
        .contains("stablecut_commits_within_total{le=\"+Inf\"} 1.0\n")
        .contains("stablecut_in_doubt 0.0\n")
        .contains("stablecut_datacentres_lag_seconds 0.0\n");
  }

  @Test
  void showWhatNeedsAttention(Store store) {
    StoreStatus status = store.status();
    StoreStatus troubled =
        new StoreStatus(
            status.storeId(),
            status.epoch(),
            status.partitions(),
            2,
            status.times(),
            status.journal(),
            new StoreStatus.Checkpoints(1, List.of(7L), 100, 0, 0, 3, List.of()),
            status.memory(),
            status.hooks(),
            new StoreStatus.Activity(Latencies.none(), List.of(), List.of("a", "b")),
            new StoreStatus.Health(List.of("journal"), List.of("c", "d", "e", "f")));
    List<DataCentre> others =
        List.of(
            other(DataCentre.State.MEMBER, true, 2, 30),
            other(DataCentre.State.MEMBER, false, 90, 5),
            other(DataCentre.State.DETACHED, false, 9_000, 9_000));

    new StablecutMetrics(() -> troubled, () -> others, InstantSource.fixed(NOON), List.of())
        .bindTo(registry);

    assertThat(gauge("in.doubt")).isEqualTo(2);
    assertThat(gauge("checkpoint.failures")).isEqualTo(3);
    assertThat(gauge("failures")).isEqualTo(1);
    assertThat(gauge("warnings")).isEqualTo(4);
    assertThat(gauge("snapshots.open")).isEqualTo(2);
    assertThat(gauge("datacentres.silent")).isEqualTo(1);
    assertThat(gauge("datacentres.lag.seconds")).isEqualTo(90);
    assertThat(gauge("datacentres.unacknowledged.seconds")).isEqualTo(30);
    assertThat(gauge("datacentres.max.lag.used.ratio")).isEqualTo(0.25);
  }

  @Test
  void leaveAScrapeWholeWhileTheStoreDoesNotTellItsFigures(Store store) {
    store.update(PAID.increment());
    AtomicBoolean isAway = new AtomicBoolean();
    Supplier<StoreStatus> status =
        () -> {
          if (isAway.get()) {
            throw new StoreClosedException("away");
          }
          return store.status();
        };
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new StablecutMetrics(status, List::of, InstantSource.system(), List.of()).bindTo(prometheus);
    isAway.set(true);

    assertThat(prometheus.scrape())
        .contains("stablecut_commits_total 1.0\n")
        .contains("stablecut_objects NaN\n");
  }

  @Test
  void areThoseOfTheStoreThatWasOpenedAgain(Store store) {
    store.update(PAID.increment());
    StablecutMetrics first = new StablecutMetrics(store);
    first.bindTo(registry);
    Store again = stores.reopen();
    again.update(PAID.increment());
    again.update(PAID.increment());

    new StablecutMetrics(again).bindTo(registry);
    first.close();

    assertThat(counter("commits")).isEqualTo(2);
    assertThat(registry.find("stablecut.objects").gauges()).hasSize(1);
  }

  @Test
  void areRemovedOnceTheyAreClosed(Store store) {
    try (StablecutMetrics metrics = new StablecutMetrics(store)) {
      metrics.bindTo(registry);
    }

    assertThat(registry.getMeters()).isEmpty();
  }

  private static DataCentre other(
      DataCentre.State state, boolean isHeard, int secondsBehind, int secondsKept) {
    return new DataCentre(
        2,
        5,
        state,
        Optional.empty(),
        isHeard,
        NOON.minusSeconds(secondsBehind),
        NOON.minusSeconds(secondsKept),
        Duration.ofSeconds(secondsKept),
        secondsKept == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(3L * secondsKept)),
        Optional.empty());
  }
}
