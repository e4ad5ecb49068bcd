package io.github.stablecut.internal.transaction.datacentre;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.GroupState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A data centre that was admitted and has sent no message yet. */
final class ReplicationLagTest {
  private static final Duration MAX_LAG = Duration.ofHours(1);

  private final GroupState group = new GroupState(0, founding(), kept -> {}, saved -> {});
  private final Set<Integer> admitted = new TreeSet<>();
  private long nanos = 5;
  private final ReplicationLag lag =
      new ReplicationLag(group, List::of, MAX_LAG, admitted::contains, () -> nanos);

  private static Membership founding() {
    TreeMap<Integer, Member> members = new TreeMap<>();
    members.put(0, new Member(100, Member.State.MEMBER, 0, ""));
    return new Membership(1, members);
  }

  private boolean isDetachedAfter(Duration time) {
    nanos += time.toNanos();
    lag.detachLagging();
    return !group.known().member(1).takesPart();
  }

  @Test
  void isNotDetachedWhileItReceivesItsInitialStateHoweverLongThatTakes() {
    admitted.add(group.admit(101));

    assertThat(isDetachedAfter(Duration.ZERO)).isFalse();
    assertThat(isDetachedAfter(Duration.ofDays(3))).isFalse();
    assertThat(lag.problems()).isEmpty();
  }

  @Test
  void hasADayToRestoreItEvenIfTheMaximumLagIsShorter() {
    admitted.add(group.admit(101));
    assertThat(isDetachedAfter(Duration.ZERO)).isFalse();
    admitted.clear();

    assertThat(isDetachedAfter(Duration.ofHours(2))).isFalse();
    assertThat(lag.problems())
        .singleElement()
        .asString()
        .isEqualTo(
            "data centre 1 received its initial state 2 hours ago and has sent no message yet: everything since then is retained for it; start it, or detach it (otherwise it is detached in 22 hours)");
    assertThat(isDetachedAfter(Duration.ofHours(22))).isFalse();
    assertThat(isDetachedAfter(Duration.ofMillis(1))).isTrue();
    assertThat(lag.problems()).isEmpty();
  }
}
