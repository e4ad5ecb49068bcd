package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.DataCentreInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Data centres form one group, in whatever order they get the command. */
class GroupCreationTest {
  private static DataCentreInfo fresh(long store) {
    return new DataCentreInfo(store, store, 0, 1, true);
  }

  private static DataCentreInfo in(long group, int number) {
    return new DataCentreInfo(group, group + number, number, 1, false);
  }

  private static List<GroupCreation.OtherDataCentre> others(DataCentreInfo... abouts) {
    List<GroupCreation.OtherDataCentre> others = new ArrayList<>();
    for (DataCentreInfo about : abouts) {
      others.add(new GroupCreation.OtherDataCentre("at" + about.store(), about));
    }
    return others;
  }

  @Test
  void ofNewDataCentresTheLowestIdStartsTheGroup() {
    assertThat(new GroupCreation(fresh(5), others(fresh(3), fresh(9))).joined())
        .containsExactly("at3");
    assertThat(new GroupCreation(fresh(3), others(fresh(5), fresh(-1))).joined()).isEmpty();
    assertThat(new GroupCreation(fresh(-1), others(fresh(5))).joined()).containsExactly("at5");
  }

  @Test
  void newDataCentresJoinThoseWithDataWhateverTheirIds() {
    assertThat(new GroupCreation(fresh(1), others(fresh(2), in(7, 0), in(7, 1))).joined())
        .containsExactly("at7", "at8");
    assertThat(new GroupCreation(in(7, 0), others(fresh(2), in(7, 1))).joined()).isEmpty();
  }

  @Test
  void twoGroupsWithDataAreRefused() {
    for (GroupCreation meeting :
        List.of(
            new GroupCreation(in(7, 0), others(in(9, 0))),
            new GroupCreation(fresh(1), others(in(7, 0), in(9, 0))))) {
      assertThatThrownBy(meeting::joined)
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("export");
    }
  }

  @Test
  void commandedAloneANewDataCentreJoinsAndOneWithDataDoesNot() {
    assertThat(new GroupCreation(fresh(1), others(fresh(2))).joinedAlone()).containsExactly("at2");
    assertThat(new GroupCreation(in(7, 1), others(in(7, 0))).joinedAlone()).isEmpty();
    assertThatThrownBy(() -> new GroupCreation(in(7, 0), others(fresh(2))).joinedAlone())
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("connect the new one to this one instead");
    assertThatThrownBy(() -> new GroupCreation(in(7, 0), others(in(9, 0))).joinedAlone())
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("export");
  }

  @Test
  void noDataCentreJoinsItself() {
    for (DataCentreInfo own : List.of(fresh(1), in(7, 1))) {
      assertThatThrownBy(() -> new GroupCreation(own, others(own)).joinedAlone())
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("is this one: name the address of another");
    }
  }

  @Test
  void commandedInAnyOrderAndRepeatedlyTheyFormOneGroup() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 1_000; run++) {
      int size = 2 + random.nextInt(4);
      DataCentreInfo[] all = new DataCentreInfo[size];
      List<Integer> once = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        all[i] =
            i == 0 && random.nextBoolean() ? in(random.nextLong(), 0) : fresh(random.nextLong());
        once.add(i);
      }
      for (int round = 0; round < 2; round++) {
        Collections.shuffle(once, random);
        once.forEach(i -> command(i, all));
      }
      assertThat(Arrays.stream(all).map(DataCentreInfo::group).distinct())
          .as("seed %d, run %d", seed, run)
          .hasSize(1);
    }
  }

  private static void command(int one, DataCentreInfo[] all) {
    List<GroupCreation.OtherDataCentre> others = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      if (i != one) {
        others.add(new GroupCreation.OtherDataCentre("" + i, all[i]));
      }
    }
    for (String address : new GroupCreation(all[one], others).joined()) {
      int joined = Integer.parseInt(address);
      long group = all[joined].group();
      all[joined] = new DataCentreInfo(group, all[joined].store(), joined, 1, false);
      all[one] = new DataCentreInfo(group, all[one].store(), one, 1, false);
    }
  }
}
