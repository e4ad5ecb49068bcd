package io.github.stablecut.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A data centre's view of its group. */
final class GroupStateTest {
  private static Membership founding() {
    TreeMap<Integer, Member> members = new TreeMap<>();
    members.put(0, new Member(100, Member.State.MEMBER, 0, ""));
    members.put(1, new Member(101, Member.State.MEMBER, 0, ""));
    return new Membership(1, members);
  }

  private static GroupState group(int own) {
    return new GroupState(own, founding(), kept -> {}, saved -> {});
  }

  @Test
  void aDetachedDataCentreThatGaveOutADuplicateNumberLearnsOfItsDetachment() {
    GroupState cutOff = group(0);
    GroupState rest = group(1);
    rest.detach(0);
    assertThat(rest.admit(201)).isEqualTo(2);
    assertThat(cutOff.admit(202)).isEqualTo(2);

    assertThatThrownBy(() -> cutOff.learn(rest.known()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two stores have one number");
    assertThat(cutOff.takesPart()).isFalse();
    assertThat(cutOff.known().member(2).storeId()).isEqualTo(202);

    assertThatThrownBy(() -> rest.learn(cutOff.known()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(rest.takesPart()).isTrue();
    assertThat(rest.known().member(2).storeId()).isEqualTo(201);
  }

  @Test
  void anotherGroupDetachesNobody() {
    GroupState one = group(0);
    Membership other = new Membership(2, new TreeMap<>(founding().members()));
    GroupState two = new GroupState(1, other, kept -> {}, saved -> {});
    two.detach(0);

    assertThatThrownBy(() -> one.learn(two.known())).isInstanceOf(IllegalArgumentException.class);
    assertThat(one.takesPart()).isTrue();
  }
}
