package io.github.stablecut.internal.partition.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReplicaInboxTest {
  private static final ReplicaMessage GROUP =
      new ReplicaMessage.Group(1, 1, 0, 1, List.of(new LogRecord((byte) 1, new byte[8])), 1);
  private static final ReplicaMessage HEARTBEAT =
      new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1);
  private static final ReplicaMessage CONFIRM = new ReplicaMessage.ReadIndexRequest(1, 1);

  private final ReplicaInbox inbox = new ReplicaInbox();

  @Test
  void oneGroupWaitsAndItsRepetitionsAreDropped() {
    assertThat(inbox.admits(GROUP)).isTrue();
    assertThat(inbox.admits(GROUP)).isFalse();
    assertThat(inbox.admits(HEARTBEAT)).isTrue();

    inbox.taken(HEARTBEAT);
    assertThat(inbox.admits(GROUP)).isFalse();
    inbox.taken(GROUP);
    assertThat(inbox.admits(GROUP)).isTrue();
  }

  @Test
  void theBoundLimitsWaitingMessages() {
    for (int i = 0; i < ReplicaInbox.MAX_WAITING; i++) {
      assertThat(inbox.admits(CONFIRM)).isTrue();
    }
    assertThat(inbox.admits(CONFIRM)).isFalse();
    assertThat(inbox.admits(GROUP)).isFalse();

    inbox.taken(CONFIRM);
    assertThat(inbox.admits(GROUP)).isTrue();
    assertThat(inbox.admits(CONFIRM)).isFalse();
  }
}
