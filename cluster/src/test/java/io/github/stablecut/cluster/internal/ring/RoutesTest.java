package io.github.stablecut.cluster.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is for an owner is given to Akka only if that is known to bring it there. */
class RoutesTest {
  private static final Reply ANSWER = new Reply.At(VectorClock.of(7));

  private static final List<RingView.Owner> OWNERS =
      List.of(owner(0, "n1", true), owner(1, "n2", true), owner(2, "n3", false));

  private final AtomicLong nanos = new AtomicLong(5);
  private final AtomicLong numbers = new AtomicLong();
  private final Routes routes = new Routes(nanos::get);

  private static RingView.Owner owner(int partition, String node, boolean isReachable) {
    return new RingView.Owner(partition, node, "127.0.0.1:1", 1, isReachable, 0);
  }

  /** The numbers of the tries, by partition. */
  private List<Long> tick() {
    List<Long> tried = new ArrayList<>();
    routes.tick(OWNERS, numbers::incrementAndGet, (owner, number) -> tried.add(number));
    return tried;
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos() + 1);
  }

  @Test
  void aWayIsProvenOnceSomethingCameBack() {
    assertThat(routes.isProven(0)).isFalse();
    List<Long> tried = tick();
    assertThat(tried).hasSize(2);
    assertThat(tick()).isEmpty();

    routes.answer(tried.get(0), ANSWER);
    routes.answer(tried.get(1), new Reply.Stale(0));

    assertThat(routes.isProven(0)).isTrue();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).hasSize(1);
  }

  @Test
  void whatIsNotAnsweredIsTriedAgain() {
    List<Long> tried = tick();
    pass(Routes.PATIENCE);

    assertThat(tick()).hasSize(2);
    routes.answer(tried.get(0), ANSWER);
    assertThat(routes.isProven(0)).isFalse();
  }

  @Test
  void aNewOwnerIsAskedDirectlyUntilAkkaKnowsIt() {
    tick().forEach(number -> routes.answer(number, ANSWER));

    routes.changed(1);

    assertThat(routes.isProven(0)).isTrue();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).isEmpty();
    pass(Routes.SETTLING);
    tick().forEach(number -> routes.answer(number, ANSWER));
    assertThat(routes.isProven(1)).isTrue();
  }

  @Test
  void afterTheLossOfANodeAllAreAskedDirectly() {
    tick().forEach(number -> routes.answer(number, ANSWER));

    routes.lost(OWNERS);

    assertThat(routes.isProven(0)).isFalse();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).isEmpty();
  }

  @Test
  void anAnswerThatWasOnItsWayProvesNothing() {
    List<Long> tried = tick();
    routes.lost(OWNERS);

    tried.forEach(number -> routes.answer(number, ANSWER));

    assertThat(routes.isProven(0)).isFalse();
  }

  /** Tells which way a question goes. */
  private static final class Ways implements Asks.Post {
    private final List<String> taken = new ArrayList<>();
    private long tried;

    @Override
    public void send(int partition, long epoch, long number, Bytes question) {
      taken.add("entity");
      tried = number;
    }

    @Override
    public void sendTo(
        String address, int partition, long epoch, long number, Bytes question, Runnable done) {
      taken.add(address);
      done.run();
    }

    @Override
    public void forget(long number) {
      // Nothing is kept.
    }
  }

  @Test
  void questionsGoByTheWayThatIsProven() {
    RingView view = new RingView();
    Ways ways = new Ways();
    Asks asks = new Asks(view, ways, Traffic.shared("n1", 1 << 20).questionsOut(), Runnable::run);
    view.publish(List.of(OWNERS.get(0)), Map.of("n1", "127.0.0.1:1"), List.of());

    asks.tell(0, new Question.Release(1));
    asks.tick();
    asks.answer(ways.tried, ANSWER);
    asks.tell(0, new Question.Release(1));
    view.publish(List.of(owner(0, "n2", true)), Map.of("n2", "127.0.0.1:1"), List.of());
    asks.tell(0, new Question.Release(1));

    assertThat(ways.taken).containsExactly("127.0.0.1:1", "entity", "entity", "127.0.0.1:1");
  }
}
