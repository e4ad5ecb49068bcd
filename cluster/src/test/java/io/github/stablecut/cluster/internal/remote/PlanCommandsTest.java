package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.MoveRefusedException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The error messages of administrative commands on which the register can't agree. */
final class PlanCommandsTest {
  @Test
  void explainsWhyTheRegisterDoesNotAnswerAndWhatToDo() {
    CompletableFuture<String> failed =
        CompletableFuture.failedFuture(new IOException("none of the nodes leads it"));

    assertThat(PlanCommands.answer(CompletableFuture.completedFuture("agreed")))
        .isEqualTo("agreed");
    assertThatThrownBy(() -> PlanCommands.answer(failed))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("does not answer (none of the nodes leads it): it needs a majority")
        .hasMessageContaining("stablecut cluster recover");
    assertThat(PlanCommands.words(new TimeoutException())).isEqualTo("no answer in time");
  }
}
