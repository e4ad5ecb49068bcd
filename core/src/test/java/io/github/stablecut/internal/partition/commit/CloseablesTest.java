package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CloseablesTest {
  @Test
  void closesEachEvenIfAnotherOneFails() {
    List<Integer> closed = new ArrayList<>();

    assertThatThrownBy(
            () ->
                Closeables.each(
                    List.of(1, 2, 3, 4),
                    one -> {
                      closed.add(one);
                      if (one == 2) {
                        throw new StackOverflowError("at two");
                      }
                      if (one == 3) {
                        throw new IllegalStateException("at three");
                      }
                    }))
        .isInstanceOf(StackOverflowError.class)
        .hasSuppressedException(new IllegalStateException("at three"));

    assertThat(closed).containsExactly(1, 2, 3, 4);
  }
}
