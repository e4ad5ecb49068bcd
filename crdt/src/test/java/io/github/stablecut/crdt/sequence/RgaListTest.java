package io.github.stablecut.crdt.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RgaListTest {
  private static final RgaList LIST = RgaList.TYPE;
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes C = Bytes.utf8("c");

  private static State<List<Bytes>> after(
      State<List<Bytes>> state, Operation<List<Bytes>> operation, long time) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    Effect<List<Bytes>> effect = LIST.downstream(operation, state, context);
    return LIST.apply(state, effect, new EffectOrigin(0, time, VectorClock.ZERO));
  }

  @Test
  void insertsAndDeletesByPosition() {
    State<List<Bytes>> state = after(LIST.initial(), RgaList.insert(0, List.of(A, C)), 1);
    state = after(state, RgaList.insert(1, List.of(B, B)), 2);
    state = after(state, Rga.delete(2, 2), 3);

    assertThat(LIST.value(state, VectorClock.ZERO)).containsExactly(A, B);
  }

  @Test
  void holdsTheSameElementMoreThanOnce() {
    State<List<Bytes>> state = after(LIST.initial(), RgaList.insert(0, List.of(A, A)), 1);
    state = after(state, RgaList.insert(2, List.of(A)), 2);

    assertThat(LIST.value(state, VectorClock.ZERO)).containsExactly(A, A, A);
  }

  @Test
  void neitherSharesTheUsersListNorExposesItsOwn() {
    List<Bytes> elements = new ArrayList<>(List.of(A));
    Operation<List<Bytes>> operation = RgaList.insert(0, elements);
    elements.add(B);
    State<List<Bytes>> state = after(LIST.initial(), operation, 1);

    List<Bytes> value = LIST.value(state, VectorClock.ZERO);

    assertThat(value).containsExactly(A);
    assertThatThrownBy(() -> value.set(0, B)).isInstanceOf(UnsupportedOperationException.class);
  }
}
