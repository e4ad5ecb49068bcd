package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Objects in blocks equal those in a sorted map, also during iteration. */
class OrderedObjectsProperties {
  private static final int BLOCK = 16;
  private static final int IDS = 4 * BLOCK;

  private final OrderedObjects objects = new OrderedObjects(BLOCK);
  private final NavigableMap<Bytes, ObjectEntry> model = new TreeMap<>();

  /** Includes the empty id and ids that are prefixes of others. */
  private static Bytes id(int number) {
    return number == 0
        ? Bytes.EMPTY
        : Bytes.utf8(number % 2 == 0 ? "k%05d".formatted(number) : "k%05d+".formatted(number - 1));
  }

  private void put(Bytes id) {
    ObjectEntry entry = new ObjectEntry(id);
    objects.put(entry);
    model.put(id, entry);
  }

  private void remove(Bytes id) {
    objects.remove(new ObjectEntry(id));
    model.remove(id);
  }

  private static void check(
      List<Map.Entry<Bytes, ObjectEntry>> seen, List<Map.Entry<Bytes, ObjectEntry>> expected) {
    assertThat(seen).isEqualTo(expected);
    for (int i = 0; i < seen.size(); i++) {
      assertThat(seen.get(i).getValue()).isSameAs(expected.get(i).getValue());
    }
  }

  private void checkAll() {
    List<Map.Entry<Bytes, ObjectEntry>> all = new ArrayList<>();
    objects.forEachFrom(Bytes.EMPTY, (id, entry) -> all.add(Map.entry(id, entry)));
    check(all, List.copyOf(model.entrySet()));
  }

  private void checkRange(Random random) {
    Bytes from = id(random.nextInt(IDS));
    boolean isBounded = random.nextBoolean();
    IdRange range = isBounded ? IdRange.between(from, id(random.nextInt(IDS))) : IdRange.from(from);
    boolean isDescending = random.nextBoolean();
    int limit = 1 + random.nextInt(IDS);
    NavigableMap<Bytes, ObjectEntry> inside = new TreeMap<>(model);
    inside.keySet().removeIf(id -> !range.contains(id));
    check(
        objects.first(range, isDescending, limit),
        (isDescending ? inside.descendingMap() : inside).entrySet().stream().limit(limit).toList());
  }

  @Property(tries = 50)
  void equalASortedMap(@ForAll long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      boolean isFilled = random.nextBoolean();
      for (int i = 0; i < IDS; i++) {
        Bytes id = id(random.nextInt(4) == 0 ? i : random.nextInt(IDS));
        if (random.nextInt(4) == 0 == isFilled) {
          remove(id);
        } else {
          put(id);
        }
      }
      checkAll();
      for (int i = 0; i < 20; i++) {
        checkRange(random);
      }
    }
    List.copyOf(model.keySet()).forEach(this::remove);
    checkAll();
  }

  @Example
  void ascendingInsertionFillsBlocks() {
    for (int i = 0; i < 10 * BLOCK; i++) {
      put(id(i));
    }
    checkAll();

    assertThat(objects.blocks()).isEqualTo(10);
  }

  @Example
  void iterationSeesNothingTwiceThoughBlocksAreSplit() {
    for (boolean isDescending : List.of(false, true)) {
      OrderedObjects divided = new OrderedObjects(2);
      List<Bytes> ids = new ArrayList<>();
      for (int i = 0; i < 40; i += 4) {
        ids.add(Bytes.utf8("k%05d".formatted(i)));
        divided.put(new ObjectEntry(ids.get(ids.size() - 1)));
      }
      List<Bytes> seen = new ArrayList<>();
      BiPredicate<Bytes, ObjectEntry> visitor =
          (id, entry) -> {
            seen.add(id);
            // Behind it, and therefore in its block, which is split.
            divided.put(new ObjectEntry(Bytes.utf8(id.toUtf8() + (isDescending ? "+" : ""))));
            for (int i = 0; i < 40; i++) {
              divided.put(new ObjectEntry(Bytes.utf8("k%05d".formatted(i))));
            }
            return true;
          };
      if (isDescending) {
        divided.forEachBelow(null, visitor);
        Collections.reverse(seen);
      } else {
        divided.forEachFrom(Bytes.EMPTY, visitor);
      }
      assertThat(seen).doesNotHaveDuplicates().isSorted().containsAll(ids);
    }
  }

  /** Finds a block and reads it later, as the JDK's map may; something else happens in between. */
  private static final class SlowBlocks extends ConcurrentSkipListMap<Bytes, OrderedObjects.Block> {
    private static final long serialVersionUID = 1;

    private transient @Nullable Runnable inBetween;

    private Map.@Nullable Entry<Bytes, OrderedObjects.Block> read(@Nullable Bytes bound) {
      Runnable other = inBetween;
      inBetween = null;
      if (other != null) {
        other.run();
      }
      return bound == null ? null : Map.entry(bound, get(bound));
    }

    @Override
    public Map.@Nullable Entry<Bytes, OrderedObjects.Block> lowerEntry(Bytes id) {
      return read(lowerKey(id));
    }

    @Override
    public Map.@Nullable Entry<Bytes, OrderedObjects.Block> lastEntry() {
      return read(lastKey());
    }
  }

  @Example
  void descendingIterationSeesTheUpperHalfOfASplitBlock() {
    for (IdRange range : List.of(IdRange.all(), IdRange.between(Bytes.EMPTY, id(9)))) {
      SlowBlocks blocks = new SlowBlocks();
      OrderedObjects divided = new OrderedObjects(2, blocks);
      divided.put(new ObjectEntry(id(2)));
      divided.put(new ObjectEntry(id(8)));
      blocks.inBetween = () -> divided.put(new ObjectEntry(id(4)));

      assertThat(divided.first(range, true, 10))
          .extracting(Map.Entry::getKey)
          .contains(id(2), id(8));
      assertThat(divided.blocks()).isEqualTo(2);
    }
  }

  /** Some objects stay, and others are added and removed between them, so that blocks are split. */
  @Example
  void iterationSeesPermanentObjectsOnceInBothDirections() throws Exception {
    OrderedObjects objects = new OrderedObjects(2);
    List<Bytes> staying = new ArrayList<>();
    for (int i = 0; i < 64; i += 8) {
      staying.add(Bytes.utf8("k%05d".formatted(i)));
    }
    staying.forEach(id -> objects.put(new ObjectEntry(id)));
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService writers = Executors.newSingleThreadExecutor();
    Future<?> writing =
        writers.submit(
            () -> {
              Random random = new Random(1);
              while (!isOver.get()) {
                boolean comes = random.nextBoolean();
                for (int i = 0; i < 64; i++) {
                  int number = random.nextInt(64);
                  Bytes id = Bytes.utf8("k%05d".formatted(number));
                  if (number % 8 != 0) {
                    if (comes) {
                      objects.put(new ObjectEntry(id));
                    } else {
                      objects.remove(new ObjectEntry(id));
                    }
                  }
                }
              }
            });
    try {
      for (int round = 0; round < 100_000; round++) {
        boolean isDescending = round % 2 == 0;
        List<Bytes> seen =
            objects.first(IdRange.all(), isDescending, Integer.MAX_VALUE).stream()
                .map(Map.Entry::getKey)
                .toList();

        NavigableSet<Bytes> sorted = new TreeSet<>(seen);
        assertThat(seen).isEqualTo(List.copyOf(isDescending ? sorted.descendingSet() : sorted));
        assertThat(sorted.containsAll(staying)).as("%s of %s", seen, staying).isTrue();
      }
    } finally {
      isOver.set(true);
      writing.get();
      writers.shutdown();
    }
  }
}
