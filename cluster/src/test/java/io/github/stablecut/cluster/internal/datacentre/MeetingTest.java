package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.About;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Data centres decide alike who joins whom, in whatever order they are told. */
class MeetingTest {
  private static About fresh(long store) {
    return new About(store, store, 0, 1, true);
  }

  private static About in(long group, int number) {
    return new About(group, group + number, number, 1, false);
  }

  private static List<Meeting.Other> others(About... abouts) {
    List<Meeting.Other> others = new ArrayList<>();
    for (About about : abouts) {
      others.add(new Meeting.Other("at" + about.store(), about));
    }
    return others;
  }

  @Test
  void ofNewOnesTheLowestIdBeginsTheGroup() {
    assertThat(new Meeting(fresh(5), others(fresh(3), fresh(9))).joined()).containsExactly("at3");
    assertThat(new Meeting(fresh(3), others(fresh(5), fresh(-1))).joined()).isEmpty();
    assertThat(new Meeting(fresh(-1), others(fresh(5))).joined()).containsExactly("at5");
  }

  @Test
  void newOnesJoinThoseThatHaveDataWhateverTheIds() {
    assertThat(new Meeting(fresh(1), others(fresh(2), in(7, 0), in(7, 1))).joined())
        .containsExactly("at7", "at8");
    assertThat(new Meeting(in(7, 0), others(fresh(2), in(7, 1))).joined()).isEmpty();
  }

  @Test
  void twoGroupsWithDataAreRefused() {
    for (Meeting meeting :
        List.of(
            new Meeting(in(7, 0), others(in(9, 0))),
            new Meeting(fresh(1), others(in(7, 0), in(9, 0))))) {
      assertThatThrownBy(meeting::joined)
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("export");
    }
  }

  @Test
  void toldAloneANewOneJoinsAndOneWithDataDoesNot() {
    assertThat(new Meeting(fresh(1), others(fresh(2))).joinedAlone()).containsExactly("at2");
    assertThat(new Meeting(in(7, 1), others(in(7, 0))).joinedAlone()).isEmpty();
    assertThatThrownBy(() -> new Meeting(in(7, 0), others(fresh(2))).joinedAlone())
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("have that one connect to this one");
    assertThatThrownBy(() -> new Meeting(in(7, 0), others(in(9, 0))).joinedAlone())
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("export");
  }

  @Test
  void nobodyJoinsItself() {
    for (About own : List.of(fresh(1), in(7, 1))) {
      assertThatThrownBy(() -> new Meeting(own, others(own)).joinedAlone())
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("is this one: name the address of another one");
    }
  }

  @Test
  void toldInAnyOrderAndAgainTheyEndInOneGroup() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 1_000; run++) {
      int size = 2 + random.nextInt(4);
      About[] all = new About[size];
      List<Integer> once = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        all[i] =
            i == 0 && random.nextBoolean() ? in(random.nextLong(), 0) : fresh(random.nextLong());
        once.add(i);
      }
      for (int round = 0; round < 2; round++) {
        Collections.shuffle(once, random);
        once.forEach(i -> tell(i, all));
      }
      assertThat(Arrays.stream(all).map(About::group).distinct())
          .as("seed %d, run %d", seed, run)
          .hasSize(1);
    }
  }

  private static void tell(int one, About[] all) {
    List<Meeting.Other> others = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      if (i != one) {
        others.add(new Meeting.Other("" + i, all[i]));
      }
    }
    for (String address : new Meeting(all[one], others).joined()) {
      int joined = Integer.parseInt(address);
      long group = all[joined].group();
      all[joined] = new About(group, all[joined].store(), joined, 1, false);
      all[one] = new About(group, all[one].store(), one, 1, false);
    }
  }
}
