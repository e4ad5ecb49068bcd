package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A write that failed while its partition moved away is sent to the next owner at most once. */
final class ClusterPartitionTest {
  @Test
  void aWriteThatMayBeInTheJournalIsNotSentAgain() {
    RuntimeException unknown = new OutcomeUnknownException("injected");

    assertThat(ClusterPartition.mayBeWritten(unknown)).isTrue();
    assertThat(ClusterPartition.mayBeWritten(new CompletionException(unknown))).isTrue();
    assertThat(ClusterPartition.mayBeWritten(new OutOfMemoryError())).isTrue();
    assertThat(ClusterPartition.mayBeWritten(new ConflictException("injected"))).isFalse();
  }
}
