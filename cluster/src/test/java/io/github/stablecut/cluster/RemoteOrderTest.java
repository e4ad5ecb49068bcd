package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.routing.Routing;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client's calls to one node come after everything that another node has returned to it. The
 * second node has half of the objects. The first is named at an address that the cluster does not
 * name.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class RemoteOrderTest {
  private static final long ROUTING = 7;
  private static final CounterKey OF_NAMED = keyOn(0);
  private static final CounterKey OF_LEARNED = keyOn(1);

  private final CountDownLatch layoutMayArrive = new CountDownLatch(1);
  private final ScriptedServer learned = new ScriptedServer(this::answerOfLearned);
  private final ScriptedServer named = new ScriptedServer(this::answerOfNamed);

  /** The time that the named server has reached; the learned server has reached 1. */
  private volatile long time = 1;

  /** Whether the learned server names the nodes. */
  private volatile boolean namesNodes = true;

  @AfterEach
  void close() throws IOException {
    named.close();
    learned.close();
  }

  private static CounterKey keyOn(int partition) {
    return IntStream.range(0, 100)
        .mapToObj(number -> Key.counter("b", "k" + number))
        .filter(key -> new Routing(ROUTING, 2).partition(key.id()) == partition)
        .findFirst()
        .orElseThrow();
  }

  private static CausalToken at(long time) {
    return new CausalToken(1, VectorClock.of(time));
  }

  private Optional<Answer> answerOfLearned(Call call) {
    return call == Call.Plain.LAYOUT && !namesNodes
        ? Optional.empty()
        : Optional.of(answer(call, 1));
  }

  private Optional<Answer> answerOfNamed(Call call) {
    if (call == Call.Plain.LAYOUT) {
      try {
        layoutMayArrive.await();
      } catch (InterruptedException e) {
        throw ScriptedServer.brokenOff();
      }
    }
    return Optional.of(answer(call, time));
  }

  private Answer answer(Call call, long time) {
    if (call instanceof Call.AfterPoint after) {
      return answer(after.call(), time);
    } else if (call instanceof Call.Write || call instanceof Call.Point) {
      return new Answer.Point(at(time));
    } else if (call instanceof Call.Begin || call instanceof Call.OpenWatch) {
      return new Answer.OpenedHandle(Bytes.utf8("held"), at(time));
    } else if (call instanceof Call.Take) {
      Answer.ChangedObject object =
          new Answer.ChangedObject(OF_NAMED.id(), OF_NAMED.type(), List.of());
      Answer.Change change = new Answer.Change(at(time), at(time), List.of(object));
      return new Answer.Changes(List.of(change), at(time));
    } else if (call == Call.Plain.LAYOUT) {
      String address = "127.0.0.1:" + learned.address().getPort();
      return new Answer.PartitionOwners(1, ROUTING, List.of(address), List.of(-1, 0));
    }
    return ScriptedServer.usual(call);
  }

  /** Waits until the client sends requests for its objects to the learned server. */
  private void awaitLearned(Store store) throws Exception {
    layoutMayArrive.countDown();
    Eventually.holds(
        "the client uses the owner of an object",
        () -> {
          store.update(OF_LEARNED.increment());
          return !learned.calls(Call.Write.class).isEmpty()
              || !learned.calls(Call.AfterPoint.class).isEmpty();
        });
  }

  /** Asserts that the last call carries a point. */
  private void assertLastCallIsAfter(long point) {
    assertThat(learned.calls(Call.AfterPoint.class))
        .last()
        .extracting(Call.AfterPoint::point)
        .isEqualTo(at(point));
  }

  @Test
  void anUpdateIsAfterAcknowledgementsOfTheNamedServer() throws Exception {
    try (Store store = Stablecut.connect(named.uri())) {
      awaitLearned(store);
      time = 100;
      store.update(OF_NAMED.increment());

      store.update(OF_LEARNED.increment());

      assertLastCallIsAfter(100);
    }
  }

  @Test
  void anUpdateIsAfterAcknowledgementsBeforeTheNodesWereKnown() throws Exception {
    try (Store store = Stablecut.connect(named.uri())) {
      time = 100;
      store.update(OF_NAMED.increment());
      time = 1;

      awaitLearned(store);

      assertLastCallIsAfter(100);
    }
  }

  @Test
  void callsElsewhereAreAfterAcknowledgementsAlthoughNoNodesAreKnown() throws Exception {
    namesNodes = false;
    String both =
        "stablecut://127.0.0.1:%d,127.0.0.1:%d?timeout=5"
            .formatted(named.address().getPort(), learned.address().getPort());
    try (Store store = Stablecut.connect(both)) {
      time = 100;
      store.update(OF_NAMED.increment());
      named.close();

      assertThat(store.snapshot().token()).isEqualTo(at(1));

      assertLastCallIsAfter(100);
    }
  }

  @Test
  void anUpdateIsAfterTheReadsOfATransaction() throws Exception {
    try (Store store = Stablecut.connect(named.uri())) {
      awaitLearned(store);
      time = 100;
      try (Transaction transaction = store.begin()) {
        assertThat(transaction.snapshot()).isEqualTo(at(100));
        store.update(OF_LEARNED.increment());
      }

      assertLastCallIsAfter(100);
    }
  }

  @Test
  void anUpdateIsAfterTheChangesOfAWatch() throws Exception {
    try (Store store = Stablecut.connect(named.uri());
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      awaitLearned(store);
      time = 100;
      assertThat(watch.next().objects()).isEqualTo(List.of(OF_NAMED));

      store.update(OF_LEARNED.increment());

      assertLastCallIsAfter(100);
    }
  }
}
