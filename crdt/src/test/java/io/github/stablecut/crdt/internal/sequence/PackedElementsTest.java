package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.MemoryPages;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.sequence.RgaList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Adjacent list elements in one array. */
class PackedElementsTest {
  private final Random random = new Random(3);

  private Bytes some(int bytes) {
    byte[] array = new byte[bytes];
    random.nextBytes(array);
    return Bytes.copyOf(array);
  }

  private List<Bytes> small(int count) {
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(some(random.nextInt(20)));
    }
    return elements;
  }

  @Test
  void equalTheElementsAlsoInParts() {
    for (int round = 0; round < 200; round++) {
      List<Bytes> elements = small(2 + random.nextInt(50));
      List<Bytes> packed = PackedElements.copyOf(elements);
      int from = random.nextInt(elements.size());
      int to = from + random.nextInt(elements.size() - from + 1);
      int end = from + random.nextInt(to - from + 1);
      List<Bytes> part = PackedElements.part(PackedElements.part(packed, from, to), 0, end - from);

      assertThat(packed).isInstanceOf(PackedElements.class).isEqualTo(elements);
      assertThat(part).isEqualTo(elements.subList(from, end));
      assertThat(((PackedElements) part).bytes(0, part.size()))
          .isEqualTo(elements.subList(from, end).stream().mapToInt(Bytes::length).sum());
    }
  }

  @Test
  void refuseMissingElements() {
    List<Bytes> part = PackedElements.part(PackedElements.copyOf(small(9)), 3, 6);

    assertThatThrownBy(() -> part.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> part.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> PackedElements.part(part, 1, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void doesNotCopyLargeOrSingleElements() {
    List<Bytes> large = List.of(some(1_000), some(10));
    List<Bytes> one = List.of(some(10));

    assertThat(PackedElements.copyOf(large).get(0)).isSameAs(large.get(0));
    assertThat(PackedElements.copyOf(one).get(0)).isSameAs(one.get(0));
  }

  @Test
  void aListInPagesHasPackedElements() {
    RgaList type = RgaList.TYPE;
    List<Bytes> elements = small(2_000);
    var effect =
        type.downstream(
            RgaList.insert(0, elements),
            type.initial(),
            new OperationContext(0, VectorClock.ZERO, new SelfDots()));
    var state = type.apply(type.initial(), effect, new EffectOrigin(0, 1, VectorClock.ZERO));

    var read = MemoryPages.of(type, state).state(type);

    read.elements()
        .tree()
        .forEach(
            run ->
                assertThat(((Run.Visible<List<Bytes>>) run).elements())
                    .isInstanceOf(PackedElements.class));
    assertThat(new ElementList(read.elements())).isEqualTo(elements);
  }
}
