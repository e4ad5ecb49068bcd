package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The sessions of a partition take a bounded share of the memory. */
class SessionTableTest {
  private static final Duration LIFETIME = Duration.ofHours(1);
  private static final long OPENED = 1_000_000;
  private static final int MOST = 3;

  private final SessionTable sessions =
      new SessionTable(LIFETIME, new SessionTable.Limits(MOST, 2));

  private static RequestId request(long opened, long session, long number) {
    return request(opened, session, 0, number);
  }

  private static RequestId request(long opened, long session, int client, long number) {
    return new RequestId(new SessionName(opened, 0, session, client), number, new Digest(1, 2));
  }

  private void commit(RequestId request) {
    sessions.ensureRoom(request, OPENED);
    sessions.put(request, OPENED);
  }

  @Test
  void aClientAtItsLimitBlocksNoOther() {
    commit(request(OPENED, 1, 7, 1));
    commit(request(OPENED, 1, 7, 2));
    commit(request(OPENED, 2, 7, 1));

    assertThatThrownBy(() -> sessions.ensureRoom(request(OPENED, 3, 7, 1), OPENED))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContainingAll(
            "2 sessions that servers issued to this client's address less than 1 hour ago",
            "store.max-sessions-per-client");
    commit(request(OPENED, 2, 7, 2));
    commit(request(OPENED, 4, 8, 1));
    assertThat(sessions.size()).isEqualTo(MOST);
  }

  @Test
  void aClientHasItsShareAgainOnceItsSessionsExpire() {
    commit(request(OPENED, 1, 7, 1));
    commit(request(OPENED + 60_000, 2, 7, 1));
    long later = OPENED + LIFETIME.toMillis() + 1;

    sessions.ensureRoom(request(later, 3, 7, 1), later);

    sessions.put(request(later, 3, 7, 1), later);
    assertThatThrownBy(() -> sessions.ensureRoom(request(later, 4, 7, 1), later))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("2 sessions that servers issued");
  }

  @Test
  void partitionsShareTheSettingEquallyAndAClientGetsAQuarter() {
    assertThat(SessionTable.Limits.of(4, 400, 40)).isEqualTo(new SessionTable.Limits(100, 10));
    assertThat(SessionTable.Limits.of(4, 400, 0)).isEqualTo(new SessionTable.Limits(100, 25));
    assertThat(SessionTable.Limits.of(4, 3, 1)).isEqualTo(new SessionTable.Limits(1, 1));
    SessionTable.Limits ofHeap = SessionTable.Limits.of(4, 0, 0);
    assertThat(SessionTable.Limits.of(4, Integer.MAX_VALUE, Integer.MAX_VALUE))
        .isEqualTo(new SessionTable.Limits(ofHeap.all(), ofHeap.all()));
    assertThat(ofHeap.perClient()).isEqualTo(ofHeap.all() / 4);
  }

  @Test
  void refusesASessionAboveTheLimitUntilOthersExpire() {
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
