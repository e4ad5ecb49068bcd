package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power of a store with several partitions under load while commits are acknowledged
 * before they are synced: the remains are the store's state at one moment.
 */
final class PeriodicPowerCutTest {
  private static final int CUTS = 200;
  private static final int PARTITIONS = 3;
  private static final int COMMITS_PER_CUT = 150;
  private static final Duration INTERVAL = Duration.ofMillis(10);
  private static final String LARGE = "x".repeat(100_000);

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withPartitions(PARTITIONS)
          .withDurability(Durability.periodic(INTERVAL))
          .withCheckpoints(
              CheckpointPolicy.defaults().withEffects(1_000).withRetention(Duration.ZERO))
          .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20));

  /** A counter on each partition, found before. */
  private final List<CounterKey> spread = new ArrayList<>();

  private final AtomicLong commits = new AtomicLong();
  private final AtomicLong acknowledgedPairs = new AtomicLong();
  private LossyDisks disks = LossyDisks.empty(PARTITIONS);

  private CounterKey left() {
    return spread.get(0);
  }

  private CounterKey right() {
    return spread.get(1);
  }

  /** Counts the requests of the session, on the partition that {@link #large} fills. */
  private final CounterKey requests = Key.counter("requests", "all");

  private final RegisterKey<String> large = Key.register("large", "0", Codec.string());
  private final CounterKey cause = Key.counter("cause", "0");
  private final CounterKey effect = Key.counter("effect", "0");

  private void findSpread(EmbeddedStore store) {
    for (int i = 0; spread.size() < PARTITIONS; i++) {
      CounterKey key = Key.counter("pair", "" + i);
      if (store.partitions().of(key.id()).number() == spread.size()) {
        spread.add(key);
      }
    }
  }

  /** Repeats an action until the power is cut. */
  private Thread again(Runnable once) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  once.run();
                  commits.incrementAndGet();
                }
              } catch (StablecutException cut) {
                // The power was cut.
              }
            });
    thread.start();
    return thread;
  }

  private void requestOnce(Session session, AtomicLong next) {
    session.update(next.get(), requests.increment());
    next.incrementAndGet();
  }

  private List<Thread> load(Store store, Session session, boolean hasCheckpoints) {
    AtomicLong next = new AtomicLong(store.read(requests) + 1);
    List<Thread> threads = new ArrayList<>();
    threads.add(
        again(
            () -> {
              store.update(left().increment(), right().increment());
              acknowledgedPairs.incrementAndGet();
            }));
    threads.add(again(() -> store.update(cause.increment())));
    threads.add(
        again(
            () -> store.run(tx -> tx.update(effect.increment(tx.read(cause) - tx.read(effect))))));
    threads.add(again(() -> requestOnce(session, next)));
    if (hasCheckpoints) {
      threads.add(again(store::checkpoint));
      threads.add(again(() -> store.update(large.assign(LARGE))));
    }
    return threads;
  }

  private static void closeWithoutPower(Store store) {
    try {
      store.close();
    } catch (StablecutException expected) {
      // It can't write its last records.
    }
  }

  private void check(EmbeddedStore store, SessionId session) {
    Values values = store.read(List.of(left(), right(), cause, effect));
    assertThat(values.get(left())).isEqualTo(values.get(right()));
    assertThat(values.get(effect)).isLessThanOrEqualTo(values.get(cause));
    long done = store.read(requests);
    if (done > 0) {
      store.session(session).update(done, requests.increment());
      assertThat(store.read(requests)).isEqualTo(done);
    }
  }

  @Test
  void theRemainsAreTheStateOfOneMoment() throws Exception {
    Random random = new Random(11);
    SessionId session;
    try (EmbeddedStore store = disks.open(OPTIONS)) {
      findSpread(store);
      session = store.openSession().id();
    }
    long lost = 0;
    long kept = 0;
    for (int cut = 0; cut < CUTS; cut++) {
      EmbeddedStore store = disks.open(OPTIONS);
      long before = store.read(left());
      acknowledgedPairs.set(0);
      commits.set(0);
      List<Thread> threads = load(store, store.session(session), cut % 2 == 0);
      awaitCommits(random.nextInt(COMMITS_PER_CUT));

      disks.switchOff();
      closeWithoutPower(store);
      for (Thread thread : threads) {
        thread.join();
      }
      disks = disks.afterPowerCut(random, random.nextDouble());

      try (EmbeddedStore after = disks.open(OPTIONS)) {
        check(after, session);
        kept += after.read(left()) - before;
        lost += Math.max(0, before + acknowledgedPairs.get() - after.read(left()));
      }
      // Later, the process that has opened it is killed.
      disks = disks.afterKill();
      try (EmbeddedStore after = disks.open(OPTIONS.withDurability(Durability.batch()))) {
        check(after, session);
      }
    }
    assertThat(lost).isPositive();
    assertThat(kept).isPositive();
  }

  private void awaitCommits(long enough) {
    while (commits.get() < enough) {
      Thread.onSpinWait();
    }
  }
}
