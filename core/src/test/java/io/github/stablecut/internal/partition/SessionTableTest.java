package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.record.RequestId;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The sessions of a partition take a bounded part of the memory. */
class SessionTableTest {
  private static final Duration LIFETIME = Duration.ofHours(1);
  private static final long OPENED = 1_000_000;
  private static final int MOST = 3;

  private final SessionTable sessions = new SessionTable(LIFETIME, MOST);

  private static RequestId request(long opened, long session, long number) {
    return new RequestId(new UUID(opened, session), number);
  }

  @Test
  void oneMoreSessionThanThereIsRoomForIsRefusedUntilOthersExpire() {
    for (int session = 0; session < MOST; session++) {
      RequestId first = request(OPENED + session, session, 1);
      sessions.ensureRoom(first, OPENED);
      sessions.put(first, session);
    }
    RequestId another = request(OPENED + LIFETIME.toMillis(), MOST, 1);

    assertThatThrownBy(() -> sessions.ensureRoom(another, OPENED + LIFETIME.toMillis()))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("3 sessions that were opened less than 1 hour ago");
    sessions.ensureRoom(request(OPENED, 0, 2), OPENED + LIFETIME.toMillis());

    sessions.ensureRoom(another, OPENED + LIFETIME.plusMinutes(1).toMillis());
    assertThat(sessions.size()).isZero();
  }
}
