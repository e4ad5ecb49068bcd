package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which seed starts a cluster, and how a second cluster is detected. */
class SeedsTest {
  private static final List<String> ALL = List.of("a:1", "b:1", "c:1");

  private final AtomicLong nanos = new AtomicLong(7);

  private Seeds seeds(String self) {
    return new Seeds(ALL, self, Set.of(), nanos::get);
  }

  private void pass(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds) + 1);
  }

  @Test
  void firstSeedStartsANewClusterAfterThreeSeconds() {
    Seeds first = seeds("a:1");
    assertThat(first.startsCluster(false)).isFalse();
    pass(3);
    assertThat(first.startsCluster(false)).isTrue();
    assertThat(first.startsCluster(true)).isFalse();
    pass(17);
    assertThat(first.startsCluster(true)).isTrue();
  }

  @Test
  void firstSeedDoesNotWaitForWaitingSeeds() {
    Seeds first = seeds("a:1");
    first.recordWaiting("b:1", true);
    assertThat(first.startsCluster(true)).isFalse();
    first.recordWaiting("c:1", true);
    assertThat(first.startsCluster(true)).isTrue();
  }

  @Test
  void aNodeWithoutSeedsStartsAtOnce() {
    assertThat(new Seeds(List.of(), "x:1", Set.of(), nanos::get).startsCluster(false)).isTrue();
  }

  @Test
  void onlyTheFirstSeedStartsANewCluster() {
    Seeds second = seeds("b:1");
    pass(100);
    assertThat(second.startsCluster(false)).isFalse();
  }

  @Test
  void nextSeedRestartsAFormedClusterIfTheFirstIsDown() {
    Seeds second = seeds("b:1");
    Seeds third = seeds("c:1");
    pass(30);
    assertThat(second.startsCluster(true)).isTrue();
    assertThat(third.startsCluster(true)).isFalse();
    pass(10);
    assertThat(third.startsCluster(true)).isTrue();
  }

  @Test
  void anEarlierSeedTakesPrecedence() {
    Seeds second = seeds("b:1");
    pass(30);
    second.recordWaiting("a:1", true);
    assertThat(second.startsCluster(true)).isFalse();
    pass(5);
    assertThat(second.startsCluster(true)).isTrue();
  }

  @Test
  void aNodeThatIsNoSeedStartsNothing() {
    Seeds other = seeds("x:1");
    pass(100);
    assertThat(other.startsCluster(true)).isFalse();
  }

  @Test
  void orderOfConfiguredSeedsDoesNotMatter() {
    for (List<String> order : List.of(ALL, List.of("b:1", "c:1", "a:1"), List.of("c:1", "b:1"))) {
      Seeds first = new Seeds(order, order.contains("a:1") ? "a:1" : "b:1", Set.of(), nanos::get);
      Seeds other = new Seeds(order, "c:1", Set.of(), nanos::get);
      pass(4);
      assertThat(first.startsCluster(false)).isTrue();
      assertThat(other.startsCluster(false)).isFalse();
    }
  }

  @Test
  void probesUnreachableSeedsEveryTenSeconds() {
    Seeds first = seeds("a:1");
    assertThat(first.takeSeedsToProbe(Set.of())).isEmpty();
    pass(10);
    assertThat(first.takeSeedsToProbe(Set.of("c:1"))).containsExactly("b:1");
    assertThat(first.takeSeedsToProbe(Set.of("c:1"))).isEmpty();
    pass(10);
    assertThat(first.takeSeedsToProbe(Set.of("b:1"))).containsExactly("c:1");
  }

  @Test
  void aNodeIsApartOnceItReportsThatForNineSeconds() {
    Seeds first = seeds("a:1");
    assertThat(first.updateApart("b:1", false)).isFalse();
    pass(10);
    assertThat(first.updateApart("b:1", false)).isTrue();
    assertThat(first.updateApart("b:1", true)).isFalse();
    assertThat(first.updateApart("b:1", false)).isFalse();
  }

  @Test
  void oldReportsOfAnotherClusterExpire() {
    Seeds first = seeds("a:1");
    assertThat(first.updateApart("b:1", false)).isFalse();
    pass(60);
    assertThat(first.updateApart("b:1", false)).isFalse();
    pass(10);
    assertThat(first.updateApart("b:1", false)).isTrue();
  }

  @Test
  void anEmptySeedDoesNotHoldBackSeedsWithData() {
    Seeds third = seeds("c:1");
    pass(40);
    third.recordWaiting("b:1", false);
    assertThat(third.startsCluster(true)).isTrue();
    third.recordWaiting("b:1", true);
    assertThat(third.startsCluster(true)).isFalse();
  }

  @Test
  void anEmptySeedStartsNothingWhileASeedWithDataWaits() {
    Seeds first = seeds("a:1");
    pass(4);
    first.recordWaiting("c:1", true);
    assertThat(first.startsCluster(false)).isFalse();
    first.recordWaiting("c:1", false);
    assertThat(first.startsCluster(false)).isTrue();
  }

  @Test
  void firstSeedWithDataStartsAtOnceWhenAllWait() {
    Seeds second = seeds("b:1");
    second.recordWaiting("a:1", false);
    second.recordWaiting("c:1", true);
    assertThat(second.startsCluster(true)).isTrue();
  }

  @Test
  void anOnlySeedWaitsForRememberedMembers() {
    Seeds only = new Seeds(List.of("a:1"), "a:1", Set.of("a:1", "b:1"), nanos::get);
    assertThat(only.contacts()).containsExactly("b:1");
    assertThat(only.startsCluster(true)).isFalse();
    only.recordWaiting("b:1", true);
    assertThat(only.startsCluster(true)).isTrue();
    pass(21);
    assertThat(only.startsCluster(true)).isTrue();
  }

  @Test
  void rememberedMembersAreContactedButStartNothing() {
    Seeds other = new Seeds(List.of("a:1"), "x:1", Set.of("x:1", "a:1", "b:1"), nanos::get);
    assertThat(other.contacts()).containsExactly("a:1", "b:1");
    assertThat(other.others()).containsExactly("a:1");
    other.recordWaiting("a:1", false);
    other.recordWaiting("b:1", true);
    pass(100);
    assertThat(other.startsCluster(true)).isFalse();
  }

  @Test
  void prefersRememberedMembersForThreeSeconds() {
    Seeds other = new Seeds(ALL, "x:1", Set.of("x:1", "y:1"), nanos::get);
    assertThat(other.acceptsAdmissionBy("y:1")).isTrue();
    assertThat(other.acceptsAdmissionBy("a:1")).isFalse();
    pass(3);
    assertThat(other.acceptsAdmissionBy("a:1")).isTrue();
    assertThat(seeds("x:1").acceptsAdmissionBy("a:1")).isTrue();
  }

  @Test
  void anEmptySeedStartsDespiteARememberedMemberWithData() {
    Seeds only = new Seeds(List.of("a:1"), "a:1", Set.of("a:1", "b:1"), nanos::get);
    only.recordWaiting("b:1", true);
    assertThat(only.startsCluster(false)).isTrue();
  }

  @Test
  void startingOverRestartsTheWait() {
    Seeds first = seeds("a:1");
    pass(4);
    first.startOver();
    assertThat(first.startsCluster(false)).isFalse();
  }
}
