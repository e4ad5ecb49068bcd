package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who begins a cluster, and who finds out that there are two. */
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
  void theFirstBeginsANewClusterAfterAShortWhile() {
    Seeds first = seeds("a:1");
    assertThat(first.beginsHere(false)).isFalse();
    pass(3);
    assertThat(first.beginsHere(false)).isTrue();
    assertThat(first.beginsHere(true)).isFalse();
    pass(17);
    assertThat(first.beginsHere(true)).isTrue();
  }

  @Test
  void theFirstDoesNotWaitForThoseWhoWaitThemselves() {
    Seeds first = seeds("a:1");
    first.isWaiting("b:1", true);
    assertThat(first.beginsHere(true)).isFalse();
    first.isWaiting("c:1", true);
    assertThat(first.beginsHere(true)).isTrue();
  }

  @Test
  void whoeverBeginsByItselfHasNobodyToWaitFor() {
    assertThat(new Seeds(List.of(), "x:1", Set.of(), nanos::get).beginsHere(false)).isTrue();
  }

  @Test
  void onlyTheFirstBeginsANewCluster() {
    Seeds second = seeds("b:1");
    pass(100);
    assertThat(second.beginsHere(false)).isFalse();
  }

  @Test
  void ifTheFirstIsAwayTheNextBeginsAgainWhatWasFormed() {
    Seeds second = seeds("b:1");
    Seeds third = seeds("c:1");
    pass(30);
    assertThat(second.beginsHere(true)).isTrue();
    assertThat(third.beginsHere(true)).isFalse();
    pass(10);
    assertThat(third.beginsHere(true)).isTrue();
  }

  @Test
  void aSeedBeforeThatIsThereComesFirst() {
    Seeds second = seeds("b:1");
    pass(30);
    second.isWaiting("a:1", true);
    assertThat(second.beginsHere(true)).isFalse();
    pass(5);
    assertThat(second.beginsHere(true)).isTrue();
  }

  @Test
  void whoIsNoSeedBeginsNothing() {
    Seeds other = seeds("x:1");
    pass(100);
    assertThat(other.beginsHere(true)).isFalse();
  }

  @Test
  void theOrderInWhichTheSeedsWereToldDoesNotMatter() {
    for (List<String> order : List.of(ALL, List.of("b:1", "c:1", "a:1"), List.of("c:1", "b:1"))) {
      Seeds first = new Seeds(order, order.contains("a:1") ? "a:1" : "b:1", Set.of(), nanos::get);
      Seeds other = new Seeds(order, "c:1", Set.of(), nanos::get);
      pass(4);
      assertThat(first.beginsHere(false)).isTrue();
      assertThat(other.beginsHere(false)).isFalse();
    }
  }

  @Test
  void aSeedThatIsNotReachedIsAskedThoughItIsAMember() {
    Seeds first = seeds("a:1");
    assertThat(first.missing(Set.of())).isEmpty();
    pass(10);
    assertThat(first.missing(Set.of("c:1"))).containsExactly("b:1");
    assertThat(first.missing(Set.of("c:1"))).isEmpty();
    pass(10);
    assertThat(first.missing(Set.of("b:1"))).containsExactly("c:1");
  }

  @Test
  void whoSaysForLongThatItIsInAnotherClusterIs() {
    Seeds first = seeds("a:1");
    assertThat(first.areApart("b:1", false)).isFalse();
    pass(10);
    assertThat(first.areApart("b:1", false)).isTrue();
    assertThat(first.areApart("b:1", true)).isFalse();
    assertThat(first.areApart("b:1", false)).isFalse();
  }

  @Test
  void whatWasSaidLongAgoDoesNotCount() {
    Seeds first = seeds("a:1");
    assertThat(first.areApart("b:1", false)).isFalse();
    pass(60);
    assertThat(first.areApart("b:1", false)).isFalse();
    pass(10);
    assertThat(first.areApart("b:1", false)).isTrue();
  }

  @Test
  void aSeedWithAnEmptyDirectoryHoldsNobodyBackWhoHasData() {
    Seeds third = seeds("c:1");
    pass(40);
    third.isWaiting("b:1", false);
    assertThat(third.beginsHere(true)).isTrue();
    third.isWaiting("b:1", true);
    assertThat(third.beginsHere(true)).isFalse();
  }

  @Test
  void aSeedWithAnEmptyDirectoryBeginsNothingBesideThoseWhoHaveData() {
    Seeds first = seeds("a:1");
    pass(4);
    first.isWaiting("c:1", true);
    assertThat(first.beginsHere(false)).isFalse();
    first.isWaiting("c:1", false);
    assertThat(first.beginsHere(false)).isTrue();
  }

  @Test
  void theFirstOfThoseWhoHaveDataBeginsAtOnceWhenAllWait() {
    Seeds second = seeds("b:1");
    second.isWaiting("a:1", false);
    second.isWaiting("c:1", true);
    assertThat(second.beginsHere(true)).isTrue();
  }

  @Test
  void aNodeWhoseOnlySeedIsItselfWaitsForTheMembersThatItRemembers() {
    Seeds only = new Seeds(List.of("a:1"), "a:1", Set.of("a:1", "b:1"), nanos::get);
    assertThat(only.asked()).containsExactly("b:1");
    assertThat(only.beginsHere(true)).isFalse();
    only.isWaiting("b:1", true);
    assertThat(only.beginsHere(true)).isTrue();
    pass(21);
    assertThat(only.beginsHere(true)).isTrue();
  }

  @Test
  void membersThatAreRememberedAreAskedAndBeginNothing() {
    Seeds other = new Seeds(List.of("a:1"), "x:1", Set.of("x:1", "a:1", "b:1"), nanos::get);
    assertThat(other.asked()).containsExactly("a:1", "b:1");
    assertThat(other.others()).containsExactly("a:1");
    other.isWaiting("a:1", false);
    other.isWaiting("b:1", true);
    pass(100);
    assertThat(other.beginsHere(true)).isFalse();
  }

  @Test
  void theMembersThatAreRememberedArePreferredForAShortWhile() {
    Seeds other = new Seeds(ALL, "x:1", Set.of("x:1", "y:1"), nanos::get);
    assertThat(other.isPreferred("y:1")).isTrue();
    assertThat(other.isPreferred("a:1")).isFalse();
    pass(3);
    assertThat(other.isPreferred("a:1")).isTrue();
    assertThat(seeds("x:1").isPreferred("a:1")).isTrue();
  }

  @Test
  void aSeedWithAnEmptyDirectoryBeginsThoughAMemberThatIsNoSeedHasData() {
    Seeds only = new Seeds(List.of("a:1"), "a:1", Set.of("a:1", "b:1"), nanos::get);
    only.isWaiting("b:1", true);
    assertThat(only.beginsHere(false)).isTrue();
  }

  @Test
  void whoStartsOverWaitsAgain() {
    Seeds first = seeds("a:1");
    pass(4);
    first.startOver();
    assertThat(first.beginsHere(false)).isFalse();
  }
}
