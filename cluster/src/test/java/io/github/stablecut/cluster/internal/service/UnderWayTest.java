package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnderWayTest {
  private final UnderWay underWay = new UnderWay();
  private final List<Integer> given = new ArrayList<>();

  private static Written written(int partition, int... objects) {
    return new Written(
        partition,
        Set.copyOf(
            Arrays.stream(objects)
                .mapToObj(object -> Bytes.utf8(Integer.toString(object)))
                .toList()));
  }

  private boolean giveNext() {
    return underWay
        .next()
        .map(
            answer -> {
              answer.run();
              return underWay.answered();
            })
        .orElse(false);
  }

  @Test
  void anAnswerWaitsForThoseBeforeIt() {
    UnderWay.Place first = underWay.add();
    UnderWay.Place second = underWay.follow().orElseThrow();
    underWay.answer(second, () -> given.add(2));
    assertThat(underWay.next()).isEmpty();

    underWay.answer(first, () -> given.add(1));

    assertThat(giveNext()).isFalse();
    assertThat(giveNext()).isTrue();
    assertThat(given).containsExactly(1, 2);
    assertThat(underWay.follow()).isEmpty();
  }

  @Test
  void oneIsGivenAtATime() {
    UnderWay.Place first = underWay.add();
    UnderWay.Place second = underWay.add();
    underWay.answer(first, () -> given.add(1));
    underWay.answer(second, () -> given.add(2));

    underWay.next().orElseThrow().run();
    assertThat(underWay.next()).isEmpty();

    assertThat(underWay.answered()).isFalse();
    assertThat(underWay.next()).isPresent();
    assertThat(underWay.remove(underWay.add())).isFalse();
    assertThat(underWay.answered()).isTrue();
  }

  @Test
  void whatSharesAnObjectOrIsElsewhereIsNotIndependent() {
    underWay.begun(underWay.add(), written(1, 7, 8), false);

    assertThat(underWay.isIndependent(written(1, 9))).isTrue();
    assertThat(underWay.isIndependent(written(1, 9, 8))).isFalse();
    assertThat(underWay.isIndependent(written(2, 9))).isFalse();
  }

  @Test
  void whoWaitsForTheNextAnswerIsToldThatTheServerIsAlive() {
    UnderWay.Place first = underWay.add();
    underWay.begun(first, written(1, 7), true);
    underWay.begun(underWay.add(), written(1, 8), false);
    assertThat(underWay.saysAlive()).isTrue();
    underWay.answer(first, () -> {});

    assertThat(giveNext()).isFalse();

    assertThat(underWay.saysAlive()).isFalse();
  }
}
