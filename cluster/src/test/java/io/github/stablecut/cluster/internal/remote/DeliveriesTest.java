package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Large parts of transactions wait for memory, decisions do not, and nothing is sent twice. */
class DeliveriesTest {
  private static final int PART_BYTES = 60_000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final AtomicLong nanos = new AtomicLong();
  private final TrafficBudget budget =
      new TrafficBudget("parts of a test", 100_000, Long.MAX_VALUE);
  private long epoch = 1;
  private final List<Integer> sent = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();
  private final List<Runnable> ends = new ArrayList<>();
  private final Network network = new Network();
  private final Deliveries deliveries =
      new Deliveries(budget, Runnable::run, PATIENCE, nanos::get, network);

  private final class Network implements Deliveries.Sender {
    private final Map<Long, Runnable> unsent = new HashMap<>();
    private long number;

    @Override
    public long epoch(int partition) {
      return epoch;
    }

    @Override
    public long nextNumber() {
      return ++number;
    }

    @Override
    public void send(int partition, long number, Bytes request, Consumer<Boolean> done) {
      sent.add(partition);
      numbers.add(number);
      unsent.put(number, () -> done.accept(false));
      ends.add(
          () -> {
            unsent.remove(number);
            done.accept(true);
          });
    }

    @Override
    public void forget(long number) {
      unsent.getOrDefault(number, () -> {}).run();
    }
  }

  private static final class Driver implements Message.Driver {
    private final long number;
    private final List<Message.ToDriver> answers = new ArrayList<>();

    Driver(long number) {
      this.number = number;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public void tell(Message.ToDriver answer) {
      answers.add(answer);
    }
  }

  private static TransactionPart part() {
    return part(PART_BYTES);
  }

  private static TransactionPart part(int bytes) {
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            Bytes.utf8("k"), LwwRegister.TYPE, List.of(), List.of(new byte[bytes]));
    return TransactionPart.of(
        new CommitRequest.Part(0, VectorClock.of(1), VectorClock.ZERO, List.of(write), Set.of()),
        TransactionMetadata.participant(new TransactionId(1, 1, 1), List.of()));
  }

  /** A delivery of a transaction's part, as a driver sends it. */
  static Request.Deliver delivered(int bytes) {
    return new Request.Deliver(new Message.Prepare(new Driver(1), part(bytes)));
  }

  private void prepare(int partition, Message.Driver driver) {
    deliveries.send(partition, new Request.Deliver(new Message.Prepare(driver, part())));
  }

  private void decide(int partition, Message.Driver driver) {
    deliveries.send(partition, new Request.Deliver(new Message.Decide(driver, 1, part())));
  }

  @Test
  void partsWaitForMemory() {
    prepare(1, new Driver(1));
    prepare(2, new Driver(2));
    assertThat(sent).containsExactly(1);

    ends.get(0).run();

    assertThat(sent).containsExactly(1, 2);
    ends.get(1).run();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void doesNotResendMessagesInTransit() {
    Driver first = new Driver(1);
    Driver second = new Driver(2);
    for (int i = 0; i < 3; i++) {
      prepare(1, first);
      prepare(2, second);
    }
    assertThat(sent).containsExactly(1);

    ends.get(0).run();
    prepare(2, second);
    assertThat(sent).containsExactly(1, 2);
    ends.get(1).run();
    prepare(2, second);

    assertThat(sent).as("its receiver may still be executing it").containsExactly(1, 2);
    nanos.addAndGet(Duration.ofMillis(15).toNanos());
    prepare(2, second);
    assertThat(sent).containsExactly(1, 2, 2);
  }

  @Test
  void retriesAtOnceIfTheReceiverHadNoMemory() {
    Driver driver = new Driver(1);
    prepare(1, driver);
    ends.get(0).run();
    prepare(1, driver);
    assertThat(sent).containsExactly(1);

    deliveries.refused(numbers.get(0));
    prepare(1, driver);

    assertThat(sent).containsExactly(1, 1);
  }

  @Test
  void retriesAtOnceIfRefusedWhileTheLastBytesAreSent() {
    Driver driver = new Driver(1);
    prepare(1, driver);
    deliveries.refused(numbers.get(0));
    ends.get(0).run();

    prepare(1, driver);

    assertThat(sent).containsExactly(1, 1);
  }

  @Test
  void retriesLostMessagesAtOnce() {
    Driver driver = new Driver(1);
    prepare(1, driver);
    network.forget(numbers.get(0));

    prepare(1, driver);

    assertThat(sent).containsExactly(1, 1);
  }

  @Test
  void resendsToANewOwner() {
    Driver driver = new Driver(1);
    decide(1, driver);
    ends.get(0).run();
    decide(1, driver);
    assertThat(sent).containsExactly(1);

    epoch = 2;
    decide(1, driver);
    decide(1, driver);

    assertThat(sent).containsExactly(1, 1);
  }

  @Test
  void resendsMessagesInTransitToANewOwner() {
    Driver driver = new Driver(1);
    prepare(1, driver);
    prepare(1, driver);
    assertThat(sent).containsExactly(1);

    epoch = 2;
    prepare(1, driver);
    prepare(1, driver);

    assertThat(sent).containsExactly(1, 1);
    ends.get(1).run();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void partsWaitWhileOthersGetMemory() {
    Driver last = new Driver(5);
    for (int i = 1; i < 5; i++) {
      prepare(i, new Driver(i));
    }
    prepare(5, last);

    for (int i = 0; i < 4; i++) {
      nanos.addAndGet(PATIENCE.toNanos());
      deliveries.tick();
      ends.get(i).run();
    }

    assertThat(sent).containsExactly(1, 2, 3, 4, 5);
    assertThat(last.answers).isEmpty();
  }

  @Test
  void decisionsDoNotWait() {
    Driver driver = new Driver(1);
    prepare(1, driver);
    prepare(2, driver);

    decide(3, driver);
    decide(3, driver);

    assertThat(sent).containsExactly(1, 3);
  }

  @Test
  void refusesPartsThatGetNoMemory() {
    Driver driver = new Driver(2);
    prepare(1, new Driver(1));
    prepare(2, driver);
    // A message in transit may take that much longer.
    nanos.addAndGet(PATIENCE.plusMillis(14).toNanos());
    deliveries.tick();
    assertThat(driver.answers).isEmpty();

    nanos.addAndGet(Duration.ofMillis(1).toNanos());
    deliveries.tick();

    assertThat(driver.answers)
        .singleElement()
        .isInstanceOfSatisfying(
            Message.Refused.class,
            refused -> {
              assertThat(refused.partition()).isEqualTo(2);
              assertThat(refused.reason())
                  .isInstanceOf(PartitionUnavailableException.class)
                  .hasMessageContaining("no memory for 60,")
                  .hasMessageContaining("try again");
            });
    ends.get(0).run();
    assertThat(sent).containsExactly(1);
    assertThat(budget.taken()).isZero();
    prepare(2, driver);
    assertThat(sent).containsExactly(1, 2);
  }
}
