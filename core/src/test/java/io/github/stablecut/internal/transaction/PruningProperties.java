package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.sequence.Text;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.FlagKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Checkpoints prune objects' states to what transactions still need, while transactions with old
 * snapshots commit effects onto them: all reads equal those of a twin without checkpoints.
 */
final class PruningProperties {
  private static final int STEPS = 120;
  private static final int OPEN = 4;

  private static final ResettableCounterKey COUNTER = Key.resettableCounter("b", "counter");
  private static final RemoveWinsSetKey<String> SET = Key.removeWinsSet("b", "set", Codec.string());
  private static final FlagKey FLAG = Key.disableWinsFlag("b", "flag");
  private static final TextKey TEXT = Key.text("b", "text");
  private static final CounterMapKey<String> MAP = Key.counterMap("b", "map", Codec.string());
  private static final List<Key<?>> KEYS = List.of(COUNTER, SET, FLAG, TEXT, MAP);

  /** A transaction on the store under test, and the same one on the twin. */
  private record OpenPair(Transaction tested, Transaction twin) {
    void check() {
      for (Key<?> key : KEYS) {
        assertThat((Object) tested.read(key)).as("%s", key).isEqualTo(twin.read(key));
      }
    }
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void pruningIsInvisible(@ForAll long seed) {
    Random random = new Random(seed);
    StoreOptions options =
        StoreOptions.defaults().withExecutor(Runnable::run).withLimits(LossyDisk.LIMITS);
    boolean forgets = random.nextBoolean();
    CheckpointPolicy policy =
        forgets
            ? CheckpointPolicy.byCall().withRetention(Duration.ZERO)
            : CheckpointPolicy.byCall().withEndlessRetention();
    LossyDisk disk = LossyDisk.empty();
    EmbeddedStore store = disk.open(options.withCheckpoints(policy));
    EmbeddedStore twin = LossyDisk.empty().open(options.withCheckpoints(CheckpointPolicy.byCall()));
    List<OpenPair> open = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int kind = random.nextInt(20);
      if (kind < 4 && open.size() < OPEN) {
        open.add(new OpenPair(store.begin(), twin.begin()));
      } else if (kind < 12 && !open.isEmpty()) {
        execute(open.get(random.nextInt(open.size())), random);
      } else if (kind < 16 && !open.isEmpty()) {
        OpenPair ended = open.remove(random.nextInt(open.size()));
        ended.tested.commit();
        ended.twin.commit();
      } else if (kind < 19) {
        store.checkpoint();
      } else {
        open.forEach(one -> one.tested.close());
        open.forEach(one -> one.twin.close());
        open.clear();
        LossyDisk left = disk.afterKill();
        store.close();
        disk = left;
        store = disk.open(options.withCheckpoints(policy));
      }
    }
    new OpenPair(store.begin(), twin.begin()).check();
    if (!forgets) {
      checkReplay(store);
    }
    store.close();
    twin.close();
  }

  /** Effects made from pruned states do the same to unpruned ones. */
  private static void checkReplay(EmbeddedStore store) {
    Partition only = store.partitions().local().get(0);
    for (Key<?> key : KEYS) {
      assertThat((Object) replayed(key, only)).as("%s", key).isEqualTo(store.read(key));
    }
  }

  private static <V> V replayed(Key<V> key, Partition partition) {
    Object state =
        partition
            .replay()
            .versionAt(key.id(), partition.stable())
            .map(Version::state)
            .orElseGet(key.type()::initial);
    return key.view(state, partition.stable());
  }

  private static void execute(OpenPair open, Random random) {
    open.check();
    Text text = open.twin.read(TEXT);
    String name = "" + random.nextInt(2);
    int place = text.isEmpty() ? 0 : random.nextInt(text.length());
    Update update =
        switch (random.nextInt(10)) {
          case 0, 1 -> COUNTER.increment(1 + random.nextInt(3));
          case 2 -> COUNTER.reset();
          case 3 -> SET.add(name);
          case 4 -> SET.remove(name);
          case 5 -> random.nextBoolean() ? SET.clear() : FLAG.reset();
          case 6 -> random.nextBoolean() ? FLAG.enable() : FLAG.disable();
          case 7 -> MAP.increment(name, 1);
          case 8 -> text.isEmpty() ? MAP.increment(name, 2) : TEXT.delete(place, 1);
          default -> TEXT.insert(place, name);
        };
    open.tested.update(update);
    open.twin.update(update);
    open.check();
  }
}
