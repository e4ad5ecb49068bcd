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
    return new Seeds(ALL, self, nanos::get);
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
    first.isWaiting("b:1");
    assertThat(first.beginsHere(true)).isFalse();
    first.isWaiting("c:1");
    assertThat(first.beginsHere(true)).isTrue();
  }

  @Test
  void whoeverBeginsByItselfHasNobodyToWaitFor() {
    assertThat(new Seeds(List.of(), "x:1", nanos::get).beginsHere(false)).isTrue();
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
    second.isWaiting("a:1");
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
      Seeds first = new Seeds(order, order.contains("a:1") ? "a:1" : "b:1", nanos::get);
      Seeds other = new Seeds(order, "c:1", nanos::get);
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
}
