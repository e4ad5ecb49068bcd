package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A table of entries equals a map, also under concurrent changes. */
class ObjectTableProperties {
  private static final int IDS = 1_000;
  private static final Version VERSION =
      new Version(PnCounter.TYPE, VectorClock.of(1), VectorClock.of(1), 1L, 1);

  private final ObjectTable table = new ObjectTable();
  private final Map<Bytes, ObjectEntry> model = new HashMap<>();

  private static Bytes id(int number) {
    return Bytes.utf8("k" + number);
  }

  private void add(Bytes id) {
    ObjectEntry entry = table.change(id, made -> made.offer(VERSION));
    assertThat(entry).isNotNull().isSameAs(model.getOrDefault(id, entry));
    model.put(id, entry);
  }

  private void remove(Bytes id) {
    assertThat(table.changeKnown(id, ObjectEntry::evict)).isNull();
    model.remove(id);
  }

  private void check() {
    assertThat(table.size()).isEqualTo(model.size());
    for (int i = 0; i < IDS; i++) {
      assertThat(table.find(id(i))).isSameAs(model.get(id(i)));
    }
    List<ObjectEntry> all = new ArrayList<>();
    table.forEach(all::add);
    assertThat(all).doesNotHaveDuplicates().hasSameSizeAs(model.values());
    assertThat(model.values()).containsAll(all);
  }

  @Property(tries = 10)
  void equalsAMap(@ForAll long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      boolean isFilled = random.nextBoolean();
      for (int i = 0; i < IDS; i++) {
        Bytes id = id(random.nextInt(IDS));
        if (random.nextInt(4) == 0 == isFilled) {
          remove(id);
        } else {
          add(id);
        }
      }
      check();
    }
    List.copyOf(model.keySet()).forEach(this::remove);
    check();
  }

  @Example
  void doesNotKeepAnEntryThatAChangeEmptied() {
    assertThat(table.change(id(1), entry -> {})).isNull();
    assertThat(table.find(id(1))).isNull();
    check();
  }

  /** Some entries stay, and others are added and removed, so that chains are relinked. */
  @Example
  void findsPermanentEntriesDuringChanges() throws Exception {
    ExecutorService writers = Executors.newSingleThreadExecutor();
    try {
      for (int round = 0; round < 80; round++) {
        ObjectTable growing = new ObjectTable();
        Map<Bytes, ObjectEntry> staying = new HashMap<>();
        for (int i = 0; i < IDS; i += 8) {
          staying.put(id(i), growing.change(id(i), entry -> entry.offer(VERSION)));
        }
        Future<?> writing =
            writers.submit(
                () -> {
                  for (int i = 0; i < 10 * IDS; i++) {
                    growing.change(id(i), entry -> entry.offer(VERSION));
                    if (i % 3 == 1 && i % 8 != 0) {
                      growing.changeKnown(id(i), ObjectEntry::evict);
                    }
                  }
                });
        while (!writing.isDone()) {
          staying.forEach((id, entry) -> assertThat(growing.find(id)).isSameAs(entry));
          Set<ObjectEntry> seen = new HashSet<>();
          growing.forEach(seen::add);
          assertThat(seen.containsAll(staying.values())).isTrue();
        }
        writing.get();
      }
    } finally {
      writers.shutdown();
    }
  }

  @Example
  void serializesChangesOfOneEntry() throws Exception {
    int each = 20_000;
    int[] changes = new int[1];
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<?>> running = new ArrayList<>();
    for (int thread = 0; thread < 2; thread++) {
      running.add(
          threads.submit(
              () -> {
                for (int i = 0; i < each; i++) {
                  boolean goes = i % 2 == 0;
                  table.change(
                      id(1),
                      entry -> {
                        changes[0]++;
                        if (goes) {
                          entry.evict();
                        } else {
                          entry.offer(VERSION);
                        }
                      });
                }
              }));
    }
    for (Future<?> thread : running) {
      thread.get();
    }
    threads.shutdown();

    assertThat(changes[0]).isEqualTo(2 * each);
  }
}
